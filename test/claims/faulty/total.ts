import { filtersOf } from '../harness/ask.ts';
import { type FaultySpec, faultyServices } from '../harness/faulty-services.ts';
import { totalling } from '../harness/steps.ts';

const specs: readonly FaultySpec[] = [
  {
    what: 'total: one too many',
    breaks: totalling((total) => total + 1),
    shapes: ['offset products', 'counted products'],
    when: [
      ...(['always', 'every third time', 'only with a filter', 'only with two filters'] as const),
      ...(['only on the first page', 'only behind page 3', 'only after a write'] as const),
    ],
    fast: ['only with a filter'],
  },
  {
    what: 'total: one too few',
    breaks: totalling((total) => total - 1),
    shapes: ['page products', 'offset users'],
    when: ['always', 'every seventh time', 'only for odd sizes', 'only with a filter'],
  },
  {
    what: 'total: of all rows, whatever the filter',
    breaks: totalling((_total, _ask, all) => all),
    shapes: [
      'offset products',
      'page products',
      'counted products',
      'cursor products',
      'checkpoint products',
    ],
    when: ['always', 'only with two filters', 'only with a category', 'only with a lower bound'],
  },
  {
    what: 'total: of all rows, for a few categories',
    breaks: totalling((total, { category }, all) =>
      category === 'Garden' || category === 'Toys' ? all : total,
    ),
    shapes: ['offset products'],
  },
  {
    what: 'total: rounded up to tens',
    breaks: totalling((total) => Math.ceil(total / 10) * 10),
    shapes: ['offset products', 'page users'],
    when: ['always', 'only with a filter'],
  },
  {
    what: 'total: 100 at most',
    breaks: totalling((total) => Math.min(total, 100)),
    shapes: ['offset products', 'page users', 'cursor products'],
  },
  {
    what: 'total: the rows so far, and one more',
    breaks: totalling((total, { first, size }) => Math.min(total, first + size + 1)),
    shapes: ['offset products', 'page users'],
  },
  {
    what: 'total: the rows that are left',
    breaks: totalling((total, { first }) => total - first),
    shapes: ['offset users', 'page products'],
  },
  {
    what: 'total: the size of the page',
    breaks: totalling((total, { first, size }) => Math.max(0, Math.min(size, total - first))),
    shapes: ['offset users'],
  },
  {
    what: 'total: none behind the last row',
    breaks: totalling((total, { first }) => (first >= total ? 0 : total)),
    shapes: ['offset products', 'page users'],
  },
  {
    what: 'total: none, although there are rows',
    breaks: totalling(() => 0),
    shapes: ['offset products', 'counted products'],
    when: ['only with two filters', 'only with a lower bound', 'every seventh time'],
  },
  {
    what: 'total: of the question before',
    breaks: (correct) => {
      let before = 0;
      return {
        total: (ask, matched, all) => {
          const told = before;
          before = correct.total(ask, matched, all);
          return told;
        },
      };
    },
    shapes: ['offset products'],
    when: ['always', 'every third time'],
  },
  {
    what: 'total: kept from before a write',
    breaks: (correct, { before }) => ({
      total: (ask) => {
        const matched = before.filter(({ record }) => correct.matches(ask, record));
        return correct.total(ask, matched.length, before.length);
      },
    }),
    shapes: ['offset products', 'counted products', 'page users', 'checkpoint products'],
    when: ['only after a write'],
    fast: ['only after a write'],
  },
  {
    what: 'total: without a category, of the rows that have one',
    breaks: (correct, store) => ({
      total: (ask, matched, all) =>
        filtersOf(ask) > 0
          ? correct.total(ask, matched, all)
          : store.records.filter(({ record }) => record['category'] !== null).length,
    }),
    shapes: ['offset products'],
  },
  {
    what: 'total: of rows that are no records too',
    breaks: totalling((total) => total + 3),
    shapes: ['marked products', 'loosely counted products'],
  },
];

/** Totals that are not the number of rows that match. */
export const faultyTotals = specs.flatMap(faultyServices);
