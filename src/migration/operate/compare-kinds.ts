// Asks both sources each kind of question that callers may ask, such as each sort, for the check of check-sources-agree.ts.

import { sortsOf } from '../../contract/example-filters.ts';
import type { ListQuery } from '../../contract/query.ts';
import type { CanonicalRecord } from '../../contract/response-body.ts';
import type { Resource } from '../../contract/resource.ts';
import type { SourceHandler } from '../../pipeline/stages/call.ts';
import { readListBody } from '../compare/read-body.ts';
import { bodyOrCode, createAskAtLowPriority } from '../tasks/ask-at-low-priority.ts';
import { filtersOf, firstPageQuery } from '../tasks/sample-questions.ts';

/** The two sources of a resource that is to move, and their names. */
export type SourcePair = {
  readonly resource: Resource;
  readonly names: readonly [legacy: string, new: string];
  readonly legacy: SourceHandler;
  readonly new: SourceHandler;
};

/** Asks a source. An operator waits for the result, so a source that hangs has only 10 s. */
export const askForCheck = createAskAtLowPriority({ timeLimitMs: 10_000 });

/** A kind of question that callers may ask. */
type Kind = {
  /** The kind as text, such as `sort=-name` or `category=…`. It never contains the value of a record. */
  readonly text: string;
  readonly query: ListQuery;
  /** The key in a source's file by which the source answers this kind. */
  readonly place: string;
  /** The line to write into the file for this kind. */
  readonly line: string;
};

/** If fewer of the found ids are the same, the sources do not mean the same by a filter. */
const SAME_MIN = 0.5;

/** Each sort, and each filter with the value of a record that both sources have, so that the filter finds a record. */
function kindsOf(resource: Resource, records: readonly CanonicalRecord[]): readonly Kind[] {
  const sorts = sortsOf(resource).map(({ text, sort }) => ({
    ...{ text, query: firstPageQuery(resource, { sort }), place: `list.sort.columns.${sort.field}` },
    line: `list.sort.columns: { ${sort.field}: <its column> }`,
  }));
  const filters = filtersOf(resource, records).map(({ text, filter }) => ({
    ...{ text, query: firstPageQuery(resource, { filters: [filter] }) },
    place: `list.filters.${filter.field}.${filter.op}`,
    line: `list.filters: { ${filter.field}: { ${filter.op}: { query: { <its parameter>: '{value}' }, exactness: exact } } }`,
  }));
  return [...sorts, ...filters];
}

/** What is wrong with the answers to one kind of question; `undefined` if nothing is wrong. */
async function compareKind(
  { resource, names: [legacyName, newName], legacy, new: newSource }: SourcePair,
  { text, query, place, line }: Kind,
  stop: AbortSignal,
): Promise<string | undefined> {
  const before = bodyOrCode(await askForCheck(legacy, query, stop));
  // If the legacy source cannot answer, callers get no answer today either.
  if ('code' in before) return undefined;
  const after = bodyOrCode(await askForCheck(newSource, query, stop));
  if ('code' in after)
    return (
      `${newName} cannot answer ${text} (${after.code}), and ${legacyName} can: ` +
      `write resources.${resource.name}.${line} in the file of ${newName}, or raise its budget; portico check shows what it costs`
    );
  if (query.filters.length === 0) return undefined;
  const idsOf = (body: string) => readListBody(resource, body).records.map(({ id }) => id);
  const [ids, others] = [idsOf(before.body), new Set(idsOf(after.body))];
  const same = ids.filter((id) => others.has(id)).length;
  return same >= ids.length * SAME_MIN
    ? undefined
    : `${newName} answers ${text} with other records than ${legacyName}: ${same} of ${ids.length} ids are the same; ` +
        `look at resources.${resource.name}.${place} in both files`;
}

/**
 * Asks both sources each kind of question once. `records` are records that both sources have. Returns a problem for each kind
 * that the new source cannot answer, or answers with other records.
 */
export async function compareKinds(
  sources: SourcePair,
  records: readonly CanonicalRecord[],
  stop: AbortSignal,
): Promise<readonly string[]> {
  const { resource } = sources;
  const problems: string[] = [];
  for (const kind of kindsOf(resource, records)) {
    const problem = await compareKind(sources, kind, stop);
    if (problem !== undefined) problems.push(problem);
  }
  return problems;
}
