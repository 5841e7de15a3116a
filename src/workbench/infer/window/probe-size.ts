import type { RequestSpec } from '../../../config/schema/source.ts';
import type { ListReader, ListAnswer, ListReply } from '../requests/list-reader.ts';
import { bestFirst, type Effect, findParameter, type UnknownParameter } from './probe-parameter.ts';
import { withValue } from '../requests/request-parameters.ts';
import type { ParameterCandidate } from './parameter-names.ts';

/** The parameter for the number of rows in a window. */
export type SizeParameter = ParameterCandidate & {
  /** The only sizes that the service accepts; `undefined` if it accepts any. */
  readonly allowed: readonly number[] | undefined;
};

/** Page sizes that services commonly offer. */
const USUAL_SIZES = [5, 10, 20, 25, 50, 100, 200];

function judgeSize(base: ListReply, wanted: number): (answer: ListAnswer) => Effect {
  return ({ listing }) => {
    if (listing === undefined) return 'refused';
    if (listing.rows.length === wanted) return 'obeyed';
    return listing.rows.length === base.rows.length ? 'ignored' : 'other';
  };
}

/** The sizes that a parameter accepts, if it refuses others. */
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
    // A size above the number of rows proves nothing. A size that gives fewer rows was not accepted.
    if (listing.rows.length !== size && listing.rows.length !== full) {
      if (listing.rows.length < Math.min(size, base.rows.length)) continue;
      full = listing.rows.length;
    }
    allowed.push(size);
  }
  return allowed;
}

/** Whether a request for two rows gives two rows. A single row may have been found by a filter. */
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
 * Finds the parameter for the number of rows, by asking for one row. `undefined` if no parameter has an effect, or if
 * there are too few rows to see it.
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

/** The largest window that was tried. */
export type Largest = {
  readonly size: number;
  /** The service gave fewer rows than requested. */
  readonly cut: boolean;
  /** So many rows came, and the list has more. */
  readonly seen: boolean;
  readonly listing: ListReply | undefined;
};

/** Finds the largest window, up to a thousand rows. It tries smaller ones if large ones are refused. */
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
