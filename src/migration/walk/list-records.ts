// Reads all records of one source, page by page.

import type { ListQuery } from '../../contract/query.ts';
import type { Resource } from '../../contract/resources.ts';
import { GatewayError } from '../../errors/fault.ts';
import type { SourceAnswer, SourceHandler } from '../../policy/call.ts';
import { compileRowCodec } from '../../store/rowset/row-codec.ts';
import { readListBody } from '../compare/read-body.ts';
import type { Pacer } from './pacer.ts';

/** The records of a list by id, each as the text of its values (see `RowCodec`), which takes less memory than an object. */
export type ListedRecords = {
  readonly texts: ReadonlyMap<string, string>;
  /** Ids that were on more than one page. */
  readonly duplicates: ReadonlySet<string>;
  /** The total on the last page. */
  readonly total: number;
};

/** The largest page of the contract. */
const PAGE = 100;

/** The query of a page of all records, sorted by id where the contract allows that. */
export function pageQuery({ name, sorts }: Resource, page: number): ListQuery {
  const sort = sorts.includes('id') ? { field: 'id', descending: false } : null;
  return { kind: 'list', resource: name, page, limit: PAGE, sort, filters: [] };
}

/**
 * Asks a source with the lowest priority, at the pace of the walk. It may scan, because the rows of one scan also serve all
 * further pages. @throws Error that names the source which has failed
 */
export async function readQuietly(
  source: SourceHandler,
  query: Parameters<SourceHandler>[0]['query'],
  pace: Pacer,
  signal: AbortSignal,
): Promise<SourceAnswer> {
  const usage = { upstreamCalls: 0, upstreamMs: 0 };
  try {
    const answer = await source({ query, usage, signal, priority: 'shadow' });
    await pace(usage.upstreamCalls, signal);
    return answer;
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof GatewayError)) throw error;
    const name = error.upstream?.source ?? 'a source';
    throw new Error(`${name} fails: ${error.code}`, { cause: error });
  }
}

/** Reads all pages of a source. `onPage` learns how many records were read of how many. @throws Error */
export async function listRecords(
  resource: Resource,
  source: SourceHandler,
  pace: Pacer,
  signal: AbortSignal,
  onPage: (read: number, total: number) => void,
): Promise<ListedRecords> {
  const texts = new Map<string, string>();
  const codec = compileRowCodec(resource.itemFields);
  const duplicates = new Set<string>();
  for (let page = 1; ; page += 1) {
    const answer = await readQuietly(source, pageQuery(resource, page), pace, signal);
    const { records, total } = readListBody(resource, answer.found ? answer.body : '{}');
    for (const record of records) {
      if (texts.has(record.id)) duplicates.add(record.id);
      texts.set(record.id, JSON.stringify(codec.toValues(record)));
    }
    onPage(texts.size, total);
    if (records.length === 0 || page * PAGE >= total) return { texts, duplicates, total };
  }
}
