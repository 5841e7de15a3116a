// Probes whether the mapping of a source file can read the fields of the rows.

import { compilePath, pathWith } from '../../../../source/adapter/spec/path.ts';
import { explainReplies } from '../../../../source/adapter/read/explain-reply.ts';
import type { Value } from '../../../../contract/fields.ts';
import type { JsonObject } from '../../../../kernel/json/json.ts';
import { isObject } from '../../../../kernel/json/values.ts';
import { type Claim, claimOf, type Evidence } from '../../../../source/checks/claim.ts';
import { listPlace } from '../../../../source/checks/evidence/ask.ts';
import { concludeAt, type Finding, setting } from '../../../../source/checks/evidence/finding.ts';
import { plural } from '../../../../kernel/plural.ts';
import { isBlank } from '../../../../source/checks/evidence/walk.ts';

/** If a larger share of the values is unreadable, the steps of the file are wrong and not the data. */
const UNREADABLE_SHARE = 0.1;

/** If there are fewer rows, an optional field may be missing by chance. */
const ROWS_CONCLUSIVE = 20;

/** The most unreadable values of a field that a finding shows. */
const VALUES_REPORTED = 5;

/** The fields that are read from the rows, besides the id, with the first path of each. */
function mappedFields({ ask: { resource, list } }: Evidence) {
  return resource.itemFields.flatMap(({ name, kind }) => {
    const from = [list.map[name]?.from ?? []].flat();
    return kind === 'id' || from.length === 0 ? [] : [{ name, path: from[0] ?? '' }];
  });
}

/** Some of the values that could not be read, as the source wrote them; an empty text unless values may be displayed. */
function unreadableValues({ ask, sample }: Evidence, field: string): string {
  const explainer = ask.showValues ? explainReplies(ask.spec, ask.resource, 'list') : undefined;
  if (explainer === undefined) return '';
  const texts = sample.steps.flatMap(({ exchange: { reply }, rows }) => {
    const unset = new Set<Value>(
      rows.records.flatMap(({ id, [field]: value }) => (value === null ? id : [])),
    );
    if (unset.size === 0 || reply.body.length === 0) return [];
    const read = explainer.rows(reply).map((row) => explainer.explain(row));
    // Rows that `dropWhen` drops are no records.
    const own = read.filter((row) => row.some((one) => one.field === 'id' && unset.has(one.value))).flat();
    const unread = own.filter((one) => one.field === field && one.state === 'unreadable');
    return unread.map(({ found }) => JSON.stringify(found));
  });
  const some = [...new Set(texts)].slice(0, VALUES_REPORTED);
  return some.length === 0 ? '' : `, such as ${some.join(', ')}`;
}

/** Checks what the mapping made of one field in the rows that were read. */
function checkField(evidence: Evidence, name: string): Finding {
  const { ask, sample, gaps } = evidence;
  const rows = sample.records.length;
  const conclude = concludeAt(
    `field ${name}`,
    `every row has ${name}, as it is read here`,
    listPlace(ask, 'map', name),
  );
  const unknown = sample.records.filter((record) => (record[name] ?? null) === null).length;
  // Windows behind the end may bring rows again, and their missing values were counted again, too.
  const [missing, unreadable] = ['missing', 'unreadable'].map((why) =>
    Math.min(unknown, gaps.get(`${name} ${why}`) ?? 0),
  ) as [number, number];
  const share = (count: number) => `${count} of ${plural(rows, 'row')}`;
  if (missing >= rows)
    return conclude(
      rows < ROWS_CONCLUSIVE ? 'could not tell' : 'differs',
      `there is nothing at its path in ${share(rows)}`,
      `map.${name}: the path; null, if the source has nothing of the kind`,
    );
  const values = unreadable === 0 ? '' : unreadableValues(evidence, name);
  if (unreadable > rows * UNREADABLE_SHARE)
    return conclude(
      'differs',
      `it cannot be read in ${share(unreadable)}${values}`,
      `map.${name}: the steps under \`as\`: format, zone, codes, signs`,
    );
  if (unknown === 0) return conclude('agrees', `it is there in ${share(rows)}`);
  const parts = [
    ...(missing > 0 ? [`${missing} without it`] : []),
    ...(unreadable > 0
      ? [`${unreadable} unreadable${ask.showValues ? values : ' (doctor --values shows the value)'}`]
      : []),
    ...(unknown > missing + unreadable ? [`${unknown - missing - unreadable} empty`] : []),
  ];
  return conclude('noted', `unknown in ${share(unknown)}: ${parts.join(', ')}`);
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
  const fields = mappedFields(evidence);
  const others = sample.records.filter((record) => !isBlank(record));
  // XML has no element for a value that is empty, so a record may look like this.
  if (ask.spec.decode.format === 'xml') return undefined;
  if (fields.length === 0 || others.length === 0 || others.length === sample.records.length) return undefined;
  const { own, foreign } = splitForeign(
    evidence,
    fields.map(({ path }) => path),
  );
  const always = fields.find(({ name }) => others.every((record) => (record[name] ?? null) !== null));
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
      : mappedFields(evidence).map(({ name }) => checkField(evidence, name)),
  ),
  claimOf('records', checkRecords),
];
