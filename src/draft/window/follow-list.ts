import { compilePath } from '../../adapter/path.ts';
import type { FoundWindow } from './find-window.ts';
import { scalarText } from '../json-values.ts';
import type { Lister, Listing } from '../ask/list-view.ts';
import { recipeOfTarget, targetBehind } from './probe-next.ts';
import { type Recipe, withValue } from '../ask/request-template.ts';
import type { Walk } from '../ask/walk-list.ts';

type Following = FoundWindow & { readonly kind: 'next' };

/** The request for the window behind a listing; `undefined` at the end. */
function nextRecipe(
  { form, recipe }: Following,
  last: Listing,
  sized: Recipe,
  baseUrl: string,
): Recipe | undefined {
  if (form.kind === 'link') {
    const target = targetBehind(form, last, recipe.path, baseUrl);
    return target === undefined ? undefined : recipeOfTarget(recipe, target);
  }
  if (form.more !== undefined && compilePath(form.more)(last.document) === false) return undefined;
  const cursor = scalarText(compilePath(form.next)(last.document)) ?? '';
  return cursor === '' ? undefined : withValue(sized, form.place, cursor);
}

/** Reads a list whose windows name each other, up to its end or as many calls as are allowed. */
export async function followList(
  lister: Lister,
  found: Following,
  { baseUrl, callsMax }: { readonly baseUrl: string; readonly callsMax: number },
): Promise<Walk> {
  const { size, largest } = found;
  const sized = size === undefined ? found.recipe : withValue(found.recipe, size.place, largest?.size ?? 100);
  const windows: Listing[] = [];
  let recipe: Recipe | undefined = sized;
  for (let calls = 0; recipe !== undefined && calls < callsMax; calls += 1) {
    const { listing } = await lister.list(recipe);
    if (listing === undefined) break;
    windows.push(listing);
    recipe = nextRecipe(found, listing, sized, baseUrl);
  }
  const ids = windows.flatMap((window) => window.ids);
  return {
    rows: windows.flatMap((window) => window.rows),
    ids,
    complete: recipe === undefined && new Set(ids).size === ids.length,
    pastEnd: undefined,
    windows,
  };
}
