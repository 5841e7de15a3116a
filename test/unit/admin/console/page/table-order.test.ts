import {
  bySeverity,
  breakerTone,
  statusTone,
  troubleOf,
} from '../../../../../src/admin/console/page/show/tones.ts';
import {
  filteredRows,
  nextOrder,
  readOrder,
  sortedRows,
} from '../../../../../src/admin/console/page/show/table-order.ts';

describe('the order of a table', () => {
  it('stands in the address as a name, with a minus for descending', () => {
    expect(readOrder('-calls', 'name')).toEqual({ key: 'calls', descending: true });
    expect(readOrder(undefined, 'name')).toEqual({ key: 'name', descending: false });
    expect(readOrder('', '-at')).toEqual({ key: 'at', descending: true });
  });

  it('begins with the largest figure, and turns around at the second click', () => {
    const byName = { key: 'name', descending: false };
    expect(nextOrder(byName, 'calls', true)).toBe('-calls');
    expect(nextOrder(byName, 'state', false)).toBe('state');
    expect(nextOrder(byName, 'name', false)).toBe('-name');
    expect(nextOrder({ key: 'calls', descending: true }, 'calls', true)).toBe('calls');
  });

  it.each([false, true])('puts unknown values last, descending or not: %p', (descending) => {
    const rows = [null, 3, undefined, 1, Number.NaN, 2];
    const sorted = sortedRows(rows, (row) => row, descending);
    expect(sorted.slice(0, 3)).toEqual(descending ? [3, 2, 1] : [1, 2, 3]);
    expect(sorted).toHaveLength(rows.length);
  });

  it('sorts numbers in names as numbers, and keeps equal rows in their order', () => {
    expect(sortedRows(['host-10', 'Host-9', 'host-1'], (row) => row, false)).toEqual([
      'host-1',
      'Host-9',
      'host-10',
    ]);
    const equal = [{ id: 1 }, { id: 2 }, { id: 3 }];
    expect(sortedRows(equal, () => 'same', true)).toEqual(equal);
  });

  it('finds the rows that have every word, in any case and place', () => {
    const rows = ['Mobile app standard', 'Partner Nord', 'mobile partner'];
    expect(filteredRows(rows, (row) => row, ' MOBILE  part ')).toEqual(['mobile partner']);
    expect(filteredRows(rows, (row) => row, '  ')).toEqual(rows);
    expect(filteredRows(rows, (row) => row, '.*')).toEqual([]);
  });
});

describe('what needs attention first', () => {
  it('is the gravest, and among equals what came first', () => {
    const items = [
      { severity: 'info' as const, id: 1 },
      { severity: 'critical' as const, id: 2 },
      { severity: 'warning' as const, id: 3 },
      { severity: 'critical' as const, id: 4 },
    ];
    expect(bySeverity(items).map(({ id }) => id)).toEqual([2, 4, 3, 1]);
  });

  it('is a source whose breaker is open, then one that fails, waits, or cannot be read', () => {
    const sources = [
      { breaker: 'closed' },
      { breaker: 'closed', unreadablePerSecond: 3 },
      { breaker: 'closed', waiting: 4 },
      { breaker: 'closed', errorShare: 0.9 },
      { breaker: 'half-open' },
      { breaker: 'open' },
    ];
    expect(sortedRows(sources, troubleOf, true)).toEqual(sources.toReversed());
  });

  it('has a tone that differs by state', () => {
    expect(['open', 'half-open', 'closed', undefined].map(breakerTone)).toEqual([
      'bad',
      'warn',
      'good',
      'idle',
    ]);
    expect([200, 404, 429, 499, 500, 504].map(statusTone)).toEqual([
      'good',
      'info',
      'warn',
      'warn',
      'bad',
      'bad',
    ]);
  });
});
