import fc from 'fast-check';
import { type Capabilities, possible, type Row } from './capabilities.ts';
import { type Asks, type Question, questionsOf, rowsOf } from './rows.ts';

/** What an upstream does and what its source file says, its rows, and questions about them. */
export type ModelCase = {
  readonly does: Capabilities;
  readonly says: Capabilities;
  readonly lie: Lie | undefined;
  readonly rows: readonly Row[];
  readonly questions: readonly Question[];
};

const PAST_END = ['empty', 'last', 'wrap', 400, 404, 416] as const;
const MISSING = ['404', 'empty 404', '403', '200 null', '200 []', '200 code', '500 fault'] as const;
const SORT_LIES = ['unstable', 'collation', 'ignored'] as const;

const capabilities: fc.Arbitrary<Capabilities> = fc
  .record({
    resource: fc.constantFrom('users', 'products'),
    format: fc.constantFrom('json', 'xml', 'csv', 'ndjson'),
    rows: fc.constantFrom('list', 'list', 'nodes', 'map', 'table', 'columns'),
    ids: fc.constantFrom('number', 'padded', 'uuid', 'odd'),
    coded: fc.boolean(),
    style: fc.constantFrom('query', 'json', 'form'),
    ask: fc.constantFrom('parameters', 'expression', 'items'),
    window: fc.constantFrom('offset', 'page', 'offset', 'page', 'cursor', 'link', 'keyset', 'none'),
    base: fc.constantFrom<0 | 1>(0, 1),
    size: fc.integer({ min: 1, max: 9 }),
    depth: fc.option(fc.integer({ min: 1, max: 20 }), { nil: undefined, freq: 2 }),
    pastEnd: fc.constantFrom(...PAST_END),
    total: fc.constantFrom('path', 'header', 'count', 'bound', 'none'),
    counts: fc.constantFrom('filtered', 'filtered', 'all'),
    totalError: fc.constant(0),
    filter: fc.constantFrom('exact', 'exact', 'superset', 'none'),
    sort: fc.constantFrom('right', 'right', 'none'),
    order: fc.constantFrom('id', 'id', 'own', 'unsaid'),
    hides: fc.constantFrom(false, false, false, true),
    marks: fc.boolean(),
    lacks: fc.constantFrom('nothing', 'nothing', 'some', 'all'),
    details: fc.constant('own'),
    missing: fc.constantFrom(...MISSING),
  })
  .map(possible);

const LIES = [
  'clamp',
  'total',
  'counts',
  'filter',
  'late filter',
  'sort',
  'order',
  'pastEnd',
  'missing',
  'details',
] as const;
type Lie = (typeof LIES)[number];

/** Lies that show only where all rows are looked at. */
const WHOLE: readonly Lie[] = ['total', 'counts', 'filter', 'late filter', 'sort', 'order', 'details'];

const pick = <T>(values: readonly T[], n: number): T => values[n % values.length]!;

/** Whether a lie fits what a source file says; what nobody could see is told in `model-upstream.ts`. */
function fits(says: Capabilities, lie: Lie): boolean {
  const { window, size, total, counts, hides, marks, filter, order, depth, pastEnd, format, missing } = says;
  const numbered = window === 'offset' || window === 'page';
  const counted = total !== 'none' && total !== 'bound' && counts === 'filtered' && !hides;
  switch (lie) {
    case 'clamp':
      return numbered && size > 1 && !hides;
    case 'total':
      return counted && depth === undefined && pastEnd !== 'last' && pastEnd !== 'wrap';
    case 'counts':
      return counted;
    case 'late filter':
      return filter === 'exact' && counted && total !== 'count';
    case 'order':
      return (
        window !== 'keyset' &&
        order !== 'own' &&
        pastEnd !== 'last' &&
        pastEnd !== 'wrap' &&
        (marks || !hides)
      );
    case 'pastEnd':
      return numbered;
    case 'missing':
      // There, another form of reply is the very sign that nothing was found.
      return format !== 'json' || missing !== '200 []';
    case 'details':
      return says.lacks !== 'nothing';
    default:
      return true;
  }
}

/** What an upstream does that its source file denies. */
function broken(says: Capabilities, lie: Lie, n: number): Capabilities {
  switch (lie) {
    case 'clamp':
      return { ...says, size: 1 + (n % (says.size - 1)) };
    case 'total':
      return { ...says, totalError: pick([1, 2, 3, -1, -2, -3, NaN], n) };
    case 'counts':
      return { ...says, counts: 'all' };
    case 'filter':
      return { ...says, filter: 'ignored' };
    case 'late filter':
      return { ...says, filter: 'pageLocal' };
    case 'sort':
      return { ...says, sort: pick(SORT_LIES, n) };
    case 'order':
      return { ...says, order: pick(['unsaid', 'random'] as const, n) };
    case 'pastEnd':
      return { ...says, pastEnd: pick(PAST_END, n) };
    case 'missing':
      return possible({ ...says, missing: pick(MISSING, n) });
    case 'details':
      // Nobody can know that a record is there which is nowhere but in the list.
      return { ...says, details: says.resource === 'users' ? 'other' : pick(['other', 'gone'] as const, n) };
  }
}

/** Cases in which the source file says what is true. */
export const truthfulCase: fc.Arbitrary<ModelCase> = capabilities.chain((can) =>
  fc.record({
    does: fc.constant(can),
    says: fc.constant(can),
    lie: fc.constant(undefined),
    rows: rowsOf(can),
    questions: questionsOf(can, 'any'),
  }),
);

/** A filter that is not kept shows behind the last row only where the last window has all the rows. */
const isInOneWindow = (lie: Lie, n: number) => (lie === 'filter' || lie === 'late filter') && n % 2 === 1;

/** The pages on which a lie shows. */
function asksOf({ pastEnd }: Capabilities, lie: Lie, n: number): Asks {
  if (!WHOLE.includes(lie)) return 'any';
  const isFilter = lie === 'filter' || lie === 'late filter';
  const again = pastEnd === 'last' || pastEnd === 'wrap';
  return (isFilter && !isInOneWindow(lie, n)) || (lie === 'counts' && again) || lie === 'total'
    ? 'whole'
    : 'whole or past';
}

/** Cases in which the source file says something that the upstream does not do. */
export const lyingCase: fc.Arbitrary<ModelCase> = fc
  .record({ says: capabilities, lie: fc.constantFrom(...LIES), n: fc.nat(100) })
  .filter(({ says, lie }) => fits(says, lie))
  .chain(({ says, lie, n }) =>
    fc.record({
      does: fc.constant(broken(says, lie, n)),
      says: fc.constant(says),
      lie: fc.constant(lie),
      rows: rowsOf(says).map((rows) => (isInOneWindow(lie, n) ? rows.slice(0, says.size) : rows)),
      questions: questionsOf(says, asksOf(says, lie, n)),
    }),
  );
