// Finds out for a comparison whether a record at the edge of a page is missing, or has only moved to a neighbouring page.

import type { Query } from '../../contract/query.ts';
import type { Resource } from '../../contract/resource.ts';
import type { Origin } from '../../kernel/migration-origin.ts';
import type { AnswerDifference } from '../compare/comparison.ts';
import { readListBody } from '../compare/read-body.ts';
import type { ComparisonCall } from './comparison-call.ts';
import { type Confirmation, otherOrigin } from './confirm.ts';

/** Whether a difference is certain, because its record cannot have moved to another page. */
export const isInPlace = ({ only }: AnswerDifference): boolean => only === undefined;

/** Asks one source for a page; `undefined` if no further call is allowed now. */
export type ReadPage = (origin: Origin, query: Query) => Promise<ComparisonCall | undefined>;

/**
 * If one list lacks three records, the rows of all later pages move. So a record at the edge of a page (`boundary`) is looked for
 * on the neighbouring pages of the other list. If the record is there, it is no difference; otherwise the other list lacks it. It
 * cannot have moved further, because both pages share a record. Returns the differences that are left; `undefined` if a page could
 * not be read.
 */
async function resolvePageShift(
  resource: Resource,
  query: Query,
  differences: readonly AnswerDifference[],
  read: ReadPage,
): Promise<readonly AnswerDifference[] | undefined> {
  if (query.kind === 'get') return differences;
  const moved = new Set<AnswerDifference>();
  for (const origin of ['legacy', 'new'] as const)
    for (const page of [query.page - 1, query.page + 1]) {
      const wanted = differences.filter((one) => one.only === otherOrigin(origin) && !moved.has(one));
      if (wanted.length === 0 || page === 0) continue;
      const call = await read(origin, { ...query, page });
      if (call?.kind !== 'answered' || !call.isFresh) return undefined;
      const { records } = readListBody(resource, call.answer.found ? call.answer.body : '{}');
      const ids = new Set(records.map(({ id }) => id));
      for (const one of wanted) if (ids.has(one.id ?? '')) moved.add(one);
    }
  return differences
    .filter((one) => !moved.has(one))
    .map(({ only, ...one }) =>
      only === undefined ? one : { ...one, kind: only === 'legacy' ? 'missing_id' : 'extra_id' },
    );
}

/**
 * Removes the records that have only moved to another page from a confirmed comparison. Ignored or transient records at the edge
 * of a page are removed, and no other page is read for them.
 */
export async function withoutPageShift(
  resource: Resource,
  query: Query,
  { verdict, differences, ...confirmed }: Confirmation,
  read: ReadPage,
): Promise<Pick<Confirmation, 'verdict' | 'differences' | 'ignored' | 'transient'>> {
  const ignored = confirmed.ignored.filter(isInPlace);
  const transient = confirmed.transient.filter(isInPlace);
  const rest = { differences: [], ignored, transient };
  const agreed = transient.length > 0 ? 'transient' : ignored.length > 0 ? 'ignored' : 'match';
  if (verdict === 'transient') return { ...rest, verdict: agreed };
  if (verdict !== 'mismatch') return { ...rest, verdict, differences };
  const left = await resolvePageShift(resource, query, differences, read);
  if (left === undefined) return { ...rest, verdict: 'inconclusive' };
  if (left.length > 0) return { ...rest, verdict, differences: left };
  return { ...rest, verdict: agreed };
}
