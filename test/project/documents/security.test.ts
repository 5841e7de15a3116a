import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { matrix } from '../../faults/matrix.ts';

const root = new URL('../../../', import.meta.url).pathname;
const text = readFileSync(join(root, 'config/docs/security.md'), 'utf8');

/** The rows of the table, by item, each with what it names. */
const items = [...text.matchAll(/^\| (API\d+) .*?\| (.*) \|$/gm)].map(([, item = '', shown = '']) => ({
  item,
  shown: shown.split(', ').map((one) => one.trim().replaceAll('`', '')),
}));

describe('the table of the OWASP API Security Top 10', () => {
  it('has all ten items', () => {
    expect(items.map(({ item }) => item)).toEqual(
      Array.from({ length: 10 }, (_, index) => `API${index + 1}`),
    );
  });

  it.each(items)('names for $item only tests and rows that there are', ({ shown }) => {
    const rows = new Set(matrix.map(({ id }) => id));
    expect(
      shown.filter((one) => !(one.startsWith('test/') ? existsSync(join(root, one)) : rows.has(one))),
    ).toEqual([]);
  });

  it('leaves no row of security out', () => {
    const named = items.flatMap(({ shown }) => shown);
    const rows = matrix.map(({ id }) => id).filter((id) => id.startsWith('S'));
    expect(rows.filter((id) => !named.includes(id))).toEqual([]);
    expect(rows).toHaveLength(21);
  });
});
