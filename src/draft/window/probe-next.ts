import { compileNext } from '../../adapter/read/next.ts';
import type { ListSpec } from '../../config/schema/source.ts';
import type { Json } from '../../kernel/json/json.ts';
import { GatewayError } from '../../errors/fault.ts';
import { isObject, scalarText } from '../json-values.ts';
import type { Lister, Listing } from '../ask/list-view.ts';
import { fold, isNameable, pathWith } from '../path-text.ts';
import { type Place, type Recipe, withValue } from '../ask/request-template.ts';
import type { Candidate } from './window-names.ts';

/** How a reply names the next window. */
export type NextForm =
  | { readonly kind: 'link'; readonly next: { readonly at: string } | { readonly header: string } }
  | {
      readonly kind: 'cursor';
      readonly next: string;
      readonly more: string | undefined;
      readonly place: Place;
    };

type Leaf = { readonly path: string; readonly name: string; readonly value: Json };

const DEPTH_MAX = 5;
const IS_LINK = /^(?:https?:\/\/|\/)[^\s]+$/;
const LINK_NAME =
  /^(?:next|nextlink|odatanextlink|nexturl|nexthref|nextpage|nextpageurl|nextrecordsurl|href|url)$/;
const CURSOR_NAME =
  /^(?:(?:next|end|after|continuation|scroll|paged?results?)?(?:cursor|token|cookie|pagetoken|id|marker|bookmark)|after|next)$/;
const MORE_NAME = /^(?:hasnext(?:page)?|hasmore|more|moreresults|ismore|morepages)$/;

/** The scalars of a document outside of its rows. */
function leavesOf(value: Json, path: string, name: string, depth: number): readonly Leaf[] {
  if (isObject(value) && depth < DEPTH_MAX)
    return Object.entries(value)
      .slice(0, 100)
      .filter(([key]) => isNameable(key))
      .flatMap(([key, inner]) => leavesOf(inner, pathWith(path, key), `${name}.${fold(key)}`, depth + 1));
  return Array.isArray(value) || isObject(value) ? [] : [{ path, name, value }];
}

/** The scalars that stand around the rows of a listing. */
export function envelopeOf({ document }: Listing): readonly Leaf[] {
  return leavesOf(document, '', '', 0);
}

const lastName = ({ name }: Leaf) => name.slice(name.lastIndexOf('.') + 1);

/** The places that may name the next window by an address. */
function linkForms(listing: Listing): readonly (NextForm & { kind: 'link' })[] {
  const inHeader: readonly (NextForm & { kind: 'link' })[] = /rel\s*=\s*"?[^",;]*\bnext\b/i.test(
    listing.reply.header('link') ?? '',
  )
    ? [{ kind: 'link', next: { header: 'Link' } }]
    : [];
  const inBody = envelopeOf(listing)
    .filter(
      (leaf) =>
        IS_LINK.test(scalarText(leaf.value) ?? '') &&
        LINK_NAME.test(lastName(leaf)) &&
        leaf.name.includes('next'),
    )
    .map(({ path }) => ({ kind: 'link', next: { at: path } }) as const);
  return [...inHeader, ...inBody];
}

const noReport = () => undefined;

/** The target of the next window, read by the code that will read it in the gateway. */
export function targetBehind(
  form: NextForm & { kind: 'link' },
  listing: Listing,
  path: string,
  baseUrl: string,
): string | undefined {
  const window = { ...form, sizeMax: 1 };
  const read = compileNext({ window, request: { path } } as unknown as ListSpec, baseUrl, noReport, []);
  try {
    return read(listing.reply, listing.document, listing.rows);
  } catch (error) {
    if (error instanceof GatewayError) return undefined;
    throw error;
  }
}

/** A request for a target that a reply named. */
export function recipeOfTarget(recipe: Recipe, target: string): Recipe {
  const [path = '', ...query] = target.split('?');
  const parameters = [...new URLSearchParams(query.join('?'))];
  return { ...recipe, path, query: Object.fromEntries(parameters) };
}

function isBehind(first: Listing, next: Listing | undefined): boolean {
  if (next === undefined || next.rows.length === 0) return false;
  return !next.ids.some((id) => first.ids.includes(id));
}

async function findLink(
  lister: Lister,
  recipe: Recipe,
  listing: Listing,
  baseUrl: string,
): Promise<NextForm | undefined> {
  for (const form of linkForms(listing)) {
    const target = targetBehind(form, listing, recipe.path, baseUrl);
    if (target === undefined || lister.asker.left < 1) continue;
    const { listing: next } = await lister.list(recipeOfTarget(recipe, target));
    if (isBehind(listing, next)) return form;
  }
  return undefined;
}

async function findCursor(
  lister: Lister,
  recipe: Recipe,
  listing: Listing,
  candidates: readonly Candidate[],
): Promise<NextForm | undefined> {
  const leaves = envelopeOf(listing);
  const cursors = leaves.filter(
    (leaf) =>
      CURSOR_NAME.test(lastName(leaf)) &&
      (scalarText(leaf.value) ?? '') !== '' &&
      !IS_LINK.test(scalarText(leaf.value) ?? ''),
  );
  const more = leaves.find((leaf) => MORE_NAME.test(lastName(leaf)) && typeof leaf.value === 'boolean');
  for (const { path, value } of cursors) {
    for (const { place } of candidates.slice(0, 12)) {
      if (lister.asker.left < 1) return undefined;
      const { listing: next } = await lister.list(withValue(recipe, place, scalarText(value) ?? ''));
      if (isBehind(listing, next)) return { kind: 'cursor', next: path, more: more?.path, place };
    }
  }
  return undefined;
}

/** Finds how a reply names the next window, by following it once. */
export async function findNext(
  lister: Lister,
  recipe: Recipe,
  listing: Listing,
  { baseUrl, cursors }: { readonly baseUrl: string; readonly cursors: readonly Candidate[] },
): Promise<NextForm | undefined> {
  return (await findLink(lister, recipe, listing, baseUrl)) ?? findCursor(lister, recipe, listing, cursors);
}
