// Checks for `portico migration create` that both sources have the same records under the same ids, before anything moves.

import type { GetQuery } from '../../contract/query.ts';
import type { CanonicalRecord } from '../../contract/response-body.ts';
import type { Resource } from '../../contract/resource.ts';
import type { SourceHandler } from '../../pipeline/stages/call.ts';
import { readDetailBody, readListBody } from '../compare/read-body.ts';
import { bodyOrCode, createAskAtLowPriority } from '../tasks/ask-at-low-priority.ts';
import { firstPageQuery } from '../tasks/sample-questions.ts';
import { askForCheck, compareKinds, type SourcePair } from './compare-kinds.ts';
import type { Run, SourcesCheck } from '../tasks/task-results.ts';

/** The new source may lack this share of the records, because it may still be filled. */
const MISSING_MAX = 0.2;
/** Two records count as the same if at least this share of their fields is equal. */
const EQUAL_MIN = 0.5;

/** Whether two records with one id are the same record. If the id is mapped wrongly, most fields differ. */
function isSameRecord(one: CanonicalRecord, other: CanonicalRecord): boolean {
  const fields = Object.keys(one).filter(
    (field) => field !== 'id' && one[field] !== null && (other[field] ?? null) !== null,
  );
  if (fields.length === 0) return true;
  const equal = fields.filter((field) => String(one[field]) === String(other[field]));
  return equal.length / fields.length >= EQUAL_MIN;
}

const idsText = (ids: readonly string[]) => `${ids.slice(0, 3).join(', ')}${ids.length > 3 ? ' …' : ''}`;

/** The records of the legacy source. `same`: the new source has them; `others`: their id is another record there. */
type Found = {
  readonly same: readonly CanonicalRecord[];
  readonly others: readonly string[];
  readonly missing: readonly string[];
};

/** Looks for records at the new source: one by one, or on its first page if the contract has no single records. */
async function findRecords(
  resource: Resource,
  records: readonly CanonicalRecord[],
  at: { readonly source: SourceHandler; readonly page: readonly CanonicalRecord[] },
  { signal, progress }: Run,
): Promise<Found | { readonly code: string }> {
  const same: CanonicalRecord[] = [];
  const others: string[] = [];
  const missing: string[] = [];
  for (const [index, record] of records.entries()) {
    const { id } = record;
    let found = at.page.find((one) => one.id === record.id);
    if (resource.hasSingle) {
      const query: GetQuery = { kind: 'get', resource: resource.name, id };
      const read = bodyOrCode(await askForCheck(at.source, query, signal));
      if ('code' in read && read.code !== 'not_found') return read;
      found = 'body' in read ? readDetailBody(resource, read.body) : undefined;
    }
    if (found === undefined) missing.push(id);
    else if (found.id !== record.id || !isSameRecord(record, found)) others.push(id);
    else same.push(record);
    progress(index + 1, records.length);
  }
  return { same, others, missing };
}

/** Whether the records on both pages are in the same order. */
function isSameOrder(one: readonly CanonicalRecord[], other: readonly CanonicalRecord[]): boolean {
  const ids = new Set(other.map(({ id }) => id));
  const common = one.map(({ id }) => id).filter((id) => ids.has(id));
  const there = other.map(({ id }) => id).filter((id) => common.includes(id));
  return common.join() === there.join();
}

/** What is wrong with the records, for operators. */
function problemsOf([legacy, newName]: SourcePair['names'], found: Found, asked: number): readonly string[] {
  const { others, missing } = found;
  const problems: string[] = [];
  if (others.length > 0)
    problems.push(
      `${idsText(others)} of ${legacy} is another record in ${newName}: its file must map id from the field that keeps the old one`,
    );
  if (missing.length / asked > MISSING_MAX)
    problems.push(
      `${newName} lacks ${missing.length} of ${asked} records of ${legacy} (${idsText(missing)}): copy them first, or fix the id in its file`,
    );
  return problems;
}

/**
 * Checks that both sources have the same records under the same ids and in the same default order, and that the new source can
 * answer each kind of question that the legacy source can. The problems contain ids of records, but no other values.
 */
export async function checkSourcesAgree(sources: SourcePair, run: Run): Promise<SourcesCheck> {
  const { resource, names, legacy, new: newSource } = sources;
  const refused = (problem: string): SourcesCheck => ({ same: 0, asked: 0, problems: [problem] });
  const pages: (readonly CanonicalRecord[])[] = [];
  for (const [index, source] of [legacy, newSource].entries()) {
    const read = bodyOrCode(await askForCheck(source, firstPageQuery(resource), run.signal));
    if ('code' in read)
      return refused(`${names[index] ?? ''} does not answer a list: ${read.code}; portico doctor says why`);
    pages.push(readListBody(resource, read.body).records);
  }
  const [before = [], after = []] = pages;
  if (before.length === 0) return refused(`${names[0]} has no records, so nothing can be compared`);
  const found = await findRecords(resource, before, { source: newSource, page: after }, run);
  if ('code' in found) return refused(`${names[1]} does not answer for a single record: ${found.code}`);
  const problems = [
    ...problemsOf(names, found, before.length),
    ...(isSameOrder(before, after)
      ? []
      : ['the default order of both sources is not the same: look at list.order in both files']),
    ...(await compareKinds(sources, found.same, run.signal)),
  ];
  return { same: found.same.length, asked: before.length, problems };
}

/** Asks a source before a rollback. An operator waits for it, so a source that hangs has only 3 s. */
const ask = createAskAtLowPriority({ timeLimitMs: 3_000 });

/** Why the legacy source does not answer the first page of the list; `undefined` if it does. */
export async function legacyProblem(
  { resource, names, legacy }: SourcePair,
  signal: AbortSignal,
): Promise<string | undefined> {
  const read = bodyOrCode(await ask(legacy, firstPageQuery(resource), signal));
  return 'code' in read ? `${names[0]} does not answer: ${read.code}` : undefined;
}
