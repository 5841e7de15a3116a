import type { Leaf, Model } from './model.ts';
import { compareIds, compareValues, dayOf, isSame, jsonOf, readValue, type Shown } from './values.ts';

/** A record as clients see it, its values by the names of its fields. */
export type Truth = Readonly<Record<string, Shown>> & { readonly id: string };

/** What the answer must be: its bytes, or the parameter that is refused; 404 has neither. */
export type Wanted =
  | { readonly status: 200; readonly body: string }
  | { readonly status: 400; readonly parameter: string }
  | { readonly status: 404 | 502 };

type Test = (record: Truth) => boolean;

/** A bound of a field that a parameter has set. */
type Bound = { readonly name: string; readonly leaf: Leaf; readonly value: string; readonly isOpen: boolean };

type Conditions = { readonly tests: Test[]; readonly lows: Bound[]; readonly highs: Bound[] };

/** A value that is no list; `null` where it is unknown. */
function textIn(record: Truth, field: string): string | null {
  const value = record[field];
  return typeof value === 'string' ? value : null;
}

class Refused extends Error {
  readonly parameter: string;
  constructor(parameter: string) {
    super(parameter);
    this.parameter = parameter;
  }
}

const LOWS: Readonly<Record<string, boolean>> = { at_least: false, above: true, after: true };
const HIGHS: Readonly<Record<string, boolean>> = { at_most: false, below: true, before: true };

/** The bound of a whole day is its first instant, or the first one after it. */
function boundOf(name: string, leaf: Leaf, is: string, text: string, value: string | undefined): Bound {
  const day = leaf.kind === 'datetime' ? dayOf(text) : undefined;
  if (day !== undefined) {
    const atEnd = is === 'at_most' || is === 'after';
    return { name, leaf, value: atEnd ? day.high : day.low, isOpen: !Object.hasOwn(LOWS, is) };
  }
  if (value === undefined) throw new Refused(name);
  return { name, leaf, value, isOpen: (LOWS[is] ?? HIGHS[is])! };
}

function equalTest(leaf: Leaf, text: string, value: string | undefined, name: string): Test {
  const day = leaf.kind === 'datetime' ? dayOf(text) : undefined;
  if (value === undefined && day === undefined) throw new Refused(name);
  return (record) => {
    const own = textIn(record, leaf.name);
    if (own === null) return false;
    if (day === undefined) return isSame(leaf, own, value!);
    return compareValues(leaf, own, day.low) >= 0 && compareValues(leaf, own, day.high) < 0;
  };
}

/** Whether a list has a value; an instant is not asked for by its day. */
function hasTest({ field, name }: Model['filters'][number], leaf: Leaf, value: string | undefined): Test {
  if (value === undefined) throw new Refused(name);
  return (record) => {
    const own = record[field] ?? null;
    return Array.isArray(own) && own.some((one) => typeof one === 'string' && isSame(leaf, one, value));
  };
}

function add(
  model: Model,
  { tests, lows, highs }: Conditions,
  parameter: Model['filters'][number],
  text: string,
) {
  const { name, is, field } = parameter;
  const own = model.item.find((one) => one.name === field)!;
  const leaf = is === 'has' ? (own.list!.of as Leaf) : own;
  if (is === 'known') {
    if (text !== 'true' && text !== 'false') throw new Refused(name);
    tests.push((record) => ((record[field] ?? null) !== null) === (text === 'true'));
    return;
  }
  if (is === 'one_of') {
    const values = text.split(',').map((one) => readValue(leaf, one));
    if (values.includes(undefined) || values.length > (leaf.kind === 'id' ? 100 : 50))
      throw new Refused(name);
    tests.push((record) => {
      const text = textIn(record, field);
      return text !== null && values.some((one) => isSame(leaf, text, one!));
    });
    return;
  }
  const value = readValue(leaf, text);
  if (is === 'equal' || is === 'has') {
    tests.push(is === 'has' ? hasTest(parameter, leaf, value) : equalTest(leaf, text, value, name));
    return;
  }
  const bound = boundOf(name, leaf, is, text, value);
  const isLow = Object.hasOwn(LOWS, is);
  (isLow ? lows : highs).push(bound);
  tests.push((record) => {
    const have = textIn(record, field);
    if (have === null) return false;
    const order = compareValues(leaf, have, bound.value) * (isLow ? 1 : -1);
    return bound.isOpen ? order > 0 : order >= 0;
  });
}

/** Two bounds between which there is no value are a mistake of the client. */
function refuseContradictions({ lows, highs }: Conditions): void {
  for (const low of lows)
    for (const high of highs) {
      if (low.leaf !== high.leaf) continue;
      const order = compareValues(low.leaf, low.value, high.value);
      if (order > 0 || (order === 0 && (low.isOpen || high.isOpen))) throw new Refused(low.name);
    }
}

function wholeNumber(texts: readonly string[], name: string, usual: number, max: number, clamps: boolean) {
  if (texts.length > 1) throw new Refused(name);
  const [text] = texts;
  if (text === undefined) return usual;
  const number = /^\d+$/.test(text) ? Number(text) : NaN;
  if (clamps && number > max) return max;
  if (!(number >= 1 && number <= max)) throw new Refused(name);
  return number;
}

/** Compares in the contract's order: unknown values last in both directions, equal ones by id. */
export function orderOf(model: Model, sort: string): (a: Truth, b: Truth) => number {
  const isDescending = sort.startsWith('-');
  const leaf = model.item.find(({ name }) => name === sort.replace(/^-/, ''))!;
  return (a, b) => {
    const [left, right] = [textIn(a, leaf.name), textIn(b, leaf.name)];
    const byId = compareIds(a.id, b.id, model.start);
    if (left === null || right === null) return left === right ? byId : left === null ? 1 : -1;
    return compareValues(leaf, left, right) * (isDescending ? -1 : 1) || byId;
  };
}

function write(leaves: readonly Leaf[], record: Truth, depth = 0): string {
  const groups = new Map<string, Leaf[]>();
  for (const leaf of leaves) {
    const key = leaf.path[depth]!;
    groups.set(key, [...(groups.get(key) ?? []), leaf]);
  }
  const parts = [...groups].map(([key, inside]) => {
    const [first] = inside;
    const isValue = first!.path.length === depth + 1;
    const value = isValue ? jsonOf(first!, record[first!.name] ?? null) : write(inside, record, depth + 1);
    return `${JSON.stringify(key)}:${value}`;
  });
  return `{${parts.join(',')}}`;
}

function listOf(model: Model, records: readonly Truth[], parameters: URLSearchParams): string {
  const { pages } = model;
  const page = wholeNumber(parameters.getAll('page'), 'page', 1, 1_000_000_000, false);
  const limit = wholeNumber(parameters.getAll('limit'), 'limit', pages.default, pages.max, pages.clamps);
  const sorts = model.sorts.length === 0 ? [] : parameters.getAll('sort');
  const [sort = model.order] = sorts;
  if (sorts.length > 1 || (sorts.length === 1 && !model.sorts.includes(sort.replace(/^-/, ''))))
    throw new Refused('sort');
  const conditions: Conditions = { tests: [], lows: [], highs: [] };
  for (const filter of model.filters) {
    const texts = parameters.getAll(filter.name);
    if (texts.length > 1) throw new Refused(filter.name);
    if (texts.length === 1) add(model, conditions, filter, texts[0]!);
  }
  refuseContradictions(conditions);
  const found = records.filter((record) => conditions.tests.every((test) => test(record)));
  const shown = found.sort(orderOf(model, sort)).slice((page - 1) * limit, page * limit);
  const data = shown.map((record) => write(model.item, record)).join(',');
  return `{"data":[${data}],"meta":{"total":${found.length},"page":${page},"limit":${limit}}}`;
}

/** The records that clients see: one without a value that the contract requires is none. */
function visible(model: Model, records: readonly Truth[]): readonly Truth[] {
  const required = model.item.filter((leaf) => leaf.required);
  return records.filter((record) => required.every(({ name }) => (record[name] ?? null) !== null));
}

/**
 * What follows from it where a record that lacks a required value is a failure of the service, and every list reads all
 * records.
 */
export function failing(
  model: Model,
  records: readonly Truth[],
  wanted: Wanted,
  id: string | undefined,
): Wanted {
  const seen = new Set(visible(model, records));
  const broken = records.filter((record) => !seen.has(record));
  const isHit =
    id === undefined ? broken.length > 0 && wanted.status === 200 : broken.some((one) => one.id === id);
  return isHit ? { status: 502 } : wanted;
}

/** What a list must answer to a query string. */
export function wantedList(model: Model, records: readonly Truth[], query: string): Wanted {
  if (!model.hasList) return { status: 404 };
  try {
    return { status: 200, body: listOf(model, visible(model, records), new URLSearchParams(query)) };
  } catch (error) {
    if (error instanceof Refused) return { status: 400, parameter: error.parameter };
    throw error;
  }
}

/** What a single record must be. */
export function wantedSingle(model: Model, records: readonly Truth[], id: string): Wanted {
  const found = visible(model, records).find((record) => record.id === id);
  if (model.single === undefined || found === undefined) return { status: 404 };
  return { status: 200, body: `{"data":${write(model.single, found)}}` };
}
