import { compileFieldOrder } from '../../../../../src/contract/order.ts';
import { createBorderKeys } from '../../../../../src/pipeline/reading/windows/border-keys.ts';

type Keep = Parameters<ReturnType<typeof createBorderKeys>['keep']>;
const order = compileFieldOrder({ field: 'name', descending: false }, { kind: 'text' });
const recordsAt = (from: number, ...names: string[]) =>
  new Map(names.map((name, index) => [from + index, name])) as unknown as Keep[2];
const page = { from: 10, to: 12 };

describe('the sort keys at the borders of a page', () => {
  it('are known again for a minute', () => {
    const keys = createBorderKeys();
    keys.keep('by name', page, recordsAt(9, 'a', 'b', 'c', 'd'));
    const { keys: recalled, leftMs } = keys.recall('by name', page, recordsAt(10, 'b', 'c'), order);
    expect([...recalled]).toEqual([
      [9, 'a'],
      [12, 'd'],
    ]);
    expect(leftMs).toBeGreaterThan(55_000);
    expect(leftMs).toBeLessThanOrEqual(60_000);
  });

  it('are not taken from memory if a reply has just shown them', () => {
    const keys = createBorderKeys();
    keys.keep('by name', page, recordsAt(9, 'a', 'b', 'c', 'd'));
    const { keys: recalled } = keys.recall('by name', page, recordsAt(9, 'a', 'b', 'c'), order);
    expect([...recalled.keys()]).toEqual([12]);
  });

  it('are those of one list, with its sort, filters and total', () => {
    const keys = createBorderKeys();
    keys.keep('by name', page, recordsAt(9, 'a', 'b', 'c', 'd'));
    expect(keys.recall('by name of 40', page, recordsAt(10, 'b', 'c'), order).keys.size).toBe(0);
  });

  it.each([
    ['first', recordsAt(10, 'x', 'c')],
    ['last', recordsAt(10, 'b', 'x')],
  ])('are not relied on once the %s row of the page has moved', (_which, shown) => {
    const keys = createBorderKeys();
    keys.keep('by name', page, recordsAt(9, 'a', 'b', 'c', 'd'));
    expect(keys.recall('by name', page, shown, order)).toEqual({ keys: new Map(), leftMs: Infinity });
  });

  it('are none of a page that was never read', () => {
    expect(createBorderKeys().recall('by name', page, recordsAt(10, 'b', 'c'), order)).toEqual({
      ...{ keys: new Map(), leftMs: Infinity },
    });
  });
});
