// Reads all records of one source, page by page, for a walk.

import type { ListQuery } from '../../contract/query.ts';
import type { Resource } from '../../contract/resource.ts';
import type { SourceHandler } from '../../pipeline/stages/call.ts';
import { compileRowCodec } from '../../store/scan-cache/row-codec.ts';
import { readListBody } from '../compare/read-body.ts';
import { answerOf, type AskAtLowPriority } from '../tasks/ask-at-low-priority.ts';

/** The records of a list by id. Each is kept as text (see `RowCodec`), because text needs less memory than an object. */
export type ListedRecords = {
  readonly texts: ReadonlyMap<string, string>;
  /** The ids that came more than once. */
  readonly duplicates: ReadonlySet<string>;
  /** The total on the last page. */
  readonly total: number;
};

/** The largest page that a contract allows by default. */
const PAGE = 100;

/** The query for a page of all records, sorted by id if the contract allows that. */
export function pageQuery({ name, sorts }: Resource, page: number): ListQuery {
  const sort = sorts.includes('id') ? { field: 'id', descending: false } : null;
  return { kind: 'list', resource: name, page, limit: PAGE, sort, filters: [] };
}

/**
 * Reads all pages of a source. If the source has to be scanned, one scan serves all pages. After each page `onPage` is called with
 * the number of records read so far, and the total. @throws Error if the source fails
 */
export async function listRecords(
  resource: Resource,
  source: SourceHandler,
  ask: AskAtLowPriority,
  signal: AbortSignal,
  onPage: (read: number, total: number) => void,
): Promise<ListedRecords> {
  const texts = new Map<string, string>();
  const codec = compileRowCodec(resource.itemFields);
  const duplicates = new Set<string>();
  for (let page = 1; ; page += 1) {
    const answer = answerOf(await ask(source, pageQuery(resource, page), signal));
    const { records, total } = readListBody(resource, answer.found ? answer.body : '{}');
    for (const record of records) {
      if (texts.has(record.id)) duplicates.add(record.id);
      texts.set(record.id, JSON.stringify(codec.toValues(record)));
    }
    onPage(texts.size, total);
    if (records.length === 0 || page * PAGE >= total) return { texts, duplicates, total };
  }
}
