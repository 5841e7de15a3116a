import { fault, type GatewayError } from '../kernel/errors/fault.ts';
import { Decimal } from '../kernel/decimal.ts';
import { idPatternOf } from './fields.ts';
import type { KnownValue } from './list-value.ts';
import type { Filter, FilterOp, PushableOp } from './query.ts';
import type { FilterParameter } from './resource.ts';

/** The most values that a parameter with commas takes. */
const VALUES_MAX = 50;
const IDS_MAX = 100;

/** The error of a parameter whose value is not allowed. */
export function invalidParameter(parameter: string, allowed: string): GatewayError {
  return fault('invalid_parameter', { message: `The parameter "${parameter}" must be ${allowed}.` });
}

const DATE = /^(\d{4})-(\d{2})-(\d{2})$/;
const DATETIME = /^(\d{4}-\d{2}-\d{2})T(\d{2}):(\d{2}):(\d{2})(\.\d{1,3})?(?:Z|([+\- ])(\d{2}):(\d{2}))$/i;
const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;

/** The first millisecond of a day; `undefined` for a text that is no day of the years 1 to 9999. */
function dayMs(text: string): number | undefined {
  if (!DATE.test(text) || text.startsWith('0000')) return undefined;
  const ms = Date.parse(`${text}T00:00:00Z`);
  // `Date` takes 2025-02-30 for the second of March.
  return Number.isNaN(ms) || new Date(ms).toISOString().slice(0, 10) !== text ? undefined : ms;
}

/** An instant in its canonical form. */
function instantText(ms: number): string {
  return new Date(ms).toISOString().replace('.000Z', 'Z');
}

/** An instant of RFC 3339 with an offset, in its canonical form; a blank before the offset was a plus in the address. */
function parseInstant(text: string): string | undefined {
  const match = DATETIME.exec(text);
  if (match === null) return undefined;
  const [, day = '', hours, minutes, seconds, fraction = '', sign, offsetHours = '00', offsetMinutes = '00'] =
    match;
  const start = dayMs(day);
  const isClock = Number(hours) < 24 && Number(minutes) < 60 && Number(seconds) < 60;
  if (start === undefined || !isClock || Number(offsetHours) > 23 || Number(offsetMinutes) > 59)
    return undefined;
  const time = (Number(hours) * 60 + Number(minutes)) * MINUTE_MS + Number(seconds) * 1_000;
  const offset = (Number(offsetHours) * 60 + Number(offsetMinutes)) * MINUTE_MS * (sign === '-' ? -1 : 1);
  const ms = start + time + Number(fraction.slice(1).padEnd(3, '0')) - offset;
  const written = instantText(ms);
  return /^(?!0000)\d{4}-/.test(written) ? written : undefined;
}

/** Whether a text is a day that there is, of the years 1 to 9999. */
export const isDay = (text: string): boolean => dayMs(text) !== undefined;

type Reader = {
  /** What the value may be, for the error. */
  readonly allowed: string;
  /** The canonical value; `undefined` if the text is none. */
  readonly read: (text: string) => KnownValue | undefined;
};

const INTEGER = /^-?\d{1,400}$/;

function numberReader({ kind, isSigned, minimum = 0 }: FilterParameter): Reader {
  const isWhole = kind === 'integer';
  // Without a sign, no number is below zero.
  const least = minimum === 0 ? undefined : Decimal.parseJson(String(minimum));
  const form = isWhole ? 'a whole number' : 'a plain decimal number';
  return {
    allowed: least ? `${form}, at least ${minimum}` : `${form} such as ${isWhole ? '10' : '10 or 9.99'}`,
    read(text) {
      if ((text.startsWith('-') && !isSigned) || (isWhole && !INTEGER.test(text))) return undefined;
      const value = Decimal.parse(text);
      return value !== undefined && least !== undefined && value.compare(least) < 0 ? undefined : value;
    },
  };
}

/** Reads one value of a parameter. */
function readerOf(parameter: FilterParameter): Reader {
  const { kind, values = [], idPrefix = '' } = parameter;
  if (parameter.op === 'known' || kind === 'boolean') {
    return {
      allowed: 'true or false',
      read: (text) => (text === 'true' ? true : text === 'false' ? false : undefined),
    };
  }
  switch (kind) {
    case 'integer':
    case 'decimal':
      return numberReader(parameter);
    case 'datetime':
      return {
        allowed: `${parameter.op === 'has' ? '' : 'a date, or '}a time with its offset such as 2020-05-01T10:00:00Z`,
        read: parseInstant,
      };
    case 'date':
      return { allowed: 'a date such as 2020-05-01', read: (text) => (isDay(text) ? text : undefined) };
    case 'enum':
      return {
        allowed: `one of ${values.join(', ')}`,
        read: (text) => (values.includes(text) ? text : undefined),
      };
    case 'id':
    case 'reference': {
      const pattern = idPatternOf(idPrefix);
      return {
        allowed: 'an id of the API',
        read: (text) => (text.length <= 128 && pattern.test(text) ? text : undefined),
      };
    }
    case 'text':
    case 'list':
      return { allowed: 'a text that is not empty', read: (text) => (text === '' ? undefined : text) };
  }
}

const LAST_INSTANT = '9999-12-31T23:59:59.999Z';

/** A day asked of an instant is the whole day in UTC: the bounds are its first instant and that of the next day. */
function dayFilters({ field, op }: FilterParameter, startMs: number): readonly Filter[] {
  const start = instantText(startMs);
  const next = instantText(startMs + DAY_MS);
  // The last day of all has no next one.
  const isLast = next.startsWith('+');
  const upTo: Filter = isLast ? { field, op: 'le', value: LAST_INSTANT } : { field, op: 'lt', value: next };
  switch (op) {
    case 'ge':
    case 'lt':
      return [{ field, op, value: start }];
    case 'le':
      return [upTo];
    case 'gt':
      return [isLast ? { field, op, value: LAST_INSTANT } : { field, op: 'ge', value: next }];
    default:
      return [{ field, op: 'ge', value: start }, upTo];
  }
}

/**
 * The operator that a source can be asked with for each. It may find more: a bound that excludes its value is asked for as
 * one that includes it.
 */
const PUSHED_AS: Readonly<Record<FilterOp, PushableOp | undefined>> = {
  eq: 'eq',
  in: 'eq',
  ge: 'ge',
  gt: 'ge',
  le: 'le',
  lt: 'le',
  has: undefined,
  known: undefined,
};

/** The operators that a source can be asked with for a parameter. An instant may be asked for by its day, by both bounds. */
export function pushesOf({ op, kind }: Pick<FilterParameter, 'op' | 'kind'>): readonly PushableOp[] {
  const own = PUSHED_AS[op];
  if (own === undefined) return [];
  return op === 'eq' && kind === 'datetime' ? ['eq', 'ge', 'le'] : [own];
}

function parseMany(parameter: FilterParameter, text: string, { allowed, read }: Reader): readonly Filter[] {
  const { name, field, kind } = parameter;
  const most = kind === 'id' ? IDS_MAX : VALUES_MAX;
  const parts = text.split(',');
  const values = parts.map(read);
  const known = values.filter((value) => value !== undefined);
  if (known.length < values.length)
    throw invalidParameter(name, `${allowed}, or several with commas between them`);
  if (parts.length > most) throw invalidParameter(name, `at most ${most} values with commas between them`);
  return [{ field, op: 'in', value: known }];
}

/** Compiles the parser of a parameter. It throws a `GatewayError` for a value that is not allowed. */
export function compileFilterParser(parameter: FilterParameter): (text: string) => readonly Filter[] {
  const { name, field, op, kind } = parameter;
  const reader = readerOf(parameter);
  if (op === 'in') return (text) => parseMany(parameter, text, reader);
  return function parseFilter(text) {
    const day = kind === 'datetime' && op !== 'known' && op !== 'has' ? dayMs(text) : undefined;
    if (day !== undefined) return dayFilters(parameter, day);
    const value = reader.read(text);
    if (value === undefined) throw invalidParameter(name, reader.allowed);
    return [{ field, op, value } as Filter];
  };
}
