// Asks both sources each kind of question that callers may ask, such as each sort, before a migration begins.

import type { ListQuery } from '../../contract/query.ts';
import type { CanonicalRecord } from '../../contract/response-body.ts';
import type { Resource } from '../../contract/resources.ts';
import { Decimal } from '../../kernel/decimal.ts';
import { readListBody } from '../compare/read-body.ts';
import { bodyOrCode } from '../tasks/ask-at-low-priority.ts';
import { askForCheck, type SourcePair, firstPageQuery } from '../tasks/source-pair.ts';

/** A kind of question that callers may ask, once. */
type Kind = {
  /** Such as `sort=-name` or `category=…`: never with the value of a record. */
  readonly text: string;
  readonly query: ListQuery;
  /** Where a source's file says that the source can answer it, and how. */
  readonly place: string;
  readonly line: string;
};

/** At least so many of the records of one source are those of the other one, where both mean the same by a filter. */
const SAME_MIN = 0.5;

function sortKinds(resource: Resource): readonly Kind[] {
  return resource.sorts.flatMap((field) =>
    [false, true].map((descending) => ({
      text: `sort=${descending ? '-' : ''}${field}`,
      query: firstPageQuery(resource, { sort: { field, descending } }),
      place: `list.sort.columns.${field}`,
      line: `list.sort.columns: { ${field}: <its column> }`,
    })),
  );
}

/** Each filter with the value of a record that both sources have: one of them at least is to be found. */
function filterKinds(resource: Resource, records: readonly CanonicalRecord[]): readonly Kind[] {
  return resource.filters.flatMap(({ name, field, op }): Kind[] => {
    const value = records.map((record) => record[field] ?? null).find((one) => one !== null);
    const line = `list.filters: { ${field}: { ${op}: { query: { <its parameter>: '{value}' }, exactness: exact } } }`;
    const place = `list.filters.${field}.${op}`;
    const kindOf = (filter: ListQuery['filters'][number]) => [
      { text: `${name}=…`, query: firstPageQuery(resource, { filters: [filter] }), place, line },
    ];
    if (op === 'eq') return typeof value === 'string' ? kindOf({ field, op, value }) : [];
    return value instanceof Decimal ? kindOf({ field, op, value }) : [];
  });
}

/** What is wrong with the answers to one kind of question; `undefined`: nothing. */
async function compareKind(
  { resource, names: [legacyName, newName], legacy, new: newSource }: SourcePair,
  { text, query, place, line }: Kind,
  stop: AbortSignal,
): Promise<string | undefined> {
  const before = bodyOrCode(await askForCheck(legacy, query, stop));
  // What the legacy source cannot answer, no caller gets today.
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
 * Asks both sources each kind of question once: each sort in both directions, and each filter with a value of `records`,
 * which both sources have. Returns the kinds that the new source cannot answer, or answers with other records.
 */
export async function compareKinds(
  sources: SourcePair,
  records: readonly CanonicalRecord[],
  stop: AbortSignal,
): Promise<readonly string[]> {
  const { resource } = sources;
  const problems: string[] = [];
  for (const kind of [...sortKinds(resource), ...filterKinds(resource, records)]) {
    const problem = await compareKind(sources, kind, stop);
    if (problem !== undefined) problems.push(problem);
  }
  return problems;
}
