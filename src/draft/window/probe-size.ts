import type { RequestSpec } from '../../config/schema/source.ts';
import type { ListReader, ListAnswer, ListReply } from '../requests/list-reader.ts';
import { bestFirst, type Effect, findParameter, type UnknownParameter } from './probe-parameter.ts';
import { withValue } from '../requests/request-parameters.ts';
import type { ParameterCandidate } from './parameter-names.ts';

/** The parameter for the number of rows. */
export type SizeParameter = ParameterCandidate & {
  /** The only sizes that are taken; `undefined` where any is. */
  readonly allowed: readonly number[] | undefined;
};

/** Sizes that services offer to choose from. */
const USUAL_SIZES = [5, 10, 20, 25, 50, 100, 200];

function judgeSize(base: ListReply, wanted: number): (answer: ListAnswer) => Effect {
  return ({ listing }) => {
    if (listing === undefined) return 'refused';
    if (listing.rows.length === wanted) return 'obeyed';
    return listing.rows.length === base.rows.length ? 'ignored' : 'other';
  };
}

/** The sizes that a parameter takes which refuses some. */
async function allowedSizes(
  reader: ListReader,
  request: RequestSpec,
  { place }: ParameterCandidate,
  base: ListReply,
): Promise<readonly number[]> {
  const allowed: number[] = [];
  let full = Infinity;
  for (const size of USUAL_SIZES) {
    const { listing } = await reader.read(withValue(request, place, size));
    if (listing === undefined) continue;
    // A size beyond the end shows nothing; one that is cut off is not taken.
    if (listing.rows.length !== size && listing.rows.length !== full) {
      if (listing.rows.length < Math.min(size, base.rows.length)) continue;
      full = listing.rows.length;
    }
    allowed.push(size);
  }
  return allowed;
}

/** Whether a parameter gives two rows where two are asked for: one row might have been one that was found. */
async function holds(
  reader: ListReader,
  request: RequestSpec,
  { place }: ParameterCandidate,
  base: ListReply,
): Promise<boolean> {
  if (base.rows.length < 3) return true;
  const { listing } = await reader.read(withValue(request, place, 2));
  return listing?.rows.length === 2;
}

/**
 * Finds the parameter for the number of rows, by asking for one. `undefined` where none has an effect, or where there
 * are too few rows to see it.
 */
export async function findSize(
  reader: ListReader,
  request: RequestSpec,
  base: ListReply,
  {
    candidates,
    unknownParameter,
  }: { readonly candidates: readonly ParameterCandidate[]; readonly unknownParameter: UnknownParameter },
): Promise<SizeParameter | undefined> {
  if (base.rows.length < 2) return undefined;
  const found = await findParameter(reader, {
    candidates: bestFirst(candidates, unknownParameter),
    request,
    value: 1,
    unknownParameter,
    judge: judgeSize(base, 1),
    callsMax: 30,
  });
  for (const { candidate, effect } of found) {
    if (effect === 'obeyed') {
      if (await holds(reader, request, candidate, base)) return { ...candidate, allowed: undefined };
      continue;
    }
    const allowed = await allowedSizes(reader, request, candidate, base);
    if (allowed.length > 0) return { ...candidate, allowed };
  }
  return undefined;
}

/** What is known of the largest window. */
export type Largest = {
  readonly size: number;
  /** More rows were asked for and not given. */
  readonly cut: boolean;
  /** That many rows came, and not only all there are. */
  readonly seen: boolean;
  readonly listing: ListReply | undefined;
};

/** The most rows that come at once, up to a thousand. Asks for less where too much is refused. */
export async function findLargest(
  reader: ListReader,
  request: RequestSpec,
  size: SizeParameter,
): Promise<Largest> {
  const tries = size.allowed === undefined ? [1000, 500, 250, 200, 100, 50, 25] : [...size.allowed].reverse();
  for (const wanted of tries) {
    if (reader.client.callsLeft < 1) break;
    const { listing } = await reader.read(withValue(request, size.place, wanted));
    if (listing === undefined || listing.rows.length === 0) continue;
    const count = listing.rows.length;
    if (count > wanted) continue;
    return { size: wanted, cut: count < wanted, seen: count === wanted, listing };
  }
  return { size: 1, cut: false, seen: false, listing: undefined };
}
