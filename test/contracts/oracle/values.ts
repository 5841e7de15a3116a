import type { Leaf, ListOf } from './model.ts';

/** A value as its text: digits, `true`, an instant, an id; `null` where it is unknown. */
export type Scalar = string | null;
/** What a list has: values, or objects with values by name. */
export type Element = string | Readonly<Record<string, Scalar>>;
/** A value of a record. */
export type Shown = Scalar | readonly Element[];

/** An object of a list, if it has what is required and no value that is none of its field, for which `undefined` stands. */
export function objectOf(
  fields: readonly Leaf[],
  values: Readonly<Record<string, Scalar | undefined>>,
): Element | null {
  const isWhole = fields.every(
    ({ name, required }) => values[name] !== undefined && !(required && values[name] === null),
  );
  return isWhole ? (values as Element) : null;
}

/** The list that clients see: one that is too long is unknown, and so is one with an element that is none. */
export function listOf({ max }: ListOf, elements: readonly (Element | null)[]): Shown {
  const known = elements.filter((one) => one !== null);
  return known.length < elements.length || known.length > max ? null : known;
}

/** A whole number of the smallest unit that either of two numbers has. */
function units(a: string, b: string): readonly [bigint, bigint] {
  const places = (text: string) => (text.split('.')[1] ?? '').length;
  const most = Math.max(places(a), places(b));
  const whole = (text: string) => {
    const [integer = '', fraction = ''] = text.replace('-', '').split('.');
    const size = BigInt(integer + fraction.padEnd(most, '0'));
    return text.startsWith('-') ? -size : size;
  };
  return [whole(a), whole(b)];
}

const sign = (a: bigint | number, b: bigint | number) => (a < b ? -1 : a > b ? 1 : 0);

function codePoints(a: string, b: string): number {
  const [left, right] = [a, b].map((text) => Array.from(text, (one) => one.codePointAt(0)!));
  for (let at = 0; at < Math.min(left!.length, right!.length); at += 1)
    if (left![at] !== right![at]) return left![at]! - right![at]!;
  return left!.length - right!.length;
}

/** Numbered ids come first, by number; all others follow as texts. */
export function compareIds(a: string, b: string, start: string): number {
  const [left, right] = [a, b].map((id) => /^(0|[1-9]\d*)$/.exec(id.slice(start.length))?.[1]);
  if (left !== undefined && right !== undefined) return sign(BigInt(left), BigInt(right));
  if (left !== undefined || right !== undefined) return left === undefined ? 1 : -1;
  return codePoints(a, b);
}

/** Compares two values of a field by its kind. */
export function compareValues({ kind, values, start }: Leaf, a: string, b: string): number {
  switch (kind) {
    case 'integer':
    case 'decimal':
      return sign(...units(a, b));
    case 'datetime':
      return sign(Date.parse(a), Date.parse(b));
    case 'enum':
      return values.indexOf(a) - values.indexOf(b);
    case 'id':
    case 'reference':
      return compareIds(a, b, start);
    case 'text':
      return codePoints(a.normalize('NFC'), b.normalize('NFC'));
    default:
      return a < b ? -1 : a > b ? 1 : 0;
  }
}

/** Whether two values are one: texts to the letter, numbers by value. */
export function isSame(leaf: Leaf, a: string, b: string): boolean {
  return leaf.kind === 'text' ? a === b : compareValues(leaf, a, b) === 0;
}

/** The value as JSON; numbers and booleans have no quotes. */
export function jsonOf({ kind, list }: Leaf, value: Shown): string {
  if (value === null) return 'null';
  if (typeof value !== 'string') return `[${value.map((one) => elementJson(list!, one)).join(',')}]`;
  return ['integer', 'decimal', 'boolean'].includes(kind) ? value : JSON.stringify(value);
}

function elementJson({ of }: ListOf, element: Element): string {
  if ('kind' in of) return jsonOf(of, element as string);
  const values = element as Readonly<Record<string, Scalar>>;
  return `{${of.map((leaf) => `${JSON.stringify(leaf.name)}:${jsonOf(leaf, values[leaf.name]!)}`).join(',')}}`;
}

const DAY = 86_400_000;
const INSTANT =
  /^(\d{4}-\d\d-\d\d)[Tt]([01]\d|2[0-3]):([0-5]\d):([0-5]\d)(?:\.(\d{1,3}))?(?:[Zz]|([+\- ])([01]\d|2[0-3]):([0-5]\d))$/;

function isDay(text: string): boolean {
  if (!/^\d{4}-\d\d-\d\d$/.test(text) || text.startsWith('0000')) return false;
  const [year, month, day] = text.split('-').map(Number) as [number, number, number];
  const leap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
  const days = [31, leap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1];
  return days !== undefined && day >= 1 && day <= days;
}

function instantOf(text: string): string | undefined {
  const [, day, hour, minute, second, fraction = '', plus, hours = '0', minutes = '0'] =
    INSTANT.exec(text) ?? [];
  if (day === undefined || !isDay(day)) return undefined;
  const away = (Number(hours) * 60 + Number(minutes)) * 60_000 * (plus === '-' ? -1 : 1);
  const ms = Date.parse(`${day}T${hour}:${minute}:${second}.${fraction.padEnd(3, '0')}Z`) - away;
  const year = new Date(ms).getUTCFullYear();
  return year < 1 || year > 9999 ? undefined : new Date(ms).toISOString();
}

/** The first instant of a day, and that of the next one, if the text is a day. */
export function dayOf(text: string): { readonly low: string; readonly high: string } | undefined {
  if (!isDay(text)) return undefined;
  const start = Date.parse(`${text}T00:00:00Z`);
  return { low: new Date(start).toISOString(), high: new Date(start + DAY).toISOString() };
}

/** Whether a text is what an id may have behind its start. Alone, it must not mean a directory. */
function isSegment(text: string, start: string): boolean {
  const isDirectory = start === '' && (text === '.' || text === '..');
  return /^[A-Za-z0-9_.~-]+$/.test(text) && !isDirectory;
}

/** The value that a text of a parameter is; `undefined` if it is none of the field. */
export function readValue(leaf: Leaf, text: string): string | undefined {
  const { kind, values, minimum } = leaf;
  switch (kind) {
    case 'integer':
    case 'decimal': {
      if (!(kind === 'integer' ? /^-?\d{1,400}$/ : /^-?\d+(\.\d+)?$/).test(text)) return undefined;
      if (minimum === undefined) return text;
      const isBelow = compareValues(leaf, text, minimum) < 0;
      return isBelow || (text.startsWith('-') && !minimum.startsWith('-')) ? undefined : text;
    }
    case 'boolean':
      return text === 'true' || text === 'false' ? text : undefined;
    case 'datetime':
      return instantOf(text);
    case 'date':
      return isDay(text) ? text : undefined;
    case 'enum':
      return values.includes(text) ? text : undefined;
    case 'id':
    case 'reference':
      return text.startsWith(leaf.start) && isSegment(text.slice(leaf.start.length), leaf.start)
        ? text
        : undefined;
    default:
      return text === '' ? undefined : text;
  }
}
