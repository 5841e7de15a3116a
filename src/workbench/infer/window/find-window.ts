// Finds out for `infer` how a service divides a list into windows (pages).

import type { RequestSpec } from '../../../config/schema/source.ts';
import type { Dialect } from '../dialects/dialect.ts';
import { wholeNumber } from '../../../kernel/json/values.ts';
import type { ListReader, ListReply } from '../requests/list-reader.ts';
import { envelopeOf, lastName } from '../../../source/checks/evidence/document-leaves.ts';
import { findNextWindow, type NextForm } from './find-next-window.ts';
import { probeUnknownParameter, type UnknownParameter } from './find-parameter.ts';
import { findSizeParameter, type SizeParameter } from './find-size-parameter.ts';
import { findStartParameter, type StartParameter } from './find-start-parameter.ts';
import { type Parameter, parameterName, withValue } from '../requests/request-parameters.ts';
import { candidatesFor, givenNumbers, type ParameterCandidate, rangeCandidates } from './parameter-names.ts';

/** Windows that are requested by the number of a row or page. */
export type NumberedWindows = {
  readonly kind: 'numbered';
  readonly request: RequestSpec;
  readonly size: SizeParameter | undefined;
  readonly start: StartParameter;
  /** The number of rows in a window. */
  readonly rows: number;
  readonly unknownParameter: UnknownParameter;
};

/** How a service divides its rows into windows (pages), as far as the probes showed. */
export type FoundWindow =
  | NumberedWindows
  | {
      readonly kind: 'next';
      readonly form: NextForm;
      readonly size: SizeParameter | undefined;
      readonly request: RequestSpec;
      readonly unknownParameter: UnknownParameter;
    }
  /** No parameter and no link had an effect. The reply has all rows, or there is no way to the others. */
  | { readonly kind: 'none' }
  /** There were too few rows, or no service to call. */
  | { readonly kind: 'unseen' };

/** What is known of a list from its first reply (`base`) to the operator's request. */
export type KnownList = {
  readonly reader: ListReader;
  readonly request: RequestSpec;
  readonly base: ListReply;
  readonly dialect: Dialect | undefined;
};

/** The page size that a reply states, if no parameter changes it. */
export function echoedSize({ document }: ListReply): number | undefined {
  const names = ['perpage', 'pagesize', 'limit', 'itemsperpage', 'size'];
  return wholeNumber(envelopeOf(document).find((leaf) => names.includes(lastName(leaf)))?.value);
}

const sameParameter = (a: Parameter, b: Parameter) => JSON.stringify(a) === JSON.stringify(b);

/** The first parameter that is found among groups of candidates: the usual names, then each number in the request. */
async function findAmong<T>(
  groups: readonly (readonly ParameterCandidate[])[],
  find: (candidates: readonly ParameterCandidate[]) => Promise<T | undefined>,
): Promise<T | undefined> {
  for (const group of groups) {
    const found = await find(group);
    if (found !== undefined) return found;
  }
  return undefined;
}

async function findNumbered(
  { reader, request, base, dialect }: KnownList,
  size: SizeParameter | undefined,
  unknownParameter: UnknownParameter,
): Promise<NumberedWindows | undefined> {
  const isFree = ({ place }: ParameterCandidate) => size === undefined || !sameParameter(place, size.place);
  const widest = size?.largest.listing ?? base;
  // The reply with the most rows shows best where another window begins.
  const { ids } = widest.rows.length > base.rows.length ? widest : base;
  const count = size === undefined ? base.rows.length : (size.allowed?.[0] ?? Math.min(2, ids.length - 1));
  const sized = (rows: number) => (size === undefined ? request : withValue(request, size.place, rows));
  const search = {
    ...{ reader, unknownParameter, ids },
    narrow: sized(size?.allowed?.[0] ?? 1),
    request: sized(count),
    size: count,
  };
  const range = size?.place.in === 'range' && { ...size.place, part: 'first' as const };
  const groups = range
    ? [[{ place: range, name: parameterName(range) }]]
    : [candidatesFor('start', request, dialect?.paging?.start), ...givenNumbers(request)];
  const start = await findAmong(groups, (candidates) =>
    findStartParameter({ ...search, candidates: candidates.filter(isFree) }),
  );
  // An offset needs a size parameter that takes any size: without one, the service chooses how many rows come.
  const takesAnySize = size !== undefined && size.allowed === undefined;
  if (start === undefined || (start.kind === 'offset' && !takesAnySize)) return undefined;
  return { kind: 'numbered', request, size, start, rows: widest.rows.length, unknownParameter };
}

async function findFollowing(
  { reader, request, base, dialect }: KnownList,
  size: SizeParameter | undefined,
  unknownParameter: UnknownParameter,
): Promise<FoundWindow | undefined> {
  const cursors = candidatesFor('cursor', request, dialect?.paging?.cursor);
  const few = size === undefined ? request : withValue(request, size.place, size.allowed?.[0] ?? 1);
  const listing = size === undefined ? base : (await reader.read(few)).listing;
  if (listing === undefined) return undefined;
  const form = await findNextWindow(reader, few, listing, cursors);
  return form && { kind: 'next', form, size, request, unknownParameter };
}

/** Finds out how a service divides its rows, by a few requests with different parameters. */
export async function findWindow(context: KnownList): Promise<FoundWindow> {
  const { reader, request, base, dialect } = context;
  if (base.rows.length < 2 || reader.client.callsLeft < 10) return { kind: 'unseen' };
  const unknownParameter = await probeUnknownParameter(reader, request, base);
  const sizeAmong = (candidates: readonly ParameterCandidate[]) =>
    findSizeParameter(base, { reader, request, candidates, unknownParameter });
  const groups = [candidatesFor('size', request, dialect?.paging?.size), ...givenNumbers(request)];
  const size = await findAmong(groups, sizeAmong);
  const follows = dialect?.paging?.kind === 'link' || dialect?.paging?.kind === 'cursor';
  const numbered = () => findNumbered(context, size, unknownParameter);
  const following = () => findFollowing(context, size, unknownParameter);
  const [first, second] = follows ? [following, numbered] : [numbered, following];
  const range = () =>
    findAmong(rangeCandidates(request, base.rows.length), async (candidates) => {
      const count = await sizeAmong(candidates);
      return count && findNumbered(context, count, unknownParameter);
    });
  return (await first()) ?? (await second()) ?? (await range()) ?? { kind: 'none' };
}
