import { type FaultySpec, faultyServices } from '../harness/faulty-services.ts';
import { byId, ordering, sortedBy, swapped } from '../harness/steps.ts';
import { drawn } from '../harness/records.ts';

const specs: readonly FaultySpec[] = [
  {
    what: 'order: descending',
    breaks: ordering((rows) => rows.toReversed()),
    shapes: ['offset products', 'link products', 'cursor users'],
    when: ['always', 'only with a filter', 'every third time'],
  },
  {
    what: 'order: another one at each call',
    breaks: ordering((rows, { number }) =>
      sortedBy(rows, (a, b) => noise(a.record.id, number) - noise(b.record.id, number)),
    ),
    shapes: ['offset products', 'uncounted products', 'own order products', 'link users', 'unsorted users'],
  },
  {
    what: 'order: two rows in the wrong place',
    breaks: ordering((rows) => swapped(rows, 60)),
    shapes: ['offset products', 'page products', 'cursor products'],
  },
  {
    what: 'order: the last two rows in the wrong place',
    breaks: ordering((rows) => swapped(rows, -2)),
    shapes: ['page products', 'offset products'],
    when: ['always', 'only with a filter'],
  },
  {
    what: 'order: two rows change places at the end of a page',
    breaks: ordering((rows, { first, size }) => swapped(rows, first + size - 1)),
    shapes: ['offset products', 'page products'],
    when: ['always', 'only behind page 3'],
  },
  {
    what: 'order: ids as text',
    breaks: ordering((rows) => sortedBy(rows, (a, b) => (a.record.id < b.record.id ? -1 : 1))),
    shapes: ['offset products', 'keyset products', 'cursor users'],
    fast: ['always'],
  },
  {
    what: 'order: by name',
    breaks: ordering((rows) =>
      sortedBy(rows, (a, b) => (a.record['name'] ?? '').localeCompare(b.record['name'] ?? '')),
    ),
    shapes: ['page products'],
    when: ['only with a filter', 'only with two filters', 'only with a category'],
  },
  {
    what: 'order: new rows come first',
    breaks: ordering((rows, _ask, { before }) => {
      const old = new Set(before.map(({ record }) => record.id));
      return [
        ...rows.filter(({ record }) => !old.has(record.id)),
        ...byId(rows.filter(({ record }) => old.has(record.id))),
      ];
    }),
    shapes: ['offset products', 'cursor users', 'link products'],
    when: ['only after a write'],
  },
  {
    what: 'order: changed rows come last',
    breaks: ordering((rows, _ask, { before }) => {
      const old = new Set(before);
      return [...rows.filter((row) => old.has(row)), ...rows.filter((row) => !old.has(row))];
    }),
    shapes: ['page products', 'keyset products'],
    when: ['only after a write'],
  },
  {
    what: 'order: its own one changes with the size',
    breaks: ordering((rows, { size }) =>
      sortedBy(rows, (a, b) => noise(a.record.id, size) - noise(b.record.id, size)),
    ),
    shapes: ['own order products', 'unsorted users'],
  },
];

/** A number that looks like any other, the same for the same two. */
function noise(id: string, salt: number): number {
  return drawn(Array.from(id).reduce((sum, c) => sum * 33 + c.charCodeAt(0), salt * 7_919) | 0, 1_000_003);
}

/** Orders that are not the one that the file names. */
export const faultyOrders = specs.flatMap(faultyServices);
