// Parses and checks the values of filter parameters, such as `?min_price=5`.

import { fault, type GatewayError } from '../kernel/errors/fault.ts';
import { Decimal } from '../kernel/decimal.ts';
import { idPatternOf } from './fields.ts';
import type { KnownValue } from './list-value.ts';
import { DAY_MS, dayMs, canonicalInstant, isDay, parseInstant } from './instants.ts';
import type { Filter } from './query.ts';
import type { FilterParameter } from './resource.ts';

/** The most values that a parameter with commas takes; of a filter by the id of the record itself, `IDS_MAX`. */
const VALUES_MAX = 50;
const IDS_MAX = 100;

/** The error for a parameter whose value is not allowed: 400 `invalid_parameter`. */
export function invalidParameter(parameter: string, allowed: string): GatewayError {
  return fault('invalid_parameter', { message: `The parameter "${parameter}" must be ${allowed}.` });
}

type Reader = {
  /** The allowed values in words, for the error. */
  readonly allowed: string;
  /** Returns the canonical value; `undefined` if the text is not allowed. */
  readonly read: (text: string) => KnownValue | undefined;
};

const INTEGER = /^-?\d{1,400}$/;

function numberReader({ kind, isSigned, minimum = 0 }: FilterParameter): Reader {
  const isWhole = kind === 'integer';
  // If no sign is allowed, every number is at least zero, so the check is not needed.
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

/** The reader of one value of a parameter. */
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

/** A filter on an instant may give a day, which means the whole day in UTC: from its first instant to the next day's. */
function dayFilters({ field, op }: FilterParameter, startMs: number): readonly Filter[] {
  const start = canonicalInstant(startMs);
  const next = canonicalInstant(startMs + DAY_MS);
  // The last day of the year 9999 has no next day.
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

/** Compiles the parser of a filter parameter. The parser throws a `GatewayError` for a value that is not allowed. */
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
