import type { Dialect } from '../dialects/dialect.ts';
import { compilePath } from '../../adapter/path.ts';
import { wholeNumber } from '../json-values.ts';
import type { Lister, Listing } from '../ask/list-view.ts';
import type { Level } from '../note.ts';
import { lookAtEnd } from './probe-end.ts';
import { findTotals, readTotal, type TotalPlace } from './probe-total.ts';
import { type Recipe, requestSection } from '../ask/request-template.ts';
import type { Numbered, PastEnd, Walk } from '../ask/walk-list.ts';

/** The total of a list as the draft has it. */
export type TotalDraft = {
  readonly total: Readonly<Record<string, unknown>> | undefined;
  /** The place, where it stands in the replies of the list itself. */
  readonly place: TotalPlace | undefined;
  /** How many rows there are, where that was seen or told. */
  readonly rows: number | undefined;
  readonly pastEnd: PastEnd | undefined;
  readonly remark: { readonly level: Level; readonly text: string } | undefined;
};

/** What is known of the list by now. */
export type TotalScene = {
  readonly lister: Lister;
  readonly recipe: Recipe;
  readonly base: Listing;
  /** Another window of the same list. */
  readonly other: Listing | undefined;
  readonly numbered: Numbered | undefined;
  readonly walk: Walk | undefined;
  readonly dialect: Dialect | undefined;
};

const places = ({ dialect, base, other }: TotalScene): readonly TotalPlace[] => {
  const known = dialect?.total;
  if (known === 'none') return [];
  const found = findTotals(base, other);
  if (known === undefined || 'count' in known) return found;
  if ('header' in known) return [known];
  const alternatives = known.at.split(' | ').map((at) => ({ ...known, at }));
  return [...alternatives.filter((place) => readTotal(place, base) !== undefined), ...found].slice(0, 3);
};

const told = ({ at, header }: TotalPlace) => header ?? at ?? '';

/** A request of its own that may tell the number of rows: what a dialect has, or the list's path with /count. */
function countOf({ recipe, dialect, walk }: TotalScene): { recipe: Recipe; at: string } | undefined {
  const known = dialect?.total;
  const own = dialect?.count?.(recipe);
  if (own !== undefined) return own;
  const isKnown = known !== undefined && known !== 'none' && 'count' in known;
  if (recipe.body !== undefined || known === 'none' || (!isKnown && walk?.complete !== true))
    return undefined;
  const path = `${recipe.path.replace(/\/$/, '')}/count`;
  return { recipe: { method: 'GET', path, query: {}, headers: recipe.headers }, at: '' };
}

async function countRequest(scene: TotalScene): Promise<TotalDraft | undefined> {
  const { lister, walk } = scene;
  const count = lister.asker.left < 3 ? undefined : countOf(scene);
  if (count === undefined) return undefined;
  const reply = await lister.asker.ask(count.recipe);
  const document = reply.status < 300 ? lister.view.read(reply) : undefined;
  const rows = document === undefined ? undefined : wholeNumber(compilePath(count.at)(document));
  if (rows === undefined || (walk?.complete === true && rows !== walk.ids.length)) return undefined;
  const isSure = walk?.complete === true;
  const text = isSure ? `it says ${rows}, and so many rows came` : `it says ${rows}`;
  const total = { at: count.at, count: requestSection(count.recipe) };
  return {
    total,
    place: undefined,
    rows,
    pastEnd: undefined,
    remark: { level: isSure ? 'sure' : 'likely', text },
  };
}

/** Judges a place by what is known of the number of rows, or by looking at the end of the list. */
async function judge(scene: TotalScene, place: TotalPlace): Promise<TotalDraft | undefined> {
  const { lister, base, walk, numbered } = scene;
  const listing = walk?.windows[0] ?? base;
  const rows = readTotal(place, listing);
  if (rows === undefined) return undefined;
  const draft = (level: Level, text: string, pastEnd = walk?.pastEnd): TotalDraft => ({
    total: place,
    place,
    rows,
    pastEnd,
    remark: { level, text },
  });
  if (walk?.complete === true)
    return walk.ids.length === rows ? draft('sure', `it says ${rows}, and so many rows came`) : undefined;
  if (numbered !== undefined) {
    const seen = await lookAtEnd(lister, numbered, place, rows);
    return seen.holds ? draft('sure', `row ${rows} is the last one`, seen.pastEnd) : undefined;
  }
  if (rows < base.rows.length) return undefined;
  return draft('likely', 'the rows were not counted; a list that comes to another number is refused');
}

/** Finds the number of rows, and looks whether it is one. */
export async function studyTotal(scene: TotalScene): Promise<TotalDraft> {
  const { walk, base } = scene;
  const candidates = places(scene);
  for (const place of candidates) {
    const found = await judge(scene, place);
    if (found !== undefined) return found;
  }
  const counted = await countRequest(scene);
  if (counted !== undefined) return { ...counted, pastEnd: walk?.pastEnd };
  const rows = walk?.complete === true ? walk.ids.length : undefined;
  const [wrong] = candidates;
  const text =
    wrong === undefined
      ? 'no total was found, so lists are counted by a scan'
      : `${told(wrong)} looks like a total, but says ${readTotal(wrong, base) ?? 'nothing'} where other rows came`;
  return {
    total: undefined,
    place: undefined,
    rows,
    pastEnd: walk?.pastEnd,
    remark: { level: 'likely', text },
  };
}
