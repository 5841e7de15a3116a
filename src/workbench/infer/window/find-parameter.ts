// Finds for `infer` the parameter with some effect, such as one that sets the page size, with few calls.

import type { RequestSpec } from '../../../config/schema/source.ts';
import type { ListReader, ListAnswer, ListReply } from '../requests/list-reader.ts';
import { withQuery, withValue } from '../requests/request-parameters.ts';
import type { ParameterCandidate } from './parameter-names.ts';

/** The effect of a parameter on a list. */
export type Effect = 'obeyed' | 'ignored' | 'refused' | 'other';

/** How a service treats an unknown parameter. */
export type UnknownParameter = 'ignored' | 'refused' | 'emptied';

const INVENTED_PARAMETER = 'zzportico';

/** Sends a parameter that no service knows. */
export async function probeUnknownParameter(
  reader: ListReader,
  request: RequestSpec,
  base: ListReply,
): Promise<UnknownParameter> {
  if (request.body !== undefined) return 'refused';
  const { listing } = await reader.read(withQuery(request, { [INVENTED_PARAMETER]: '1' }));
  if (listing === undefined) return 'refused';
  return listing.rows.length === base.rows.length ? 'ignored' : 'emptied';
}

/** A search for a parameter with some effect. */
export type Search = {
  readonly reader: ListReader;
  readonly candidates: readonly ParameterCandidate[];
  readonly request: RequestSpec;
  readonly value: number | string;
  readonly unknownParameter: UnknownParameter;
  /** The effect that a reply shows. */
  effectOf(answer: ListAnswer): Effect;
  /** The number of calls that the search may use. */
  readonly callsMax: number;
};

type Found = { readonly candidate: ParameterCandidate; readonly effect: Effect };

function askWith(
  { reader, request, value }: Search,
  candidates: readonly ParameterCandidate[],
): Promise<ListAnswer> {
  const write = ({ template }: ParameterCandidate) =>
    template === undefined ? value : template.replace('{value}', () => String(value));
  return reader.read(candidates.reduce((made, one) => withValue(made, one.place, write(one)), request));
}

/** Bisects a group that has an effect, until one parameter is left. */
async function bisect(search: Search, group: readonly ParameterCandidate[]): Promise<Found | undefined> {
  if (group.length === 1) {
    const [candidate] = group;
    return candidate && { candidate, effect: 'obeyed' };
  }
  const half = group.slice(0, Math.ceil(group.length / 2));
  const effect = search.effectOf(await askWith(search, half));
  if (effect === 'obeyed') return bisect(search, half);
  const rest = group.slice(half.length);
  const other = search.effectOf(await askWith(search, rest));
  return other === 'obeyed' ? bisect(search, rest) : undefined;
}

/** Tries one parameter after the other. A service that ignores unknown parameters, but refuses this one, knows it. */
async function oneByOne(search: Search): Promise<readonly Found[]> {
  const refused: Found[] = [];
  for (const candidate of search.candidates.slice(0, search.callsMax)) {
    if (search.reader.client.callsLeft < 1) break;
    const effect = search.effectOf(await askWith(search, [candidate]));
    if (effect === 'obeyed') return [{ candidate, effect }];
    if (effect === 'refused' && search.unknownParameter !== 'refused') refused.push({ candidate, effect });
  }
  return refused;
}

/** Sorts candidates: first those that this service probably knows. */
function bestFirst(
  candidates: readonly ParameterCandidate[],
  unknownParameter: UnknownParameter,
): readonly ParameterCandidate[] {
  if (unknownParameter !== 'emptied') return candidates;
  // Services that read parameters as filters mark their own ones: _limit, $top.
  const isMarked = ({ name }: ParameterCandidate) => /^[_$]/.test(name);
  return [...candidates].sort((a, b) => Number(isMarked(b)) - Number(isMarked(a)));
}

/**
 * Finds the parameter with an effect. If the service ignores unknown parameters, a bisection takes a few calls; else each
 * one is tried alone. Returns several if none was obeyed but some were refused.
 */
export async function findParameter(search: Search): Promise<readonly Found[]> {
  const [first, ...others] = bestFirst(search.candidates, search.unknownParameter);
  if (first === undefined) return [];
  const effect = search.effectOf(await askWith(search, [first]));
  if (effect === 'obeyed') return [{ candidate: first, effect }];
  const rest = { ...search, candidates: others };
  if (search.unknownParameter === 'ignored') {
    const all = search.effectOf(await askWith(search, others));
    if (all === 'ignored' && effect === 'ignored') return [];
    const found = all === 'obeyed' ? await bisect(search, others) : undefined;
    if (found !== undefined) return [found];
  }
  const found = await oneByOne(rest);
  return effect === 'refused' &&
    search.unknownParameter !== 'refused' &&
    found.every((one) => one.effect === 'refused')
    ? [{ candidate: first, effect }, ...found]
    : found;
}
