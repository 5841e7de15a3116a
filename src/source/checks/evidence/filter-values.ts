// Chooses the values with which `doctor` and `infer` try a filter: those that are difficult to send or to compare come first.

import { ListValue } from '../../../contract/list-value.ts';
import type { CanonicalRecord } from '../../../contract/response-body.ts';
import type { KnownValue } from '../../../contract/list-value.ts';
import { compareBounds } from '../../../contract/order.ts';
import type { Filter, PushableOp } from '../../../contract/query.ts';
import type { FilterParameter } from '../../../contract/resource.ts';
import type { JsonType } from '../../../kernel/json/values.ts';
import { Decimal } from '../../../kernel/decimal.ts';

/** A field with a filter. By default it is a text, or for a bound a number of 0 or more. */
export type FilteredField = Pick<FilterParameter, 'field'> &
  Partial<Pick<FilterParameter, 'kind' | 'isSigned'>>;

/** A filter to be tried. `kind` says what is special about its value, without the value. */
export type FilterProbe = { readonly filter: Filter; readonly kind: string };

/** The case of a text that contains a mark. */
const has = (mark: string): EdgeCase => [
  `with ${mark === ' ' ? 'a space' : mark}`,
  (text) => text.includes(mark),
];
type EdgeCase = readonly [kind: string, fits: (text: string) => boolean];

/** What makes a value difficult to send or to compare, in the order in which values are tried. */
const EDGE_CASES: readonly EdgeCase[] = [
  ...Array.from(`\\"'%*_&+#/():,`, has),
  ['that reads as a number', (text) => text !== '' && Number.isFinite(Number(text))],
  [
    'that reads as a literal',
    (text) => /^(?:n\/?a|nil|none|null|undefined|nan|-+|true|false|0|)$/i.test(text),
  ],
  ['beyond ASCII', (text) => /[^\0-\x7f]/.test(text)],
  ...Array.from(` ;^|<>=[]{}?!~$@.-\``, has),
];

/** A text without what tolerant comparisons ignore: case, accents, form of Unicode, blanks, leading zeros. */
function looseForm(text: string): string {
  const folded = text.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase().trim();
  return /^\d+$/.test(folded) ? String(Number(folded)) : folded;
}

/** A value that no record has. */
const NOWHERE = 'portico-doctor-4c1f9e';
/** Some sources take this text for no value at all. */
const NULL_TEXT = 'null';

/** The values of a field and how many records have each, the rarest first. Equal numbers are one value. */
function countValues(records: readonly CanonicalRecord[], field: string) {
  const counts = new Map<string | boolean, { readonly value: KnownValue; rows: number }>();
  for (const record of records) {
    const value = record[field] ?? null;
    if (value === null || value instanceof ListValue) continue;
    const key = value instanceof Decimal ? value.shortest() : value;
    const count = counts.get(key) ?? { value, rows: 0 };
    count.rows += 1;
    counts.set(key, count);
  }
  return [...counts.values()].sort((a, b) => a.rows - b.rows);
}

function otherCase(text: string): string {
  const upper = text.toUpperCase();
  return upper === text ? text.toLowerCase() : upper;
}

/** All values, each with what is special about it. One value for each difficulty comes before all others. */
function valuesByDifficulty(rarest: readonly string[]): ReadonlyMap<string, string> {
  const twins = Map.groupBy(rarest, looseForm);
  const hasTwin = (text: string) => (twins.get(looseForm(text))?.length ?? 0) > 1;
  const cases: readonly EdgeCase[] = [['like another but for case or form', hasTwin], ...EDGE_CASES];
  const all: readonly EdgeCase[] = [...cases, ['plain', (text) => !cases.some(([, fits]) => fits(text))]];
  const kinds = new Map<string, string>();
  for (const [kind, fits] of all) {
    const fitting = rarest.filter(fits);
    if (fitting[0] !== undefined && !fitting.some((text) => kinds.has(text))) kinds.set(fitting[0], kind);
  }
  for (const [kind, fits] of all)
    for (const text of rarest) if (fits(text) && !kinds.has(text)) kinds.set(text, kind);
  return kinds;
}

/** How many values of records are tried before values that no record has, because not all can be tried. */
const OWN_FIRST = 7;

function textTrials(records: readonly CanonicalRecord[], field: string): readonly FilterProbe[] {
  const rarest = countValues(records, field).flatMap(({ value }) =>
    typeof value === 'string' ? [value] : [],
  );
  const counts = new Set(rarest);
  const trial = (value: string, kind: string): FilterProbe => ({ filter: { field, op: 'eq', value }, kind });
  const values = [...valuesByDifficulty(rarest)].map(([value, kind]) => trial(value, kind));
  const cased = rarest.find((text) => otherCase(text) !== text && !counts.has(otherCase(text)));
  return [
    ...values.slice(0, OWN_FIRST),
    ...(cased === undefined ? [] : [trial(otherCase(cased), 'in other case')]),
    ...(counts.has(NULL_TEXT) ? [] : [trial(NULL_TEXT, 'null, which no record has')]),
    trial(NOWHERE, 'that no record has'),
    ...values.slice(OWN_FIRST),
  ];
}

/** Trials of `eq` for kinds other than text: each value that a record has, the rarest first. */
function equalTrials(records: readonly CanonicalRecord[], field: string): readonly FilterProbe[] {
  return countValues(records, field).map(({ value }) => ({
    filter: { field, op: 'eq', value },
    kind: 'that a row has',
  }));
}

/** The same trials, and an id in another case. The prefix and escapes of an id have only one case. */
function idTrials(records: readonly CanonicalRecord[], field: string): readonly FilterProbe[] {
  const trials = equalTrials(records, field);
  const ids = new Set(trials.map(({ filter }) => String(filter.value)));
  const value = [...ids]
    .filter((id) => !id.includes('~'))
    .map((id) => {
      const [start = ''] = /^[a-z][a-z0-9]*_/.exec(id) ?? [];
      return start + otherCase(id.slice(start.length));
    })
    .find((id) => !ids.has(id));
  const cased: FilterProbe[] =
    value === undefined ? [] : [{ filter: { field, op: 'eq', value }, kind: 'in other case' }];
  return [...trials.slice(0, OWN_FIRST), ...cased, ...trials.slice(OWN_FIRST)];
}

/** The numbers, times or dates of a field that a caller may use as a bound, in order. */
function sortedBounds(records: readonly CanonicalRecord[], { field, isSigned = false }: FilteredField) {
  return records
    .flatMap((record) => {
      const value = record[field] ?? null;
      if (value === null || typeof value === 'boolean' || value instanceof ListValue) return [];
      return isSigned || typeof value === 'string' || value.digits >= 0n ? [value] : [];
    })
    .sort(compareBounds);
}

/** The numbers of a field in order, including those below zero, which rows may have although no caller asks for them. */
const sortedNumbers = (records: readonly CanonicalRecord[], field: string) =>
  sortedBounds(records, { field, isSigned: true }).filter((value) => value instanceof Decimal);

/** A bound that few rows match, and that loses a row if numbers are compared as texts ("979" > "5409"). `values`: in order. */
function misreadAsText(values: readonly Decimal[], op: 'ge' | 'le'): Decimal | undefined {
  const end = op === 'ge' ? values.at(-1) : values.find(({ digits }) => digits >= 0n);
  if (end === undefined) return undefined;
  return op === 'ge'
    ? values.findLast((value) => value.toString() > end.toString())
    : values.find((value) => value.digits >= 0n && value.toString() < end.toString());
}

/** Times or dates with which a bound is tried. Few rows match the first. */
function timeTrials(
  records: readonly CanonicalRecord[],
  one: FilteredField,
  op: 'ge' | 'le',
): readonly FilterProbe[] {
  const { field } = one;
  const values = sortedBounds(records, one);
  const last = values.length - 1;
  const at = op === 'ge' ? [0.9, 1, 0.5, 0] : [0.1, 0, 0.5, 1];
  const tried = new Set(at.flatMap((share) => values[Math.round(last * share)] ?? []));
  return [...tried].map((value) => ({ filter: { field, op, value }, kind: 'that a row has' }));
}

/** Values with which a bound is tried. Few rows match the first. */
function boundTrials(
  records: readonly CanonicalRecord[],
  one: FilteredField,
  op: 'ge' | 'le',
): readonly FilterProbe[] {
  const { field, kind, isSigned = false } = one;
  if (kind === 'datetime' || kind === 'date') return timeTrials(records, one, op);
  const values = sortedNumbers(records, field);
  const trial = (value: Decimal, kind: string): FilterProbe => ({ filter: { field, op, value }, kind });
  const last = values.length - 1;
  const low = values[Math.floor(last * 0.1)];
  const high = values[Math.ceil(last * 0.9)];
  const near = op === 'ge' ? high : low;
  const top = values[last];
  if (near === undefined || top === undefined || (near.digits < 0n && !isSigned)) return [];
  const misread = misreadAsText(values, op);
  return [
    trial(near, 'that a row has'),
    ...(misread === undefined || misread.digits < 0n ? [] : [trial(misread, 'with fewer or more digits')]),
    ...(kind === 'integer'
      ? []
      : [trial(new Decimal(near.digits * 1_000n + 1n, near.scale + 3), 'between two')]),
    trial(new Decimal(0n, 0), '0'),
    ...(op === 'ge' ? [trial(new Decimal((top.digits + 1n) * 1_000n, top.scale), 'above all')] : []),
  ];
}

/** A filter that many records match, so that a row which it wrongly leaves out is easily seen; `undefined` if there is none. */
export function chooseWideFilter(
  records: readonly CanonicalRecord[],
  one: FilteredField,
  op: PushableOp,
): Filter | undefined {
  const { field } = one;
  if (op === 'eq' || op === 'in') {
    const counts = countValues(records, field);
    const most = counts.find(({ rows }) => rows === counts.at(-1)?.rows);
    return most && ({ field, op, value: op === 'in' ? [most.value] : most.value } as Filter);
  }
  const values = sortedBounds(records, one);
  const last = values.length - 1;
  const value = values[op === 'ge' ? Math.ceil(last * 0.1) : Math.floor(last * 0.9)];
  return value === undefined ? undefined : { field, op, value };
}

/** Trials for a field whose values have several JSON types: for each type, the value that the fewest rows match. */
function typeTrials(
  records: readonly CanonicalRecord[],
  one: FilteredField,
  op: Exclude<PushableOp, 'in'>,
  types: ReadonlyMap<string, JsonType>,
): readonly FilterProbe[] {
  const { field } = one;
  const byType = [...Map.groupBy(records, ({ id }) => types.get(id))].filter(([type]) => type !== undefined);
  if (byType.length < 2) return [];
  return byType.flatMap(([type = '', rows]) => {
    const [rarest] = countValues(rows, field);
    const bound = sortedBounds(rows, one).at(op === 'ge' ? -1 : 0);
    const value = op === 'eq' ? rarest?.value : bound;
    const filter = value === undefined ? undefined : ({ field, op, value } as Filter);
    return filter === undefined ? [] : [{ filter, kind: `that a row has as a JSON ${type}` }];
  });
}

/** The values of other trials, two by two: a source that uses only one of several loses rows. */
function pairTrials(trials: readonly FilterProbe[]): readonly FilterProbe[] {
  return trials.flatMap(({ filter, kind }, at) => {
    const value = trials.slice(at, at + 2).map((one) => one.filter.value);
    return at % 2 === 1 ? [] : [{ filter: { field: filter.field, op: 'in', value } as Filter, kind }];
  });
}

/**
 * Filters to try, whose answers can be computed from the records. Values that are difficult to send and that few records match
 * come first, and for texts all other values follow. `types`: the JSON types of the field's values, by id.
 */
export function chooseFilterTrials(
  records: readonly CanonicalRecord[],
  one: FilteredField,
  op: PushableOp,
  types: ReadonlyMap<string, JsonType> = new Map(),
): readonly FilterProbe[] {
  if (op === 'in') return pairTrials(chooseFilterTrials(records, one, 'eq', types));
  const { field, kind = 'text' } = one;
  const equal = kind === 'text' ? textTrials : kind === 'id' || kind === 'reference' ? idTrials : equalTrials;
  const trials = op === 'eq' ? equal(records, field) : boundTrials(records, one, op);
  return [...typeTrials(records, one, op, types), ...trials];
}
