import type { Ask } from '../harness/ask.ts';
import type { Breaks } from '../harness/start-service.ts';
import type { StoredRecord } from '../harness/records.ts';
import type { ListTree, ValueCase } from './run-case.ts';

type Records = readonly StoredRecord[];

/** Categories that are difficult to send, to quote or to compare, each on a few rows. */
const DIFFICULT = [
  ...[
    '10',
    '010',
    '1e3',
    '17.0',
    'null',
    'N/A',
    '-',
    'undefined',
    "Kid's",
    'Tools & More',
    'Café',
    'Cafe\u0301',
  ],
  ...[
    'say "hi"',
    'C++',
    '50% off',
    'back\\slash',
    'snake_case',
    'star*',
    'a,b',
    'a;b',
    'x/y',
    'No #1',
    '(old)',
  ],
  ...['key:value', 'Toys', 'toys', 'a=b', 'a<b', 'a|b', '[a]', '{a}', 'why?', '~home', '$5', '^up', 'dot.'],
  ...['Garden', 'Tools', 'Books', 'Music'],
];

const withDifficult = (records: Records): Records =>
  records.map((one, n) => ({
    ...one,
    record: { ...one.record, category: n % 13 === 12 ? null : DIFFICULT[n % DIFFICULT.length]! },
  }));

const everyCategory = DIFFICULT.map((category) => ({ category, limit: '50' }));

/** Compares categories otherwise where one of the two is special. */
const comparing =
  (equals: (own: string, wanted: string) => boolean): Breaks =>
  (correct) => ({
    matches(ask, record) {
      const own = record['category'] ?? null;
      if (ask.category === undefined || own === null) return correct.matches(ask, record);
      return equals(own, ask.category) && correct.matches({ ...ask, category: own }, record);
    },
  });

/** Reads the value of a category in an expression, and unescapes it in a way of its own. */
const inExpression =
  (pattern: RegExp, unescape: (text: string) => string): Breaks =>
  (correct) => ({
    ask(ask: Ask) {
      const text = pattern.exec(ask.query.get('query') ?? '')?.[1];
      return { ...correct.ask(ask), category: text === undefined ? undefined : unescape(text) };
    },
  });

const expression =
  (expr: string, escape: string, place = '{filter}') =>
  (list: ListTree): void => {
    const request = list['request'] as { query: Record<string, string> };
    request.query['query'] = place;
    list.filters['category'] = { eq: { expr, escape, exactness: 'exact' } };
  };

const asIs = (text: string) => text;
const DOUBLE = /^category = "(.*)"$/s;
const SINGLE = /^category = '(.*)'$/s;
const IN_JSON = /^\{"\$and":\[\{"category":"(.*)"\}\]\}$/s;

const base = { records: withDifficult, looks: [], disabled: [] } as const;

/** A service whose comparison of one kind of value is careless. */
function careless(what: string, equals: (own: string, wanted: string) => boolean): ValueCase {
  return {
    ...{ ...base, name: `values: ${what}`, shape: 'offset products', breaks: comparing(equals) },
    ...{ file: () => undefined, differs: true, asks: [] },
  };
}

/** A file whose escape is not that of the service: with the quotes that doctor proposes, all answers are right. */
function quoted(
  name: string,
  says: string,
  breaks: Breaks,
  wrong: (list: ListTree) => void,
  right: (list: ListTree) => void,
) {
  const one = { ...base, shape: 'offset products', breaks } as const;
  return [
    { ...one, name: `values: ${name}`, file: wrong, differs: true, says, asks: [] },
    { ...one, name: `values: ${name}, corrected`, file: right, differs: false, asks: everyCategory },
  ] satisfies readonly ValueCase[];
}

const correct = { ...base, differs: false, asks: everyCategory } as const;

/** Services that do not take every value as it is, and files that say so or do not. */
export const quotingCases: readonly ValueCase[] = [
  ...quoted(
    'a backslash is not unescaped between double quotes',
    'double_quotes',
    inExpression(DOUBLE, asIs),
    expression('category = {value}', 'json'),
    expression('category = {value}', 'double_quotes'),
  ),
  ...quoted(
    'a double quote is unescaped, and a backslash is not',
    'double_quotes',
    inExpression(DOUBLE, (text) => text.replaceAll('\\"', '"')),
    expression('category = {value}', 'lucene'),
    expression('category = {value}', 'double_quotes'),
  ),
  ...quoted(
    'a backslash is an escape between single quotes',
    'single_quotes',
    inExpression(SINGLE, (text) => text.replaceAll("''", "'").replaceAll(/\\(.)/g, '$1')),
    expression('category = {value}', 'sql'),
    expression('category = {value}', 'single_quotes'),
  ),
  {
    ...{ ...base, name: 'values: a draft of quotes that nothing unescapes', shape: 'offset products' },
    ...{ breaks: inExpression(IN_JSON, asIs), file: 'infer', differs: false, asks: everyCategory },
    says: 'double_quotes',
  },
  careless('a percent sign is a pattern', (own, wanted) =>
    wanted.includes('%') ? own.startsWith(wanted.split('%')[0]!) && own !== wanted : own === wanted,
  ),
  careless('an underscore is any character', (own, wanted) =>
    new RegExp(`^${wanted.replaceAll(/[^\w ]/g, '\\$&').replaceAll('_', '.')}x?$`).test(own)
      ? !wanted.includes('_')
      : own === wanted,
  ),
  careless('a comma separates values', (own, wanted) => wanted.split(',').includes(own)),
  careless('a colon is an operator', (own, wanted) => own === wanted.split(':').at(-1)),
  careless('a parenthesis is dropped', (own, wanted) => own === wanted.replaceAll(/[()]/g, '')),
  careless('a hash ends the value', (own, wanted) => own === wanted.split('#')[0]),
  careless('accents have one form', (own, wanted) => own.normalize('NFC') === wanted.normalize('NFC')),
  careless('an exponent is a number', (own, wanted) =>
    /^[\d.]+(e\d+)?$/.test(wanted) ? Number(own) === Number(wanted) && !wanted.includes('e') : own === wanted,
  ),
  careless('a dash is no value', (own, wanted) => wanted !== '-' && own === wanted),
  careless('a plain value is lost', (own, wanted) => own !== 'Music' && own === wanted),
  ...(['offset products', 'cursor products', 'uncounted products'] as const).map((shape) => ({
    ...{ ...correct, shape, name: `values: difficult ones (${shape}, correct)`, file: () => undefined },
  })),
  {
    ...{ ...correct, name: 'values: in JSON texts (correct)', shape: 'offset products' },
    breaks: inExpression(DOUBLE, (text) => JSON.parse(`"${text}"`) as string),
    file: expression('category = {value}', 'json'),
  },
];
