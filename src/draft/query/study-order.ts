import type { Dialect } from '../dialects/dialect.ts';
import type { Lister, Listing } from '../ask/list-view.ts';
import type { Level } from '../note.ts';
import { ascends, findBodySort, findSort, type IdKind } from './probe-order.ts';
import { meetStranger } from '../window/probe-parameter.ts';
import { type Recipe, withQuery } from '../ask/request-template.ts';
import { type Numbered, type Walk, walkList } from '../ask/walk-list.ts';

/** The order of a list as the draft has it. */
export type OrderDraft = {
  readonly order: 'id' | undefined;
  /** The request with what asks for the order, laid over another. */
  readonly extend: (recipe: Recipe) => Recipe;
  readonly remark: { readonly level: Level; readonly text: string };
  /** The list walked once more in this order, where it is another than before. */
  readonly walk: Walk | undefined;
};

/** What is known of the list by now. */
export type OrderScene = {
  readonly lister: Lister;
  readonly numbered: Numbered | undefined;
  readonly base: Listing;
  readonly walk: Walk | undefined;
  readonly dialect: Dialect | undefined;
  readonly idPath: string;
  readonly kind: IdKind;
  /** Calls that a walk may take. */
  readonly callsMax: number;
};

/** As many ids as do not ascend by chance. */
const ENOUGH = { number: 6, text: 12 } as const;

const asItIs = (recipe: Recipe) => recipe;

/** The name by which a service would sort: the last key of the id's path. */
function columnOf(idPath: string): string | undefined {
  const last = idPath.split('.').at(-1) ?? '';
  if (last === 'href' || last === 'uri') return 'id';
  return /^[A-Za-z_]\w*$/.test(last) ? last : undefined;
}

/** Puts rows in order by asking, where the service takes such a wish. */
async function askedOrder(scene: OrderScene, numbered: Numbered): Promise<OrderDraft | undefined> {
  const { lister, base, dialect, idPath, kind, callsMax } = scene;
  const column = columnOf(idPath);
  let extend: ((recipe: Recipe) => Recipe) | undefined;
  let asked: string;
  if (dialect?.key === 'elasticsearch' && column !== undefined) {
    const found = await findBodySort(lister, numbered.recipe, column, kind);
    extend = found && ((recipe) => ({ ...recipe, body: bodyWithSort(recipe, column) }));
    asked = 'sort in the body';
  } else {
    const known = column === undefined ? undefined : dialect?.sort?.(column);
    const stranger = known === undefined ? await meetStranger(lister, numbered.recipe, base) : 'ignored';
    const found = await findSort(lister, numbered.recipe, base, { column, known, kind, stranger });
    extend = found && ((recipe) => withQuery(recipe, found.ascending));
    asked = Object.keys(found?.ascending ?? {}).join(' and ');
  }
  if (extend === undefined) return undefined;
  const recipe = extend(numbered.recipe);
  const again =
    scene.walk?.complete === true ? await walkList(lister, { ...numbered, recipe }, callsMax) : undefined;
  const sameRows = again !== undefined && new Set(again.ids).isSubsetOf(new Set(scene.walk?.ids));
  const walk = again && {
    ...again,
    complete: again.complete || (sameRows && again.ids.length === scene.walk?.ids.length),
  };
  const text = `asked for by ${asked}, and turned round when asked to`;
  if (walk?.complete === true && ascends(walk.ids, kind))
    return {
      order: 'id',
      extend,
      remark: { level: 'sure', text: `${text}; all ${walk.ids.length} ids ascend` },
      walk,
    };
  if (walk?.complete === true) return undefined;
  if (kind === 'number') return { order: 'id', extend, remark: { level: 'likely', text }, walk: undefined };
  const edit = 'ids are sorted when asked to; where the service compares them byte by byte, say order: id';
  return { order: undefined, extend, remark: { level: 'edit', text: edit }, walk: undefined };
}

function bodyWithSort({ body }: Recipe, column: string): Recipe['body'] {
  if (body === undefined || !('json' in body) || typeof body.json !== 'object' || body.json === null)
    return body;
  return { json: { ...(body.json as object), sort: [{ [column]: 'asc' }] } as typeof body.json };
}

/** Finds out in which order rows come. Only what was seen of all rows, or can be asked for, is claimed. */
export async function studyOrder(scene: OrderScene): Promise<OrderDraft> {
  const { numbered, walk, kind } = scene;
  const unknown = (level: Level, text: string): OrderDraft => ({
    order: undefined,
    extend: asItIs,
    remark: { level, text },
    walk: undefined,
  });
  if (numbered === undefined)
    return unknown('likely', 'lists are read whole, and put in the order of their ids here');
  const asked = await askedOrder(scene, numbered);
  if (asked !== undefined) return asked;
  const seen = walk?.ids ?? scene.base.ids;
  if (walk?.complete === true && ascends(walk.ids, kind) && walk.ids.length >= ENOUGH[kind]) {
    const text = `all ${walk.ids.length} ids ascend, without being asked to; every page is checked for it`;
    return { order: 'id', extend: asItIs, remark: { level: 'likely', text }, walk: undefined };
  }
  const few = walk?.complete === true ? 'they are few' : 'not all were seen';
  const hint = ascends(seen, kind)
    ? `the ${seen.length} ids seen ascend, but ${few}: say order: id where the service promises it`
    : 'rows do not come by id; where the service keeps another order from call to call, say order: source';
  return unknown('edit', `until then lists are scanned; ${hint}`);
}
