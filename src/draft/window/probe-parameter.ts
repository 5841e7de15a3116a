import type { Lister, ListAnswer, Listing } from '../ask/list-view.ts';
import { type Recipe, withQuery, withValue } from '../ask/request-template.ts';
import type { Candidate } from './window-names.ts';

/** What a parameter did to a list. */
export type Effect = 'obeyed' | 'ignored' | 'refused' | 'other';

/** How a service takes a parameter that it cannot know. */
export type Stranger = 'ignored' | 'refused' | 'emptied';

const STRANGER = 'zzportico';

/** Asks with a parameter that no service knows. */
export async function meetStranger(lister: Lister, recipe: Recipe, base: Listing): Promise<Stranger> {
  if (recipe.body !== undefined) return 'refused';
  const { listing } = await lister.list(withQuery(recipe, { [STRANGER]: '1' }));
  if (listing === undefined) return 'refused';
  return listing.rows.length === base.rows.length ? 'ignored' : 'emptied';
}

/** How a search for a parameter goes about it. */
export type Search = {
  readonly candidates: readonly Candidate[];
  readonly recipe: Recipe;
  readonly value: number;
  readonly stranger: Stranger;
  /** What an answer shows. */
  judge(answer: ListAnswer): Effect;
  /** Calls that may be spent. */
  readonly callsMax: number;
};

type Found = { readonly candidate: Candidate; readonly effect: Effect };

function askWith(
  lister: Lister,
  { recipe, value }: Search,
  candidates: readonly Candidate[],
): Promise<ListAnswer> {
  return lister.list(candidates.reduce((made, { place }) => withValue(made, place, value), recipe));
}

/** Halves a group in which one has an effect, until that one is alone. */
async function bisect(
  lister: Lister,
  search: Search,
  group: readonly Candidate[],
): Promise<Found | undefined> {
  if (group.length === 1) {
    const [candidate] = group;
    return candidate && { candidate, effect: 'obeyed' };
  }
  const half = group.slice(0, Math.ceil(group.length / 2));
  const effect = search.judge(await askWith(lister, search, half));
  if (effect === 'obeyed') return bisect(lister, search, half);
  const rest = group.slice(half.length);
  const other = search.judge(await askWith(lister, search, rest));
  return other === 'obeyed' ? bisect(lister, search, rest) : undefined;
}

/** Tries one after the other; what is refused alone, where strangers are not, is known to the service, too. */
async function oneByOne(lister: Lister, search: Search): Promise<readonly Found[]> {
  const refused: Found[] = [];
  for (const candidate of search.candidates.slice(0, search.callsMax)) {
    if (lister.asker.left < 1) break;
    const effect = search.judge(await askWith(lister, search, [candidate]));
    if (effect === 'obeyed') return [{ candidate, effect }];
    if (effect === 'refused' && search.stranger !== 'refused') refused.push({ candidate, effect });
  }
  return refused;
}

/**
 * Finds the parameter with an effect: all at once where the service does not mind strangers, which takes a few calls,
 * or else one after the other. Several where none was obeyed but some were refused.
 */
export async function findParameter(lister: Lister, search: Search): Promise<readonly Found[]> {
  const [first, ...others] = search.candidates;
  if (first === undefined) return [];
  const effect = search.judge(await askWith(lister, search, [first]));
  if (effect === 'obeyed') return [{ candidate: first, effect }];
  const rest = { ...search, candidates: others };
  if (search.stranger === 'ignored') {
    const all = search.judge(await askWith(lister, search, others));
    if (all === 'ignored' && effect === 'ignored') return [];
    const found = all === 'obeyed' ? await bisect(lister, search, others) : undefined;
    if (found !== undefined) return [found];
  }
  const found = await oneByOne(lister, rest);
  return effect === 'refused' &&
    search.stranger !== 'refused' &&
    found.every((one) => one.effect === 'refused')
    ? [{ candidate: first, effect }, ...found]
    : found;
}

/** Candidates in the order in which this service is likely to know them. */
export function bestFirst(candidates: readonly Candidate[], stranger: Stranger): readonly Candidate[] {
  if (stranger !== 'emptied') return candidates;
  // Services that take parameters for filters mark their own: _limit, $top.
  const isMarked = ({ name }: Candidate) => /^[_$]/.test(name);
  return [...candidates].sort((a, b) => Number(isMarked(b)) - Number(isMarked(a)));
}
