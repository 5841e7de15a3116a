import { filtersOf } from '../harness/ask.ts';
import { type FaultySpec, faultyServices } from '../harness/faulty-services.ts';
import type { Breaks } from '../harness/start-service.ts';
import { drawn } from '../harness/records.ts';

/** Filters after paging: pages of the unfiltered list, with the rows taken out that do not match. */
const afterPaging =
  ({ counts }: { counts: 'all' | 'filtered' }): Breaks =>
  (correct, store) => ({
    matches: () => true,
    window: (ask, rows) => {
      const windowed = correct.window(ask, rows);
      return { ...windowed, rows: windowed.rows.filter(({ record }) => correct.matches(ask, record)) };
    },
    total: (ask, _matched, all) =>
      counts === 'all' ? all : store.records.filter(({ record }) => correct.matches(ask, record)).length,
  });

/** Leaves rows out, of the window and of the total, as if they were not there. */
const hiding =
  (isHidden: (n: number, all: number) => boolean): Breaks =>
  (correct) => ({
    select: (ask, all) => correct.select(ask, all).filter((_row, n) => !isHidden(n, all.length)),
  });

const NOBODY =
  'the rows are in no list and no total at any time, and no single view exists: nothing tells them from rows that are not there';

const specs: readonly FaultySpec[] = [
  {
    what: 'filter: after paging, and the total counts all rows',
    breaks: afterPaging({ counts: 'all' }),
    shapes: ['offset products', 'page products', 'cursor products', 'loosely counted products'],
    when: ['always', 'only with two filters', 'only with a category'],
    fast: ['always'],
  },
  {
    what: 'filter: after paging, and the total counts what matches',
    breaks: afterPaging({ counts: 'filtered' }),
    shapes: ['offset products', 'page products', 'link products'],
    when: ['always', 'only with a lower bound'],
  },
  {
    what: 'filter: after paging, without a total',
    breaks: afterPaging({ counts: 'filtered' }),
    shapes: ['uncounted products'],
  },
  {
    what: 'filter: looks at the first 100 rows only',
    breaks: (correct) => ({
      select: (ask, all) =>
        filtersOf(ask) > 0 ? correct.select(ask, all).slice(0, 100) : correct.select(ask, all),
    }),
    shapes: ['offset products', 'uncounted products', 'whole products'],
  },
  {
    what: 'filter: leaves out the last row that matches',
    breaks: (correct) => ({
      select: (ask, all) => {
        const last = correct.select(ask, all).findLast(({ record }) => correct.matches(ask, record));
        return all.filter((row) => row !== last);
      },
    }),
    shapes: ['offset products', 'page products'],
    when: ['only with a filter', 'only with two filters', 'only with a category'],
  },
  {
    what: 'filter: leaves out every ninth row',
    breaks: hiding((n) => n % 9 === 2),
    shapes: ['offset products', 'cursor products', 'uncounted products', 'whole products'],
    when: ['only with a filter', 'only with a lower bound', 'only with two filters'],
    fast: ['only with two filters'],
  },
  {
    what: 'filter: by the values before a write',
    breaks: (correct, { before }) => {
      const old = new Map(before.map((row) => [row.record.id, row.record]));
      return { matches: (ask, record) => correct.matches(ask, old.get(record.id) ?? record) };
    },
    shapes: ['offset products', 'uncounted products', 'cursor products'],
    when: ['only after a write'],
  },
  {
    what: 'filter: does not see new rows',
    breaks: (correct, { before }) => {
      const old = new Set(before.map(({ record }) => record.id));
      return {
        select: (ask, all) =>
          filtersOf(ask) > 0 ? all.filter(({ record }) => old.has(record.id)) : correct.select(ask, all),
      };
    },
    shapes: ['offset products', 'page products'],
    when: ['only after a write'],
  },
  {
    what: 'rows: some are hidden',
    breaks: hiding((n) => n % 23 === 7),
    shapes: ['offset products', 'page products'],
    when: [
      'always',
      'only without a filter',
      'every third time',
      'only for small sizes',
      'only on the first page',
      'only for odd sizes',
    ],
    unseen: { always: NOBODY },
  },
  {
    what: 'rows: the list is kept from before a write',
    breaks: (_correct, { before }) => ({ select: () => before }),
    shapes: ['offset products', 'page users'],
    when: ['only after a write'],
    unseen: {
      'only after a write':
        'a list that is the same for every question and agrees with itself is a list; only one who wrote knows better',
    },
  },
  {
    what: 'rows: none, and a total of 0, as if nobody were there',
    breaks: (correct) => ({
      select: (ask, all) => (drawn(ask.number, 5) === 0 ? [] : correct.select(ask, all)),
    }),
    shapes: ['offset products', 'page users', 'cursor products', 'whole products'],
  },
];

/** Selections that leave rows out, or look at other rows than there are. */
export const faultySelections = specs.flatMap(faultyServices);
