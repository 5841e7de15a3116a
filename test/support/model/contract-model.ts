import type { ResourceName } from '../reference.ts';
/**
 * What the contract promises of a list, written down a second time: plainly, slowly, and without a line of the
 * gateway's own code. Tests compare the gateway with it.
 */

/** A value of a v1 record. A price is its exact decimal text, so that no digit is lost on the way. */
export type ModelValue = string | null;

/** A v1 record as a list shows it: `id`, `name`, `email`, `created_at`, or `id`, `name`, … `price`, `category`. */
export type ModelRecord = Readonly<Record<string, ModelValue>> & { readonly id: string };

/** Decoded query parameters; a repeated one is a list. Unknown ones may be there too. */
export type ModelParameters = Readonly<Record<string, string | readonly string[]>>;

/** A page, with prices as text. */
export type ModelPage = {
  readonly status: 200;
  readonly data: readonly ModelRecord[];
  readonly meta: { readonly total: number; readonly page: number; readonly limit: number };
};

/** `invalid_parameter`, and which of them. Where several are invalid, the one that is checked first. */
export type ModelRefusal = { readonly status: 400; readonly parameter: string };

/** What the operator chose (`contract.limitOverflow`). */
export type ModelRules = { readonly limitOverflow?: 'reject' | 'clamp' };

class Refused extends Error {
  readonly parameter: string;

  constructor(parameter: string) {
    super(`invalid: ${parameter}`);
    this.parameter = parameter;
  }
}

const FIELDS = {
  users: ['id', 'name', 'email', 'created_at'],
  products: ['id', 'name', 'description', 'price', 'category'],
} as const;

/** Digits, and a point between digits: the only way to write a price bound. */
const BOUND = /^[0-9]+(\.[0-9]+)?$/;

function single(parameters: ModelParameters, name: string): string | undefined {
  const given = Object.hasOwn(parameters, name) ? parameters[name] : undefined;
  if (given === undefined || typeof given === 'string') return given;
  if (given.length > 1) throw new Refused(name);
  return given[0];
}

function whole(parameters: ModelParameters, name: string, fallback: number, maximum: number, clamp: boolean) {
  const text = single(parameters, name);
  if (text === undefined) return fallback;
  if (!/^[0-9]+$/.test(text) || BigInt(text) < 1n) throw new Refused(name);
  if (BigInt(text) <= BigInt(maximum)) return Number(text);
  if (!clamp) throw new Refused(name);
  return maximum;
}

/** Negative, zero or positive: two plain decimals by their exact value. */
export function compareDecimals(a: string, b: string): number {
  const places = Math.max(...[a, b].map((text) => text.split('.')[1]?.length ?? 0));
  const scaled = (text: string) => {
    const [units = '', fraction = ''] = text.replace('-', '').split('.');
    const digits = BigInt(units + fraction.padEnd(places, '0'));
    return text.startsWith('-') ? -digits : digits;
  };
  return scaled(a) < scaled(b) ? -1 : scaled(a) > scaled(b) ? 1 : 0;
}

/** A sort compares a text many times over; it is taken apart once. */
const takenApart = new Map<string, readonly number[]>();

function codePoints(text: string): readonly number[] {
  const known = takenApart.get(text) ?? Array.from(text.normalize('NFC'), (c) => c.codePointAt(0)!);
  takenApart.set(text, known);
  return known;
}

/** Negative, zero or positive: two texts by their Unicode code points, after NFC. */
export function compareTexts(a: string, b: string): number {
  const [left, right] = [codePoints(a), codePoints(b)];
  for (let i = 0; i < Math.max(left.length, right.length); i += 1) {
    const difference = (left[i] ?? -1) - (right[i] ?? -1);
    if (difference !== 0) return difference;
  }
  return 0;
}

/** The number of an id such as `user_42`. */
function numberOf(id: string): bigint | undefined {
  const digits = /^[a-z]+_(0|[1-9][0-9]*)$/.exec(id)?.[1];
  return digits === undefined ? undefined : BigInt(digits);
}

/** Negative, zero or positive: numbered ids by their number, all others behind them as text. */
export function compareIds(a: string, b: string): number {
  const [left, right] = [numberOf(a), numberOf(b)];
  if (left !== undefined && right !== undefined) return left < right ? -1 : left > right ? 1 : 0;
  if (left === undefined && right === undefined) return compareTexts(a, b);
  return left === undefined ? 1 : -1;
}

function compareValues(field: string, a: string, b: string): number {
  if (field === 'id') return compareIds(a, b);
  if (field === 'created_at') return Date.parse(a) - Date.parse(b);
  return compareTexts(a, b);
}

/** The contract's order of records: by a field, unknown last in both directions, ties by ascending id. */
export function inOrder(records: readonly ModelRecord[], field: string, descending: boolean): ModelRecord[] {
  return [...records].sort((a, b) => {
    const [left, right] = [a[field] ?? null, b[field] ?? null];
    if (left === null && right === null) return compareIds(a.id, b.id);
    if (left === null || right === null) return left === null ? 1 : -1;
    return (descending ? -1 : 1) * compareValues(field, left, right) || compareIds(a.id, b.id);
  });
}

function sortOf(parameters: ModelParameters): { field: string; descending: boolean } {
  const text = single(parameters, 'sort');
  if (text === undefined) return { field: 'id', descending: false };
  const descending = text.startsWith('-');
  const field = descending ? text.slice(1) : text;
  if (!['id', 'name', 'email', 'created_at'].includes(field)) throw new Refused('sort');
  return { field, descending };
}

function boundOf(parameters: ModelParameters, name: string): string | undefined {
  const text = single(parameters, name);
  if (text !== undefined && !BOUND.test(text)) throw new Refused(name);
  return text;
}

/** What filters ask for; `undefined` where they do not. */
type Wanted = Readonly<Record<'category' | 'low' | 'high', string | undefined>>;

/** Whether a record is what filters ask for. */
export function isSelected({ category, low, high }: Wanted, record: ModelRecord): boolean {
  if (category !== undefined && record['category'] !== category) return false;
  if (low === undefined && high === undefined) return true;
  const price = record['price'] ?? null;
  if (price === null) return false;
  return (
    (low === undefined || compareDecimals(price, low) >= 0) &&
    (high === undefined || compareDecimals(price, high) <= 0)
  );
}

function selection(parameters: ModelParameters): (record: ModelRecord) => boolean {
  const category = single(parameters, 'category');
  if (category === '') throw new Refused('category');
  const low = boundOf(parameters, 'min_price');
  const high = boundOf(parameters, 'max_price');
  if (low !== undefined && high !== undefined && compareDecimals(low, high) > 0)
    throw new Refused('min_price');
  return (record) => isSelected({ category, low, high }, record);
}

/**
 * The answer to `GET /v1/users` or `GET /v1/products` for a source that holds exactly `records`, in any order, and
 * names no default order of its own.
 */
export function modelList(
  resource: ResourceName,
  records: readonly ModelRecord[],
  parameters: ModelParameters,
  { limitOverflow = 'reject' }: ModelRules = {},
): ModelPage | ModelRefusal {
  try {
    const page = whole(parameters, 'page', 1, 1_000_000_000, false);
    const limit = whole(parameters, 'limit', 50, 100, limitOverflow === 'clamp');
    const sort = resource === 'users' ? sortOf(parameters) : { field: 'id', descending: false };
    const matches = resource === 'products' ? selection(parameters) : () => true;
    const found = inOrder(records.filter(matches), sort.field, sort.descending);
    const start = (page - 1) * limit;
    return {
      status: 200,
      data: found.slice(start, start + limit),
      meta: { total: found.length, page, limit },
    };
  } catch (error) {
    if (error instanceof Refused) return { status: 400, parameter: error.parameter };
    throw error;
  }
}

/** The bytes of a page's body: fields in the contract's order, prices as numbers with the digits they have. */
export function modelBody(resource: ResourceName, { data, meta }: ModelPage): string {
  const rows = data.map((record) => {
    const fields = FIELDS[resource].map((field) => {
      const value = record[field] ?? null;
      return `${JSON.stringify(field)}:${field === 'price' ? (value ?? 'null') : JSON.stringify(value)}`;
    });
    return `{${fields.join(',')}}`;
  });
  return `{"data":[${rows.join(',')}],"meta":${JSON.stringify(meta)}}`;
}
