// The two sources that are checked before a migration begins, and how they are asked.

import type { ListQuery } from '../../contract/query.ts';
import type { Resource } from '../../contract/resources.ts';
import type { SourceHandler } from '../../pipeline/stages/call.ts';
import { createAskAtLowPriority } from './ask-at-low-priority.ts';

/** The two sources of a resource that is to move. */
export type SourcePair = {
  readonly resource: Resource;
  /** Their names. */
  readonly names: readonly [legacy: string, new: string];
  readonly legacy: SourceHandler;
  readonly new: SourceHandler;
};

/** As many records say whether two services mean the same. */
const RECORDS = 20;

/** An operator waits for the check, so a source that hangs must not hold it up for long. */
export const askForCheck = createAskAtLowPriority({ timeLimitMs: 10_000 });

/** The query for the first page of a list. */
export function firstPageQuery({ name: resource }: Resource, more: Partial<ListQuery> = {}): ListQuery {
  return { kind: 'list', resource, page: 1, limit: RECORDS, sort: null, filters: [], ...more };
}
