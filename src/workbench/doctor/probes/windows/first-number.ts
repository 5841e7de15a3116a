// Probes whether a source counts its rows or pages from 0 or from 1.

import { compareIds } from '../../../../contract/order.ts';
import type { Evidence } from '../../../../source/checks/claim.ts';
import {
  type Ask,
  describeExchange,
  hidesRows,
  isNumbered,
  idsOf,
  isWithinReach,
  listPlace,
  rowsAt,
  sameIds,
  type RowSelection,
  sizeOf,
} from '../../../../source/checks/evidence/ask.ts';
import { declaredFilters } from '../filter-claims.ts';
import { chooseWideFilter } from '../../../../source/checks/evidence/filter-values.ts';
import {
  concludeAt,
  type Conclude,
  type Finding,
  setting,
} from '../../../../source/checks/evidence/finding.ts';
import { plural } from '../../../../kernel/plural.ts';

/** What is reported if rows do not stand at their numbers. */
export const HIDDEN = 'rows are left out of windows';
/** The hint if a row that is left out of windows may look like another first number. */
const HIDING = 'window: { base: 0 } if the service may hide some rows';
/** The hint if windows are counted in another way. */
export const KINDS = 'window: { base: … }, or another kind of window: offset counts rows, page counts pages';

/** The number of the first row or page (`window.base`); `undefined` if the rows do not show it. */
type CountedFrom = 0 | 1 | undefined;

type First = Pick<Evidence, 'ask' | 'first'>;

const countsFrom = (ask: Ask, base: 0 | 1) => setting(listPlace(ask, 'window', 'base'), base);

/** Compares the rows from the number 1 on with the first rows. If numbers begin with 0, they start at the second row. */
async function compareShifted(
  ask: Ask,
  known: readonly string[],
  size: number,
  selection: RowSelection = {},
) {
  const shifted = await rowsAt(ask, 1, size, selection);
  const ids = idsOf(shifted);
  const from: CountedFrom = sameIds(ids, known.slice(1, 1 + size))
    ? 0
    : sameIds(ids, known.slice(0, size))
      ? 1
      : undefined;
  return { shifted, ids, from };
}

/** Selections that may have another first row: with a sort that the file declares, and with one of its filters. */
function otherSelections({ ask, first }: First): readonly RowSelection[] {
  const sorts = Object.entries(ask.list.sort?.columns ?? {}).map(([field, { directions }]) => ({
    sort: { field, descending: directions.includes('descending') },
  }));
  const { records } = first.value;
  const filters = declaredFilters(ask).flatMap((one) => chooseWideFilter(records, one, one.op) ?? []);
  return [...sorts.slice(0, 1), ...filters.slice(0, 1).map((filter) => ({ filters: [filter] }))];
}

/** Asks again with another size and for other rows, because a row that is hidden at the start looks like another base. */
async function isConfirmed({ ask, first }: First, from: 0 | 1): Promise<boolean> {
  const alone = await rowsAt(ask, 0, 1);
  if (!sameIds(idsOf(alone), idsOf(first).slice(0, 1))) return false;
  for (const selection of otherSelections({ ask, first })) {
    if (ask.open(selection) === undefined) continue;
    const known = idsOf(await rowsAt(ask, 0, 4, selection));
    if (known.length < 3) continue;
    if ((await compareShifted(ask, known, known.length - 1, selection)).from !== from) return false;
  }
  return true;
}

async function checkShift({ ask, first }: First, conclude: Conclude): Promise<Finding> {
  const known = idsOf(first);
  const size = Math.min(3, known.length - 1);
  if (size < 1) return conclude('could not tell', 'there are too few rows');
  if (hidesRows(ask.list) || first.value.received !== known.length) return conclude('could not tell', HIDDEN);
  const { shifted, ids, from } = await compareShifted(ask, known, size);
  if (from !== undefined) {
    if (!(await isConfirmed({ ask, first }, from)))
      return conclude(
        'could not tell',
        'two selections are counted from different numbers: a row may be hidden',
      );
    return from === 0
      ? conclude('agrees', 'the second row has the number 1')
      : conclude(
          'differs',
          'the first row has the number 1, and 0 is taken for it',
          countsFrom(ask, 1),
          shifted,
        );
  }
  if (shifted.value === undefined) return conclude('differs', describeExchange(shifted), KINDS, shifted);
  if (ask.list.order === 'unknown' || ids.some((id) => known.includes(id)))
    return conclude('could not tell', 'the order of the rows is not the same in two calls');
  return conclude(
    'differs',
    'the rows from the number 1 on are others than those behind the first',
    KINDS,
    shifted,
  );
}

/** Checks, if pages are counted from 0, that the second page does not repeat the first. */
async function checkRepeat({ ask, first }: First, conclude: Conclude): Promise<Finding> {
  const size = sizeOf(ask.list);
  const known = idsOf(first);
  if (known.length < size || (first.value.total ?? Infinity) <= size || !isWithinReach(ask.list, size, size))
    return conclude('could not tell', 'all rows may stand on the first page');
  const second = await rowsAt(ask, size, size);
  if (!sameIds(idsOf(second), known)) return conclude('agrees', 'the number 1 gives another page');
  const third = idsOf(await rowsAt(ask, size * 2, size));
  return third.length > 0 && !sameIds(third, known)
    ? conclude(
        'differs',
        'the first page has the number 1, and 0 is taken for it',
        countsFrom(ask, 1),
        second,
      )
    : conclude('could not tell', 'every number gives the same page');
}

/** Whether the rows of the number 0 stand before all others. If so, no row stands where the last one should be. */
async function precedesOthers({ ask, first }: First, fresh: readonly string[]): Promise<boolean | undefined> {
  const { total } = first.value;
  if (total !== undefined && total > 0 && !hidesRows(ask.list)) {
    const size = ask.list.window.kind === 'page' ? sizeOf(ask.list) : 1;
    const firstRow = Math.floor((total - 1) / size) * size;
    if (isWithinReach(ask.list, firstRow, size)) {
      const last = await rowsAt(ask, firstRow, size);
      const ids = idsOf(last);
      // A source that answers behind the end gives rows that came before.
      return (last.value?.received ?? 0) === 0 || (ids.length > 0 && ids.every((id) => fresh.includes(id)));
    }
  }
  const [least] = idsOf(first);
  if (ask.list.order !== 'id' || least === undefined) return undefined;
  return fresh.every((id) => compareIds(id, least, ask.resource.idStart.length) < 0);
}

/** Checks that no row stands before the first row of the file. */
async function checkBefore({ ask, first }: First, conclude: Conclude): Promise<Finding> {
  const isPage = ask.list.window.kind === 'page';
  // A window that is one row shorter shows whether a row is missing in it.
  const size = isPage ? sizeOf(ask.list) : Math.max(1, first.value.received - 1);
  const before = await rowsAt(ask, 0, size, { base: 0 });
  const known = new Set(idsOf(first));
  const fresh = idsOf(before).filter((id) => !known.has(id));
  if (before.value === undefined) return conclude('agrees', `the number 0: ${describeExchange(before)}`);
  const isShort = !isPage && before.value.received > 0 && before.value.received < size;
  if (fresh.length === 0 && isShort)
    return conclude('could not tell', 'the window at the number 0 lacks rows', HIDING);
  if (fresh.length === 0) return conclude('agrees', 'the number 0 gives no row before the first');
  const precedes = await precedesOthers({ ask, first }, fresh);
  if (precedes === undefined)
    return conclude('could not tell', 'the number 0 gives other rows than the number 1');
  if (!precedes) return conclude('agrees', 'the number 0 gives rows that stand elsewhere');
  return conclude(
    'differs',
    `the number 0 gives ${plural(fresh.length, 'row')} before the first`,
    countsFrom(ask, 0),
    before,
  );
}

/** Checks the number of the first row or page. `moved` is the other base, if rows came only with it. */
export async function checkFirstNumber(
  { ask, first }: First,
  moved: number | undefined,
): Promise<Finding | undefined> {
  const { window } = ask.list;
  if (!isNumbered(window)) return undefined;
  const thing = window.kind === 'page' ? 'pages' : 'rows';
  const declared = moved === undefined ? window.base : 1 - moved;
  const at = listPlace(ask, 'window', 'base');
  const conclude = concludeAt('base', `${thing} are counted from ${declared}`, at);
  if (moved !== undefined)
    return conclude(
      'differs',
      `no row comes so, and rows come when they are counted from ${moved}`,
      setting(at, moved),
      first,
    );
  if (window.base === 1) return checkBefore({ ask, first }, conclude);
  return window.kind === 'page'
    ? checkRepeat({ ask, first }, conclude)
    : checkShift({ ask, first }, conclude);
}
