import { compareIds, compareTexts } from '../../support/model/contract-model.ts';
import type { Ask } from '../harness/ask.ts';
import { type FaultySpec, faultyServices } from '../harness/faulty-services.ts';
import { drawn, type StoredRecord } from '../harness/records.ts';
import { asking, byId, ordering, sortedBy, withoutAccents } from '../harness/steps.ts';
import type { Breaks } from '../harness/start-service.ts';

type Compare = (a: string, b: string) => number;

/** How rows are sorted: values by a function, unknown ones at a place, ties by another. */
type SortWay = {
  readonly compare?: Compare;
  /** Where unknown values are: `largest` and `smallest` turn round with the direction. */
  readonly unknown?: 'last' | 'first' | 'largest' | 'smallest';
  readonly ties?: (a: StoredRecord, b: StoredRecord, ask: Ask) => number;
  readonly isDirected?: boolean;
};

const correctCompare = (field: string): Compare => (field === 'id' ? compareIds : compareTexts);
const ascendingId = (a: StoredRecord, b: StoredRecord) => compareIds(a.record.id, b.record.id);

/** Whether an unknown value stands in front. */
function isInFront(unknown: SortWay['unknown'], descending: boolean): boolean {
  if (unknown === 'first') return true;
  return unknown === 'largest' ? descending : unknown === 'smallest' && !descending;
}

/** Sorts a field in another way than the contract's; other fields as it should. */
function sortingBy(field: string | undefined, way: SortWay): Breaks {
  return ordering((rows, ask) => {
    const { sort } = ask;
    if (sort === undefined || (field !== undefined && sort.field !== field)) return rows;
    const { unknown = 'last', ties = ascendingId, isDirected = true } = way;
    const compare = way.compare ?? correctCompare(sort.field);
    const sign = sort.descending && isDirected ? -1 : 1;
    return sortedBy(rows, (a, b) => {
      const [left, right] = [a.record[sort.field] ?? null, b.record[sort.field] ?? null];
      if (left === null && right === null) return ties(a, b, ask);
      if (left === null || right === null)
        return (left === null) === isInFront(unknown, sort.descending) ? -1 : 1;
      return sign * compare(left, right) || ties(a, b, ask);
    });
  });
}

const byDay: Compare = (a, b) => compareTexts(a.slice(8, 10) + a.slice(5, 7), b.slice(8, 10) + b.slice(5, 7));
const noisy = (a: StoredRecord, b: StoredRecord, { number }: Ask) =>
  drawn(Number(a.record.id.replace(/\D/g, '')) + number, 997) -
  drawn(Number(b.record.id.replace(/\D/g, '')) + number, 997);

const specs: readonly FaultySpec[] = [
  {
    what: 'sort: ignored',
    breaks: ordering((rows) => byId(rows)),
    shapes: ['offset users', 'zero page users'],
    when: ['always', 'only descending', 'every third time', 'only behind page 3', 'only at a large offset'],
  },
  ...['name', 'email', 'created_at'].map((field) => ({
    what: `sort: ${field} ignored`,
    breaks: ordering((rows, { sort }) => (sort?.field === field ? byId(rows) : rows)),
    shapes: ['page users' as const],
  })),
  {
    what: 'sort: the direction ignored',
    breaks: sortingBy(undefined, { isDirected: false }),
    shapes: ['offset users', 'text id users'],
  },
  ...(['name', 'email'] as const).map((field) => ({
    what: `sort: ${field} without regard to case`,
    breaks: sortingBy(field, { compare: (a, b) => compareTexts(a.toLowerCase(), b.toLowerCase()) }),
    shapes: ['offset users' as const],
    when: ['always', 'only descending'] as const,
  })),
  {
    what: 'sort: name by the rules of a language',
    breaks: sortingBy('name', { compare: (a, b) => a.localeCompare(b, 'de') }),
    shapes: ['page users', 'uncounted users'],
  },
  {
    what: 'sort: name without accents',
    breaks: sortingBy('name', { compare: (a, b) => compareTexts(withoutAccents(a), withoutAccents(b)) }),
    shapes: ['offset users'],
  },
  {
    what: 'sort: numbers in names by their value',
    breaks: sortingBy('name', {
      compare: (a, b) => a.localeCompare(b, 'en', { numeric: true, caseFirst: 'upper' }),
    }),
    shapes: ['one offset users'],
  },
  ...(['name', 'email', 'created_at'] as const).flatMap((field) =>
    (['first', 'largest', 'smallest'] as const).map((unknown) => ({
      what: `sort: ${field} with unknown values ${unknown}`,
      breaks: sortingBy(field, { unknown }),
      shapes: ['offset users' as const],
      fast: field === 'created_at' && unknown === 'largest' ? (['always'] as const) : [],
    })),
  ),
  ...(['name', 'email', 'created_at'] as const).map((field) => ({
    what: `sort: ties of ${field} by descending id`,
    breaks: sortingBy(field, { ties: (a, b) => -ascendingId(a, b) }),
    shapes: ['offset users' as const],
    when: field === 'name' ? (['always', 'only descending'] as const) : (['always'] as const),
  })),
  {
    what: 'sort: ties in another order at each call',
    breaks: sortingBy(undefined, { ties: noisy }),
    shapes: ['offset users', 'echoing users'],
    when: ['always', 'only behind page 3'],
    fast: ['always'],
  },
  {
    what: 'sort: unknown values in another order at each call',
    breaks: ordering((rows, ask) => {
      const { field } = ask.sort ?? { field: 'id' };
      const known = rows.filter(({ record }) => record[field] !== null);
      return [
        ...known,
        ...sortedBy(
          rows.filter(({ record }) => record[field] === null),
          (a, b) => noisy(a, b, ask),
        ),
      ];
    }),
    shapes: ['page users'],
  },
  {
    what: 'sort: ids as text',
    breaks: sortingBy('id', { compare: compareTexts }),
    shapes: ['sorted products', 'offset users'],
    when: ['always', 'only with a filter'],
  },
  {
    what: 'sort: dates by their day',
    breaks: sortingBy('created_at', { compare: byDay }),
    shapes: ['offset users'],
  },
  {
    what: 'sort: dates without their time',
    breaks: sortingBy('created_at', { compare: (a, b) => compareTexts(a.slice(0, 7), b.slice(0, 7)) }),
    shapes: ['page users'],
  },
  {
    what: 'sort: within each page only',
    breaks: (correct) => ({
      order: (_ask, rows) => byId(rows),
      window: (ask, rows) => {
        const windowed = correct.window(ask, rows);
        return { ...windowed, rows: correct.order(ask, windowed.rows) };
      },
    }),
    shapes: ['offset users', 'page users'],
    when: ['always', 'only behind page 3'],
  },
  {
    what: 'sort: by another column',
    breaks: asking(({ sort }) => (sort?.field === 'email' ? { sort: { ...sort, field: 'name' } } : {})),
    shapes: ['offset users'],
  },
  {
    what: 'sort: kept from before a write',
    breaks: (correct, { before }) => ({
      order: (ask, rows) => {
        const ranks = new Map(correct.order(ask, before).map(({ record }, rank) => [record.id, rank]));
        const rank = ({ record }: StoredRecord) => ranks.get(record.id) ?? Infinity;
        return sortedBy(byId(rows), (a, b) => (rank(a) === rank(b) ? 0 : rank(a) - rank(b)));
      },
    }),
    shapes: ['offset users', 'page users'],
    when: ['only after a write'],
  },
  {
    what: 'sort: ignored, with a filter',
    breaks: ordering((rows) => rows.toReversed()),
    shapes: ['sorted products'],
    when: ['only with a filter and a sort', 'only with two filters'],
  },
];

/** Sorts that are not the contract's, by field and direction. */
export const faultySorts = specs.flatMap(faultyServices);
