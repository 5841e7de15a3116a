import type { CanonicalRecord } from '../../contract/response-body.ts';
import type { Filter } from '../../contract/query.ts';
import { Decimal } from '../../kernel/decimal.ts';

/** A filter to be tried, and what is special about its value, without the value. */
export type FilterProbe = { readonly filter: Filter; readonly kind: string };

/** What makes a value difficult to send, in the order in which values are tried. */
const EDGE_CASES: readonly (readonly [string, RegExp])[] = [
  ['that reads as a number', /^\d{1,15}$/],
  ['that reads as a literal', /^(?:true|false|null|undefined|nan)$/i],
  ["with '", /'/],
  ['with &', /&/],
  ['with a space', / /],
  ['beyond ASCII', /[^\0-\x7f]/],
  ['with "', /"/],
  ['with +', /\+/],
  ['with %', /%/],
  ['with a backslash', /\\/],
  ['with a comma or semicolon', /[,;]/],
  ['with / or #', /[/#]/],
];

const TEXTS_TRIED = 7;
/** A value that no record has. */
const NOWHERE = 'portico-doctor-4c1f9e';
/** Some sources take this text for no value at all. */
const NULL_TEXT = 'null';

function countValues(records: readonly CanonicalRecord[], field: string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const record of records) {
    const value = record[field];
    if (typeof value === 'string') counts.set(value, (counts.get(value) ?? 0) + 1);
  }
  return counts;
}

function otherCase(text: string): string {
  const upper = text.toUpperCase();
  return upper === text ? text.toLowerCase() : upper;
}

function textTrials(records: readonly CanonicalRecord[], field: string): readonly FilterProbe[] {
  const counts = countValues(records, field);
  const rarest = [...counts].sort(([, a], [, b]) => a - b).map(([value]) => value);
  const chosen = new Map<string, string>();
  for (const [kind, pattern] of EDGE_CASES) {
    if (chosen.size >= TEXTS_TRIED - 1) break;
    const value = rarest.find((text) => pattern.test(text) && !chosen.has(text));
    if (value !== undefined) chosen.set(value, kind);
  }
  const zero = rarest.find((text) => text === '0' || text === '');
  if (zero !== undefined) chosen.set(zero, zero === '' ? 'empty' : '0');
  const plain = rarest.find((text) => !chosen.has(text));
  if (plain !== undefined) chosen.set(plain, 'plain');
  const trial = (value: string, kind: string): FilterProbe => ({ filter: { field, op: 'eq', value }, kind });
  const cased = rarest.find((text) => otherCase(text) !== text && !counts.has(otherCase(text)));
  return [
    ...[...chosen].map(([value, kind]) => trial(value, kind)),
    ...(cased === undefined ? [] : [trial(otherCase(cased), 'in other case')]),
    ...(counts.has(NULL_TEXT) ? [] : [trial(NULL_TEXT, 'null, which no record has')]),
    trial(NOWHERE, 'that no record has'),
  ];
}

function sortedNumbers(records: readonly CanonicalRecord[], field: string): readonly Decimal[] {
  return records
    .flatMap((record) => (record[field] instanceof Decimal ? [record[field]] : []))
    .sort((a, b) => a.compare(b));
}

/**
 * A bound that leaves out a row with it where a source compares numbers as texts, as 979 does with 5409. Few rows match
 * it. `values` are in order.
 */
function misreadAsText(values: readonly Decimal[], op: 'ge' | 'le'): Decimal | undefined {
  const end = op === 'ge' ? values.at(-1) : values.find(({ digits }) => digits >= 0n);
  if (end === undefined) return undefined;
  return op === 'ge'
    ? values.findLast((value) => value.toString() > end.toString())
    : values.find((value) => value.digits >= 0n && value.toString() < end.toString());
}

/** Values at which a bound is tried: few rows match the first. */
function boundTrials(
  records: readonly CanonicalRecord[],
  field: string,
  op: 'ge' | 'le',
): readonly FilterProbe[] {
  const values = sortedNumbers(records, field);
  const trial = (value: Decimal, kind: string): FilterProbe => ({ filter: { field, op, value }, kind });
  const last = values.length - 1;
  const low = values[Math.floor(last * 0.1)];
  const high = values[Math.ceil(last * 0.9)];
  const near = op === 'ge' ? high : low;
  const top = values[last];
  if (near === undefined || top === undefined || near.digits < 0n) return [];
  const misread = misreadAsText(values, op);
  return [
    trial(near, 'that a row has'),
    ...(misread === undefined || misread.digits < 0n ? [] : [trial(misread, 'with fewer or more digits')]),
    trial(new Decimal(near.digits * 1_000n + 1n, near.scale + 3), 'between two'),
    trial(new Decimal(0n, 0), '0'),
    ...(op === 'ge' ? [trial(new Decimal((top.digits + 1n) * 1_000n, top.scale), 'above all')] : []),
  ];
}

/**
 * A filter that many of the records match, so that a row that it wrongly leaves out is likely to be seen; `undefined`
 * where no record has a value.
 */
export function chooseWideFilter(
  records: readonly CanonicalRecord[],
  field: string,
  op: Filter['op'],
): Filter | undefined {
  if (op === 'eq') {
    const [most] = [...countValues(records, field)].sort(([, a], [, b]) => b - a);
    return most && { field, op, value: most[0] };
  }
  const values = sortedNumbers(records, field);
  const last = values.length - 1;
  const value = values[op === 'ge' ? Math.ceil(last * 0.1) : Math.floor(last * 0.9)];
  return value === undefined || value.digits < 0n ? undefined : { field, op, value };
}

/** Filters whose answers can be computed from the records, chosen to be difficult to send and to match few. */
export function chooseFilterTrials(
  records: readonly CanonicalRecord[],
  field: string,
  op: Filter['op'],
): readonly FilterProbe[] {
  return op === 'eq' ? textTrials(records, field) : boundTrials(records, field, op);
}
