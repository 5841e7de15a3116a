import type { Resource } from '../contract/resources.ts';
import type { JsonObject } from '../kernel/json/json.ts';
import type { Asker } from './ask/ask-service.ts';
import { findWindow, type FoundWindow } from './window/find-window.ts';
import type { Sight } from './detect/first-response.ts';
import { followList } from './window/follow-list.ts';
import { createLister, type Lister, type Listing, readListing } from './ask/list-view.ts';
import { mapFields, type MapDraft } from './map/map-fields.ts';
import type { Note } from './note.ts';
import type { Recipe } from './ask/request-template.ts';
import { settleWindow, type WindowDraft } from './window/settle-window.ts';
import { type FiltersDraft, studyFilters } from './query/study-filters.ts';
import { type OrderDraft, studyOrder } from './query/study-order.ts';
import { studyTotal, type TotalDraft } from './window/study-total.ts';
import { InferError } from './infer-error.ts';
import { type Numbered, type Walk, walkList } from './ask/walk-list.ts';

/** Everything that was found out of a list. */
export type ListStudy = {
  readonly lister: Lister;
  readonly base: Listing;
  readonly rows: readonly JsonObject[];
  readonly mapping: MapDraft;
  readonly window: WindowDraft;
  readonly total: TotalDraft;
  readonly order: OrderDraft;
  readonly filters: FiltersDraft;
  readonly walk: Walk | undefined;
  readonly notes: readonly Note[];
};

/** What a study works with. */
export type ListScene = {
  readonly asker: Asker;
  readonly resource: Resource;
  readonly sight: Sight;
  readonly baseUrl: string;
  /** Rows of further saved replies. */
  readonly moreRows: readonly JsonObject[];
};

/** Of the calls that are left, the share that a walk over the whole list may take. */
const WALK_SHARE = 0.4;

function mapRows({ resource, sight }: ListScene, rows: readonly JsonObject[]): MapDraft {
  const { dialect } = sight;
  const known = { paths: dialect?.paths?.[resource.name] ?? {}, zone: dialect?.zone };
  const mapping = mapFields(resource, 'list', rows, known);
  if (mapping === undefined)
    throw new InferError(
      'no place in the records can be their id',
      'each record needs one that no other has',
    );
  return mapping;
}

/** Windows no wider than is polite, for walking. */
function walkable(found: FoundWindow): Numbered | undefined {
  return found.kind === 'numbered' ? found.numbered : undefined;
}

async function walkAll(scene: ListScene, lister: Lister, found: FoundWindow): Promise<Walk | undefined> {
  const callsMax = Math.floor(scene.asker.left * WALK_SHARE);
  if (callsMax < 1) return undefined;
  const numbered = walkable(found);
  if (numbered !== undefined) return walkList(lister, numbered, callsMax);
  if (found.kind === 'next') return followList(lister, found, { baseUrl: scene.baseUrl, callsMax });
  return undefined;
}

/** A twin of a window's first row, which no walk may hold. */
function repeats({ ids }: Walk): boolean {
  return new Set(ids).size < ids.length;
}

/** A walk that ended at an error behind a full window was complete where the total says so. */
function wholeByTotal(walk: Walk | undefined, { rows }: TotalDraft): Walk | undefined {
  if (walk === undefined || walk.complete || repeats(walk)) return walk;
  return { ...walk, complete: walk.ids.length === rows };
}

/** A list that comes whole: what came is what there is, where a number beside it says so. */
function wholeWalk(found: FoundWindow, base: Listing): Walk | undefined {
  if (found.kind !== 'none') return undefined;
  return { rows: base.rows, ids: base.ids, complete: false, pastEnd: undefined, windows: [base] };
}

function notesOf(
  scene: ListScene,
  { total, order, window }: Pick<ListStudy, 'total' | 'order' | 'window'>,
): readonly Note[] {
  const at = ['resources', scene.resource.name, 'list'];
  const inTotal = total.total === undefined ? [...at, 'window'] : [...at, 'total'];
  return [
    ...window.remarks.map((remark) => ({ at: [...at, 'window'], ...remark })),
    ...(total.remark === undefined ? [] : [{ at: inTotal, ...total.remark }]),
    { at: order.order === undefined ? [...at, 'items'] : [...at, 'order'], ...order.remark },
  ];
}

/** Finds out everything about a list that can be seen of it. @throws InferError */
export async function studyList(scene: ListScene): Promise<ListStudy> {
  const { asker, resource, sight, baseUrl } = scene;
  const { dialect, format, place, recipe } = sight;
  const early = mapRows(scene, [...place.rows, ...scene.moreRows]);
  const lister = createLister(asker, {
    read: format.read,
    items: place.path,
    idPath: early.idPath,
    idPattern: early.id.pattern,
  });
  const base = readListing(lister.view, sight.reply);
  if (base === undefined) throw new InferError('the list cannot be read a second time');
  const found = await findWindow({ lister, recipe, base, dialect, baseUrl });
  const first = (await walkAll(scene, lister, found)) ?? wholeWalk(found, base);
  const twice = first !== undefined && repeats(first);
  const numbered = walkable(found);
  const total = await studyTotal({
    lister,
    recipe,
    base: first?.windows[0] ?? base,
    other: first?.windows[1],
    numbered,
    walk: twice || found.kind === 'none' ? undefined : first,
    dialect,
  });
  const callsMax = Math.floor(asker.left * WALK_SHARE);
  const walked = found.kind === 'none' ? undefined : wholeByTotal(first, total);
  const order = await studyOrder({
    lister,
    numbered,
    base,
    walk: walked,
    dialect,
    idPath: early.idPath,
    kind: early.id.kind,
    callsMax,
  });
  const rows = [...(order.walk?.rows ?? first?.rows ?? base.rows), ...scene.moreRows];
  const mapping = mapRows(scene, rows);
  const ordered = numbered && { ...numbered, recipe: order.extend(numbered.recipe) };
  const filters =
    resource.filters.length > 0
      ? await studyFilters({
          resource: resource.name,
          lister,
          numbered: ordered,
          walk: order.walk ?? walked,
          dialect,
          map: mapping.map,
          total: total.place,
        })
      : await studyFilters({
          resource: resource.name,
          lister,
          numbered: undefined,
          walk: undefined,
          dialect,
          map: {},
          total: undefined,
        });
  const known = total.rows ?? (walked?.complete === true ? walked.ids.length : undefined);
  const end = { pastEnd: total.pastEnd ?? walked?.pastEnd, rows: known };
  const window = settleWindow(found, { recipe, base, dialect, end });
  const clash: readonly Note[] = twice
    ? [
        {
          at: ['resources', resource.name, 'list', 'window'],
          level: 'edit',
          text: 'records came twice in one walk: rows move, or windows overlap; ask for a fixed order in the query',
        },
      ]
    : [];
  const notes = [
    ...sight.notes,
    ...mapping.notes,
    ...filters.notes,
    ...notesOf(scene, { total, order, window }),
    ...clash,
  ];
  return { lister, base, rows, mapping, window, total, order, filters, walk: walked, notes };
}

/** The request of a list as the draft has it, with everything that was found to belong to it. */
export function listRecipe({ window, order, filters }: ListStudy): Recipe {
  return filters.extend(order.extend(window.recipe));
}
