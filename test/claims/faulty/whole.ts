import { type FaultySpec, faultyServices } from '../harness/faulty-services.ts';
import { drawn } from '../harness/records.ts';
import { paging } from '../harness/steps.ts';

const specs: readonly FaultySpec[] = [
  {
    what: 'whole list: cut off at 100 rows',
    breaks: paging(({ rows }) => ({ rows: rows.slice(0, 100) })),
    shapes: ['whole products', 'whole users'],
    when: ['always', 'every third time', 'only after a write'],
  },
  {
    what: 'whole list: cut off at 50 rows',
    breaks: paging(({ rows }) => ({ rows: rows.slice(0, 50) })),
    shapes: ['whole products', 'whole users'],
  },
  {
    what: 'whole list: cut off at 93 rows',
    breaks: paging(({ rows }) => ({ rows: rows.slice(0, 93) })),
    shapes: ['whole users'],
    fast: ['always'],
  },
  {
    what: 'whole list: cut off at 10 rows with a filter',
    breaks: paging(({ rows }) => ({ rows: rows.slice(0, 10) })),
    shapes: ['whole products'],
    when: ['only with a filter'],
  },
  {
    what: 'whole list: a row comes twice',
    breaks: paging(({ rows }) => ({ rows: [...rows, ...rows.slice(0, 1)] })),
    shapes: ['whole products', 'whole users'],
    when: ['always', 'every third time'],
  },
  {
    what: 'whole list: rows are missing now and then',
    breaks: paging(({ rows }, { number }) => ({
      rows: rows.filter((_row, n) => drawn(n * 31 + number, 40) > 0),
    })),
    shapes: ['whole products', 'whole users'],
  },
];

/** Lists that come in one call, and are not whole. */
export const faultyWholeLists = specs.flatMap(faultyServices);
