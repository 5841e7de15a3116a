// Finds for `infer` the parameter that sets how many rows a window has.

import type { ListAnswer, ListReply } from '../requests/list-reader.ts';
import { type Effect, findParameter, type Search } from './find-parameter.ts';
import { withValue } from '../requests/request-parameters.ts';
import type { ParameterCandidate } from './parameter-names.ts';

/** The parameter for the number of rows in a window. */
export type SizeParameter = ParameterCandidate & {
  /** The only sizes that the service accepts; `undefined` if it accepts any. */
  readonly allowed: readonly number[] | undefined;
  readonly largest: LargestWindow;
};

/** The largest window that came; `size` is how many rows were requested. */
export type LargestWindow = { readonly size: number; readonly listing: ListReply };

/** What the search for a size needs to know. */
type SizeSearch = Omit<Search, 'value' | 'effectOf' | 'callsMax'>;

/** Page sizes that services commonly offer. */
const USUAL_SIZES = [5, 10, 20, 25, 50, 100, 200];
/** Sizes that are requested to see the largest window, in this order. */
const LARGE_SIZES = [1000, 500, 250, 200, 100, 50, 25];

/** The sizes that a parameter accepts, if it refuses others. */
async function allowedSizes(
  { reader, request }: SizeSearch,
  { place }: ParameterCandidate,
  base: ListReply,
): Promise<readonly number[]> {
  const allowed: number[] = [];
  let full = Infinity;
  for (const size of USUAL_SIZES) {
    const { listing } = await reader.read(withValue(request, place, size));
    if (listing === undefined) continue;
    // A size above the number of rows proves nothing. A size that gives fewer rows was not accepted.
    if (listing.rows.length !== size && listing.rows.length !== full) {
      if (listing.rows.length < Math.min(size, base.rows.length)) continue;
      full = listing.rows.length;
    }
    allowed.push(size);
  }
  return allowed;
}

/** Asks for the largest window, up to a thousand rows, and for smaller ones if large ones are refused. */
async function readLargest(
  { reader, request }: SizeSearch,
  { place }: ParameterCandidate,
  sizes: readonly number[],
): Promise<LargestWindow | undefined> {
  for (const size of sizes) {
    if (reader.client.callsLeft < 1) break;
    const { listing } = await reader.read(withValue(request, place, size));
    const rows = listing?.rows.length ?? 0;
    if (listing !== undefined && rows > 0 && rows <= size) return { size, listing };
  }
  return undefined;
}

/**
 * Finds the parameter for the number of rows, by asking for two rows, and the largest window. `undefined` if no parameter
 * has an effect, or if there are too few rows to see it.
 */
export async function findSizeParameter(
  base: ListReply,
  search: SizeSearch,
): Promise<SizeParameter | undefined> {
  if (base.rows.length < 2) return undefined;
  // A single row may have been found by a filter.
  const wanted = base.rows.length > 2 ? 2 : 1;
  // The effect of a request for `wanted` rows, compared with the reply without the parameter.
  const effectOf = ({ listing }: ListAnswer): Effect => {
    if (listing === undefined) return 'refused';
    if (listing.rows.length === wanted) return 'obeyed';
    return listing.rows.length === base.rows.length ? 'ignored' : 'other';
  };
  const found = await findParameter({ ...search, value: wanted, effectOf, callsMax: 30 });
  for (const { candidate, effect } of found) {
    const allowed = effect === 'obeyed' ? undefined : await allowedSizes(search, candidate, base);
    // A parameter that is a filter finds no rows with other values.
    const largest = await readLargest(search, candidate, allowed?.toReversed() ?? LARGE_SIZES);
    if (largest !== undefined) return { ...candidate, allowed, largest };
  }
  return undefined;
}
