// Probes whether the mapping of a source file can read the fields of the rows, and of single records.

import { compilePath, pathWith } from '../../../../source/adapter/spec/path.ts';
import { explainReplies } from '../../../../source/adapter/read/explain-reply.ts';
import type { MappingSpec } from '../../../../config/schema/source.ts';
import type { Field, Value } from '../../../../contract/fields.ts';
import type { JsonObject } from '../../../../kernel/json/json.ts';
import { isObject } from '../../../../kernel/json/values.ts';
import { type Claim, claimOf, type Evidence, type EvidenceRow } from '../../../../source/checks/claim.ts';
import { type Ask, getPlace, listPlace } from '../../../../source/checks/evidence/ask.ts';
import { concludeAt, type Finding, setting } from '../../../../source/checks/evidence/finding.ts';
import { changeText } from '../../../../source/checks/evidence/spec-change.ts';
import type { UpstreamReply } from '../../../../kernel/upstream-call.ts';
import { plural } from '../../../../kernel/plural.ts';
import { isBlank } from '../../../../source/checks/evidence/walk.ts';

/** If a larger share of the values is unreadable, the steps of the file are wrong and not the data. */
const UNREADABLE_SHARE = 0.1;

/** If there are fewer rows, an optional field may be missing by chance. */
const ROWS_CONCLUSIVE = 20;

/** The most unreadable values of a field that a finding shows. */
const VALUES_REPORTED = 5;

/** The fields that are read from records, besides the id, with the mapping and the first path of each. */
function mappedFields(fields: readonly Field[], map: MappingSpec) {
  return fields.flatMap((field) => {
    const mapping = map[field.name];
    const [path] = [mapping?.from ?? []].flat();
    return field.kind === 'id' || mapping === undefined || path === undefined
      ? []
      : [{ field, mapping, path }];
  });
}

type MappedField = ReturnType<typeof mappedFields>[number];

const rowFields = ({ ask: { resource, list } }: Evidence) => mappedFields(resource.itemFields, list.map);

/** What the records of a view have of one field. */
type FieldValues = {
  readonly view: 'list' | 'get';
  readonly values: readonly Value[];
  /** How many records have nothing at its path, and in how many it cannot be read; some may be counted twice. */
  readonly missing: number;
  readonly unreadable: number;
  /** The values that could not be read, as the source wrote them. */
  readonly written: () => readonly string[];
};

/** What the rows have of a field. Only windows whose body was kept show the values that could not be read. */
function inRows({ ask, sample, gaps }: Evidence, name: string): FieldValues {
  function written(): readonly string[] {
    const explainer = explainReplies(ask.spec, ask.resource, 'list');
    return sample.steps.flatMap(({ exchange: { reply }, rows }) => {
      const unset = new Set<Value>(
        rows.records.flatMap(({ id, [name]: value }) => (value === null ? id : [])),
      );
      if (explainer === undefined || unset.size === 0 || reply.body.length === 0) return [];
      const read = explainer.rows(reply).map((row) => explainer.explain(row));
      // Rows that `dropWhen` drops are no records.
      const own = read.filter((row) => row.some((one) => one.field === 'id' && unset.has(one.value))).flat();
      const unread = own.filter((one) => one.field === name && one.state === 'unreadable');
      return unread.map(({ found }) => JSON.stringify(found));
    });
  }
  const [missing, unreadable] = [gaps.get(`${name} missing`) ?? 0, gaps.get(`${name} unreadable`) ?? 0];
  const values = sample.records.map((record) => record[name] ?? null);
  return { view: 'list', values, missing, unreadable, written };
}

/** Checks what the mapping made of one field in the records of a view that were read. */
function checkField(
  ask: Ask,
  { field: { name, kind, required }, mapping }: MappedField,
  { view, values, ...counted }: FieldValues,
): Finding {
  const [thing, place] = view === 'list' ? ['row', listPlace] : ['record', getPlace];
  const at = place(ask, 'map', name);
  const conclude = concludeAt(`field ${name}`, `every ${thing} has ${name}, as it is read here`, at);
  const { length: rows } = values;
  const unknown = values.filter((value) => value === null).length;
  // Windows behind the end may bring rows again, and their missing values were counted again, too.
  const missing = Math.min(unknown, counted.missing);
  const unreadable = Math.min(unknown, counted.unreadable);
  const share = (count: number) => `${count} of ${plural(rows, thing)}`;
  if (missing >= rows)
    return conclude(
      rows < ROWS_CONCLUSIVE ? 'could not tell' : 'differs',
      `there is nothing at its path in ${share(rows)}`,
      `map.${name}: the path; null, if the source has nothing of the kind`,
    );
  const some = unreadable > 0 && ask.showValues ? [...new Set(counted.written())] : [];
  const shown = some.length === 0 ? '' : `, such as ${some.slice(0, VALUES_REPORTED).join(', ')}`;
  if (unreadable > rows * UNREADABLE_SHARE)
    return conclude(
      'differs',
      `it cannot be read in ${share(unreadable)}${shown}`,
      `map.${name}: the steps under \`as\`: format, zone, codes, signs`,
    );
  const empty = kind === 'text' && !required ? values.filter((value) => value === '').length : 0;
  const parts = [
    ...(missing > 0 ? [`${missing} without it`] : []),
    ...(unreadable > 0
      ? [`${unreadable} unreadable${ask.showValues ? shown : ' (doctor --values shows the value)'}`]
      : []),
    ...(unknown > missing + unreadable ? [`${unknown - missing - unreadable} empty`] : []),
  ];
  const noted = [
    ...(unknown > 0 ? [`unknown in ${share(unknown)}: ${parts.join(', ')}`] : []),
    ...(empty > 0 ? [`an empty text, not null, in ${share(empty)}`] : []),
  ];
  if (noted.length === 0) return conclude('agrees', `it is there in ${share(rows)}`);
  // Some services mean the empty text, so it is no difference.
  const value = { ...mapping, as: [...mapping.as, { nullIf: [''] }] };
  const advice = `if an empty text means nothing: ${changeText({ at, value })}`;
  return conclude('noted', noted.join('; '), empty > 0 ? advice : undefined);
}

/** A single record, and the reply that it was read from. */
export type SingleRecord = { readonly value: EvidenceRow; readonly reply: UpstreamReply };

/** Checks the fields that only single records show. Those that the list has, too, are compared with the list. */
export function checkRecordFields(evidence: Evidence, seen: readonly SingleRecord[]): readonly Finding[] {
  const { ask } = evidence;
  const explainer = explainReplies(ask.spec, ask.resource, 'get');
  const records = seen.flatMap(({ value, reply }) => explainer?.record(reply, value.id) ?? []);
  const listed = new Set(rowFields(evidence).map(({ field }) => field.name));
  return mappedFields(ask.resource.detailFields, ask.get?.map ?? {}).flatMap((mapped) => {
    const own = records.filter(({ field }) => field === mapped.field.name);
    if (own.length === 0 || listed.has(mapped.field.name)) return [];
    const stateIs = (state: string) => own.filter((record) => record.state === state);
    return checkField(ask, mapped, {
      view: 'get',
      values: own.map(({ value }) => value),
      missing: stateIs('missing').length,
      unreadable: stateIs('unreadable').length,
      written: () => stateIs('unreadable').map(({ found }) => JSON.stringify(found)),
    });
  });
}

/** Separates the rows that have nothing at any mapped path (`foreign`) from the others, as far as bodies were kept. */
function splitForeign(
  evidence: Evidence,
  paths: readonly string[],
): Readonly<Record<'own' | 'foreign', readonly JsonObject[]>> {
  const { ask, sample } = evidence;
  const explainer = explainReplies(ask.spec, ask.resource, 'list');
  const finders = paths.map((path) => compilePath(path));
  const rows = sample.steps.flatMap(({ exchange, rows: { records } }) =>
    exchange.reply.body.length > 0 && records.some(isBlank)
      ? (explainer?.rows(exchange.reply).filter(isObject) ?? [])
      : [],
  );
  const isForeign = (row: JsonObject) => finders.every((find) => find(row) === undefined);
  return { own: rows.filter((row) => !isForeign(row)), foreign: rows.filter(isForeign) };
}

/** A condition of `dropWhen`: whether there is a value at a path. */
type DropCondition = { readonly at: string; readonly present: boolean };

/**
 * Finds a condition of `dropWhen` for rows that are no records, such as headers. If every record has a value at the path
 * `always`, the condition is that there is none. Otherwise it is a key of the first such row that no record has. `undefined` if
 * there is no such key.
 * @internal
 */
export function findDropCondition(
  [first = {}]: readonly JsonObject[],
  records: readonly JsonObject[],
  always: string | undefined,
): DropCondition | undefined {
  if (always !== undefined) return { at: always, present: false };
  const key = Object.keys(first).find((one) => !records.some((row) => Object.hasOwn(row, one)));
  return key === undefined ? undefined : { at: pathWith('', key), present: true };
}

/** Checks that every row is a record. A row with none of the mapped fields is a header, or a document of another kind. */
function checkRecords(evidence: Evidence): Finding | undefined {
  const { ask, sample } = evidence;
  const fields = rowFields(evidence);
  const others = sample.records.filter((record) => !isBlank(record));
  // XML has no element for a value that is empty, so a record may look like this.
  if (ask.spec.decode.format === 'xml') return undefined;
  if (fields.length === 0 || others.length === 0 || others.length === sample.records.length) return undefined;
  const { own, foreign } = splitForeign(
    evidence,
    fields.map(({ path }) => path),
  );
  const always = fields.find(({ field: { name } }) =>
    others.every((record) => (record[name] ?? null) !== null),
  );
  const mark = findDropCondition(foreign, own, always?.path);
  if (foreign.length === 0 || mark === undefined) return undefined;
  const at = listPlace(ask, 'dropWhen');
  const value = [...ask.list.dropWhen, mark];
  return concludeAt('records', 'every row is a record', at)(
    'differs',
    `${plural(foreign.length, 'row')} of ${sample.records.length} ${foreign.length === 1 ? 'has' : 'have'} none of the mapped fields`,
    setting(at, value),
    sample.steps.find(({ rows }) => rows.records.some(isBlank))?.exchange,
  );
}

/** The claims about what the mapping makes of the rows. */
export const fieldClaims: readonly Claim[] = [
  claimOf('fields', (evidence) =>
    evidence.sample.records.length === 0
      ? []
      : rowFields(evidence).map((one) => checkField(evidence.ask, one, inRows(evidence, one.field.name))),
  ),
  claimOf('records', checkRecords),
];
