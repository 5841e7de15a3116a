import { type FaultySpec, faultyServices } from '../harness/faulty-services.ts';
import { asking, both, paging, totalling } from '../harness/steps.ts';

const specs: readonly FaultySpec[] = [
  {
    what: 'window: the place is ignored',
    breaks: asking(() => ({ first: 0 })),
    shapes: ['offset products', 'page users', 'uncounted users', 'last end products'],
    when: ['always', 'only behind page 3', 'only with a filter', 'every third time'],
    fast: ['only behind page 3'],
  },
  {
    what: 'window: the place is ignored, of sorted rows',
    breaks: asking(() => ({ first: 0 })),
    shapes: ['page users', 'offset users', 'sorted products'],
    when: ['only with a sort', 'only descending'],
  },
  {
    what: 'window: 10 rows at most',
    breaks: asking(({ size }) => ({ size: Math.min(10, size) })),
    shapes: ['offset products', 'page products', 'uncounted products', 'cursor products', 'keyset products'],
    when: [
      'always',
      'only with a filter',
      'only behind page 3',
      'only for the largest size',
      'every third time',
    ],
    fast: ['only with a filter'],
  },
  {
    what: 'window: 10 rows at most, pages counted in the size asked for',
    breaks: paging(({ rows }) => ({ rows: rows.slice(0, 10) })),
    shapes: ['page products', 'page users', 'offset users', 'last end products', 'missing end products'],
    when: ['always', 'only behind page 3'],
  },
  {
    what: 'window: a constant size',
    breaks: asking((_ask, { traits }) => ({ size: traits.sizeMax })),
    shapes: ['offset products', 'page users', 'uncounted users'],
    when: ['always', 'only for small sizes'],
  },
  {
    what: 'window: one row less than asked for',
    breaks: asking(({ size }) => ({ size: Math.max(1, size - 1) })),
    shapes: ['offset users', 'page products', 'link users'],
    when: ['always', 'only for odd sizes', 'every seventh time'],
  },
  {
    what: 'window: one row more than asked for',
    breaks: paging((_windowed, { first, size }, rows) => ({ rows: rows.slice(first, first + size + 1) })),
    shapes: ['offset products', 'page users'],
    when: ['always', 'only behind page 3', 'only for odd sizes'],
  },
  {
    what: 'window: begins one row later',
    breaks: asking(({ first }) => ({ first: first + 1 })),
    shapes: ['offset products', 'offset users', 'uncounted products'],
    when: [
      'always',
      'only behind page 3',
      'only at a large offset',
      'only with a filter, behind the first page',
      'only at odd offsets',
    ],
  },
  {
    what: 'window: begins one row earlier',
    breaks: asking(({ first }) => ({ first: Math.max(0, first - 1) })),
    shapes: ['offset users', 'uncounted products'],
    when: ['always', 'only behind page 3', 'only with a sort'],
  },
  {
    what: 'window: begins at a multiple of its size',
    breaks: asking(({ first, size }) => ({ first: Math.floor(first / size) * size })),
    shapes: ['offset products', 'offset users', 'uncounted users'],
    fast: ['always'],
  },
  {
    what: 'window: numbers begin at 1',
    breaks: asking(({ first }) => ({ first: Math.max(0, first - 1) })),
    shapes: ['offset users'],
  },
  {
    what: 'window: numbers begin at 1',
    breaks: asking(({ first }) => ({ first: Math.max(0, first - 1) })),
    shapes: ['offset products'],
    when: ['only without a filter', 'only with a filter'],
  },
  {
    what: 'window: the first row is hidden after paging',
    breaks: paging(({ rows }, _ask, all) => ({ rows: rows.filter((row) => row !== all[0]) })),
    shapes: ['offset products', 'one offset users'],
    when: ['always', 'only without a filter'],
  },
  {
    what: 'window: pages begin at 0',
    breaks: asking(({ first, size }) => ({ first: first + size })),
    shapes: ['page products', 'page users'],
    when: ['always', 'only with a filter'],
  },
  {
    what: 'window: the pages 0 and 1 are the same',
    breaks: asking(({ first, size }) => ({ first: Math.max(0, first - size) })),
    shapes: ['zero page users'],
  },
  {
    what: 'window: empty behind row 100',
    breaks: paging(({ rows }, _ask, all) =>
      rows[0] !== undefined && all.indexOf(rows[0]) >= 100 ? { rows: [], next: undefined } : {},
    ),
    shapes: [
      'offset products',
      'page products',
      'uncounted users',
      'cursor products',
      'link users',
      'keyset products',
    ],
  },
  {
    what: 'window: empty behind row 100, and the total says so',
    breaks: both(
      paging(({ rows }, { first }) => ({ rows: rows.slice(0, Math.max(0, 100 - first)) })),
      totalling((total) => Math.min(100, total)),
    ),
    shapes: ['offset products'],
    unseen: {
      always:
        'the list and its total agree in every question: it is a list of the first 100 rows of each selection',
    },
  },
  {
    what: 'window: the first page again behind the last row',
    breaks: paging((windowed, { first, size }, rows) =>
      first >= rows.length ? { rows: rows.slice(0, size) } : windowed,
    ),
    shapes: ['offset products', 'page users', 'uncounted products', 'exact fit products'],
    when: ['always', 'only with a filter'],
  },
  {
    what: 'window: the last page again behind the last row',
    breaks: paging((windowed, { first, size }, rows) =>
      first >= rows.length ? { rows: rows.slice(-size) } : windowed,
    ),
    shapes: ['page users', 'offset products', 'uncounted users', 'exact fit products'],
    when: ['always', 'only with a sort'],
  },
  {
    what: 'window: the last row is missing',
    breaks: paging(({ rows }, _ask, all) => ({ rows: rows.filter((row) => row !== all.at(-1)) })),
    shapes: [
      'offset products',
      'uncounted products',
      'page users',
      'exact fit products',
      'cursor products',
      'link users',
    ],
  },
  {
    what: 'window: a row in the middle is missing',
    breaks: paging(({ rows }) => (rows.length > 6 ? { rows: rows.toSpliced(4, 1) } : {})),
    shapes: [
      'offset products',
      'page products',
      'uncounted products',
      'cursor products',
      'link users',
      'keyset products',
      'checkpoint products',
    ],
    when: ['always', 'every third time', 'only behind page 3', 'only with a filter'],
  },
  {
    what: 'window: a row comes twice',
    breaks: paging(({ rows }) =>
      rows.length > 6 ? { rows: [...rows.slice(0, 5), ...rows.slice(4, -1)] } : {},
    ),
    shapes: ['offset products', 'page users', 'cursor products', 'link products', 'uncounted users'],
    when: ['always', 'every third time', 'only behind page 3', 'only after a write'],
    fast: ['only behind page 3'],
  },
  {
    what: 'window: the last row of the page before comes again',
    breaks: paging(({ rows }, { first }, all) =>
      first > 0 && rows.length > 0 ? { rows: [all[first - 1]!, ...rows.slice(0, -1)] } : {},
    ),
    shapes: ['offset products', 'page users', 'cursor products'],
    when: ['always', 'only behind page 3'],
  },
  {
    what: 'window: rows of a deleted record',
    breaks: (correct, { before }) => ({
      select: (ask, all) =>
        correct.select(ask, [
          ...all,
          ...before.filter((row) => !all.some(({ record }) => record.id === row.record.id)),
        ]),
    }),
    shapes: ['page users', 'offset products'],
    when: ['only after a write'],
    unseen: {
      'only after a write':
        'the list and its total agree in every question; that somebody deleted the rows is known to nobody who only reads',
    },
  },
  {
    what: 'echo: another place than the rows are from',
    breaks: (correct) => ({
      window: (ask, rows) => correct.window({ ...ask, first: ask.first + 1 }, rows),
    }),
    shapes: ['echoing products', 'echoing users'],
    when: ['always', 'only behind page 3'],
  },
  {
    what: 'echo: the place and the size are others',
    breaks: asking(({ size }) => ({ size: Math.min(10, size) })),
    shapes: ['echoing products', 'echoing users'],
    when: ['always', 'only behind page 3', 'only for odd sizes'],
  },
];

/** Windows that hold other rows than those asked for. */
export const faultyWindows = specs.flatMap(faultyServices);
