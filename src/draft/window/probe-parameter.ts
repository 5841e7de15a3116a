import type { RequestSpec } from '../../config/schema/source.ts';
import type { ListReader, ListAnswer, ListReply } from '../requests/list-reader.ts';
import { withQuery, withValue } from '../requests/request-parameters.ts';
import type { ParameterCandidate } from './parameter-names.ts';

/** What a parameter did to a list. */
export type Effect = 'obeyed' | 'ignored' | 'refused' | 'other';

/** How a service takes a parameter that it cannot know. */
export type UnknownParameter = 'ignored' | 'refused' | 'emptied';

const STRANGER = 'zzportico';

/** Asks with a parameter that no service knows. */
export async function probeUnknownParameter(
  reader: ListReader,
  request: RequestSpec,
  base: ListReply,
): Promise<UnknownParameter> {
  if (request.body !== undefined) return 'refused';
  const { listing } = await reader.read(withQuery(request, { [STRANGER]: '1' }));
  if (listing === undefined) return 'refused';
  return listing.rows.length === base.rows.length ? 'ignored' : 'emptied';
}

/** How a search for a parameter goes about it. */
export type Search = {
  readonly candidates: readonly ParameterCandidate[];
  readonly request: RequestSpec;
  readonly value: number;
  readonly unknownParameter: UnknownParameter;
  /** What an answer shows. */
  judge(answer: ListAnswer): Effect;
  /** Calls that may be spent. */
  readonly callsMax: number;
};

type Found = { readonly candidate: ParameterCandidate; readonly effect: Effect };

function askWith(
  reader: ListReader,
  { request, value }: Search,
  candidates: readonly ParameterCandidate[],
): Promise<ListAnswer> {
  return reader.read(candidates.reduce((made, { place }) => withValue(made, place, value), request));
}

/** Halves a group in which one has an effect, until that one is alone. */
async function bisect(
  reader: ListReader,
  search: Search,
  group: readonly ParameterCandidate[],
): Promise<Found | undefined> {
  if (group.length === 1) {
    const [candidate] = group;
    return candidate && { candidate, effect: 'obeyed' };
  }
  const half = group.slice(0, Math.ceil(group.length / 2));
  const effect = search.judge(await askWith(reader, search, half));
  if (effect === 'obeyed') return bisect(reader, search, half);
  const rest = group.slice(half.length);
  const other = search.judge(await askWith(reader, search, rest));
  return other === 'obeyed' ? bisect(reader, search, rest) : undefined;
}

/** Tries one after the other; what is refused alone, where strangers are not, is known to the service, too. */
async function oneByOne(reader: ListReader, search: Search): Promise<readonly Found[]> {
  const refused: Found[] = [];
  for (const candidate of search.candidates.slice(0, search.callsMax)) {
    if (reader.client.callsLeft < 1) break;
    const effect = search.judge(await askWith(reader, search, [candidate]));
    if (effect === 'obeyed') return [{ candidate, effect }];
    if (effect === 'refused' && search.unknownParameter !== 'refused') refused.push({ candidate, effect });
  }
  return refused;
}

/**
 * Finds the parameter with an effect: all at once where the service does not mind strangers, which takes a few calls,
 * or else one after the other. Several where none was obeyed but some were refused.
 */
export async function findParameter(reader: ListReader, search: Search): Promise<readonly Found[]> {
  const [first, ...others] = search.candidates;
  if (first === undefined) return [];
  const effect = search.judge(await askWith(reader, search, [first]));
  if (effect === 'obeyed') return [{ candidate: first, effect }];
  const rest = { ...search, candidates: others };
  if (search.unknownParameter === 'ignored') {
    const all = search.judge(await askWith(reader, search, others));
    if (all === 'ignored' && effect === 'ignored') return [];
    const found = all === 'obeyed' ? await bisect(reader, search, others) : undefined;
    if (found !== undefined) return [found];
  }
  const found = await oneByOne(reader, rest);
  return effect === 'refused' &&
    search.unknownParameter !== 'refused' &&
    found.every((one) => one.effect === 'refused')
    ? [{ candidate: first, effect }, ...found]
    : found;
}

/** Candidates in the order in which this service is likely to know them. */
export function bestFirst(
  candidates: readonly ParameterCandidate[],
  unknownParameter: UnknownParameter,
): readonly ParameterCandidate[] {
  if (unknownParameter !== 'emptied') return candidates;
  // Services that take parameters for filters mark their own: _limit, $top.
  const isMarked = ({ name }: ParameterCandidate) => /^[_$]/.test(name);
  return [...candidates].sort((a, b) => Number(isMarked(b)) - Number(isMarked(a)));
}
