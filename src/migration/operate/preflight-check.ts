import { setTimeout as sleep } from 'node:timers/promises';
import type { GetQuery, ListQuery, Query } from '../../contract/query.ts';
import type { CanonicalRecord } from '../../contract/response-body.ts';
import type { Resource } from '../../contract/resources.ts';
import { GatewayError } from '../../errors/fault.ts';
import type { SourceHandler } from '../../policy/call.ts';
import { readDetailBody, readListBody } from '../compare/read-body.ts';
import type { Run, SourcesCheck } from './operator-tasks.ts';

/** The two sources of a resource that is to move. */
export type CheckedSources = {
  readonly resource: Resource;
  /** Their names. */
  readonly names: readonly [legacy: string, next: string];
  readonly legacy: SourceHandler;
  readonly next: SourceHandler;
};

/** As many records say whether two services mean the same by an id. */
const RECORDS = 20;
/** A store that is filled while it runs may lack some of them. */
const MISSING_MAX = 0.2;
/** At least so much of two records is equal where they are one. */
const EQUAL_MIN = 0.5;
const CALL_MS = 10_000;
/** Callers go first: a source that is busy is asked again. */
const ATTEMPTS = 5;
const RETRY_MS = 300;

/** What a source answers: a body, nothing, or why it could not. */
type Answer =
  | { readonly kind: 'found'; readonly body: string }
  | { readonly kind: 'missing' }
  | { readonly kind: 'failed'; readonly code: string };

async function askOnce(source: SourceHandler, query: Query, stop: AbortSignal): Promise<Answer> {
  const signal = AbortSignal.any([stop, AbortSignal.timeout(CALL_MS)]);
  const usage = { upstreamCalls: 0, upstreamMs: 0 };
  try {
    const answer = await source({ query, usage, signal, priority: 'shadow' });
    return answer.found ? { kind: 'found', body: answer.body } : { kind: 'missing' };
  } catch (error) {
    stop.throwIfAborted();
    return { kind: 'failed', code: error instanceof GatewayError ? error.code : 'server_error' };
  }
}

async function ask(source: SourceHandler, query: Query, stop: AbortSignal): Promise<Answer> {
  for (let attempt = 1; ; attempt += 1) {
    const answer = await askOnce(source, query, stop);
    if (answer.kind !== 'failed' || answer.code !== 'overloaded' || attempt === ATTEMPTS) return answer;
    await sleep(RETRY_MS, undefined, { signal: stop });
  }
}

const listOf = ({ name: resource }: Resource, more: Partial<ListQuery> = {}): ListQuery => ({
  ...{ kind: 'list', resource, page: 1, limit: RECORDS, sort: null, filters: [] },
  ...more,
});

/** Whether two records are one: what both say is mostly equal. Ids that are mapped wrongly bring somebody else's record. */
function isSameRecord(one: CanonicalRecord, other: CanonicalRecord): boolean {
  const fields = Object.keys(one).filter(
    (field) => field !== 'id' && one[field] !== null && (other[field] ?? null) !== null,
  );
  if (fields.length === 0) return true;
  const equal = fields.filter((field) => String(one[field]) === String(other[field]));
  return equal.length / fields.length >= EQUAL_MIN;
}

const idsText = (ids: readonly string[]) => `${ids.slice(0, 3).join(', ')}${ids.length > 3 ? ' …' : ''}`;

/** What became of the records of one source at the other. */
type Found = {
  readonly same: number;
  readonly others: readonly string[];
  readonly missing: readonly string[];
};

/** Finds the records of one source at the other one: one by one, or on its page where there are no single records. */
async function findRecords(
  resource: Resource,
  records: readonly CanonicalRecord[],
  at: { readonly source: SourceHandler; readonly page: readonly CanonicalRecord[] },
  { signal, progress }: Run,
): Promise<Found | { readonly code: string }> {
  const others: string[] = [];
  const missing: string[] = [];
  for (const [index, record] of records.entries()) {
    const { id } = record;
    let found = at.page.find((one) => one.id === record.id);
    if (resource.detail !== null) {
      const query: GetQuery = { kind: 'get', resource: resource.name, id };
      const answer = await ask(at.source, query, signal);
      if (answer.kind === 'failed') return answer;
      found = answer.kind === 'found' ? readDetailBody(resource, answer.body) : undefined;
    }
    if (found === undefined) missing.push(id);
    else if (found.id !== record.id || !isSameRecord(record, found)) others.push(id);
    progress(index + 1, records.length);
  }
  return { same: records.length - others.length - missing.length, others, missing };
}

/** Whether the records that are on both pages come in the same order. */
function isSameOrder(one: readonly CanonicalRecord[], other: readonly CanonicalRecord[]): boolean {
  const ids = new Set(other.map(({ id }) => id));
  const common = one.map(({ id }) => id).filter((id) => ids.has(id));
  const there = other.map(({ id }) => id).filter((id) => common.includes(id));
  return common.join() === there.join();
}

/** The kinds of question that only the legacy source can answer within its budget. */
async function unanswerable({ resource, legacy, next }: CheckedSources, stop: AbortSignal) {
  const found: string[] = [];
  for (const field of resource.sorts) {
    const query = listOf(resource, { limit: 1, sort: { field, descending: false } });
    const answer = await ask(next, query, stop);
    if (answer.kind !== 'failed') continue;
    const before = await ask(legacy, query, stop);
    if (before.kind !== 'failed') found.push(`sort=${field} (${answer.code})`);
  }
  return found;
}

/** What is wrong with what was found. */
function problemsOf([legacy, next]: CheckedSources['names'], found: Found, asked: number): readonly string[] {
  const { others, missing } = found;
  const problems: string[] = [];
  if (others.length > 0)
    problems.push(
      `${idsText(others)} of ${legacy} is another record in ${next}: its file must map id from the field that keeps the old one`,
    );
  if (missing.length / asked > MISSING_MAX)
    problems.push(
      `${next} lacks ${missing.length} of ${asked} records of ${legacy} (${idsText(missing)}): copy them first, or mend the id in its file`,
    );
  return problems;
}

/**
 * Checks that both sources give the same records under the same ids, in the same default order, and that the new one can
 * answer what the legacy one can. Nothing of the records is in what it says but ids.
 */
export async function preflightCheck(sources: CheckedSources, run: Run): Promise<SourcesCheck> {
  const { resource, names, legacy, next } = sources;
  const refused = (problem: string): SourcesCheck => ({ same: 0, asked: 0, problems: [problem] });
  const pages: (readonly CanonicalRecord[])[] = [];
  for (const [index, source] of [legacy, next].entries()) {
    const answer = await ask(source, listOf(resource), run.signal);
    if (answer.kind !== 'found')
      return refused(
        `${names[index] ?? ''} does not answer a list: ${answer.kind === 'failed' ? answer.code : 'not_found'}; portico doctor says why`,
      );
    pages.push(readListBody(resource, answer.body).records);
  }
  const [before = [], after = []] = pages;
  if (before.length === 0) return refused(`${names[0]} has no records, so nothing can be compared`);
  const found = await findRecords(resource, before, { source: next, page: after }, run);
  if ('code' in found) return refused(`${names[1]} does not answer for a single record: ${found.code}`);
  const unasked = await unanswerable(sources, run.signal);
  const problems = [
    ...problemsOf(names, found, before.length),
    ...(isSameOrder(before, after)
      ? []
      : ['the default order of both sources is not the same: look at list.order in both files']),
    ...(unasked.length === 0
      ? []
      : [
          `${names[1]} cannot answer what ${names[0]} can: ${unasked.join(', ')}; portico check shows its costs`,
        ]),
  ];
  return { same: found.same, asked: before.length, problems };
}
