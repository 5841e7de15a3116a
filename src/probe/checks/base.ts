import { compareCodePoints, idSortKey } from '../../contract/order.ts';
import { callAt, type Examination, heardText } from '../session/probe-session.ts';
import { claimed, counted, type Finding, type Tell } from '../session/finding.ts';
import { hidesRows, isWithinReach } from '../session/source-variant.ts';
import { type Footing, idsOf, listPlace, plainLister, sameIds } from '../session/windows.ts';

/** What was found out, and how windows are really counted where that is not as the file says. */
export type FoundBase = { readonly finding: Finding; readonly footing?: Footing };

/** The rows from a number on, maybe counted from another base than the file says. */
export async function rowsAt(
  examination: Examination,
  { change }: Pick<Footing, 'change'>,
  { firstRow, size, base = change.base }: { firstRow: number; size: number; base?: number | undefined },
) {
  const lister = plainLister(examination, { ...change, size, ...(base !== undefined && { base }) });
  return lister.ask(callAt(examination, lister, firstRow, size));
}

/** Whether the rows from the number 1 on are those behind the first, where numbers begin with 0. */
async function probeShift(examination: Examination, footing: Footing, tell: Tell): Promise<FoundBase> {
  const known = idsOf(footing.first);
  const size = Math.min(3, known.length - 1);
  if (size < 1) return { finding: tell('could not tell', 'there are too few rows') };
  if (hidesRows(examination.list) || footing.first.value.received !== known.length)
    return { finding: tell('could not tell', 'rows are left out of windows') };
  const shifted = await rowsAt(examination, footing, { firstRow: 1, size });
  const ids = idsOf(shifted);
  const calls = [shifted.request];
  if (sameIds(ids, known.slice(1, 1 + size)))
    return { finding: tell('agrees', 'the second row has the number 1') };
  if (sameIds(ids, known.slice(0, size)))
    return {
      finding: tell('differs', 'the first row has the number 1, and 0 is taken for it', {
        calls,
        hint: 'window: { base: 1 }',
      }),
      footing: { ...footing, change: { ...footing.change, base: 1 } },
    };
  if (shifted.value === undefined) return { finding: tell('differs', heardText(shifted), { calls }) };
  if (examination.list.order === 'unknown' || ids.some((id) => known.includes(id)))
    return { finding: tell('could not tell', 'the order of the rows is not the same in two calls') };
  return {
    finding: tell('differs', 'the rows from the number 1 on are others than those behind the first', {
      calls,
      hint: 'another kind of window: offset counts rows, page counts pages',
    }),
  };
}

/** Whether the second page repeats the first, where pages are counted from 0. */
async function probeRepeat(examination: Examination, footing: Footing, tell: Tell): Promise<FoundBase> {
  const { size } = footing.change;
  const known = idsOf(footing.first);
  const { total } = footing.first.value;
  if (known.length < size || (total ?? Infinity) <= size || !isWithinReach(examination.list, size, size))
    return { finding: tell('could not tell', 'all rows may stand on the first page') };
  const second = await rowsAt(examination, footing, { firstRow: size, size });
  if (!sameIds(idsOf(second), known)) return { finding: tell('agrees', 'the number 1 gives another page') };
  const third = await rowsAt(examination, footing, { firstRow: size * 2, size });
  const goesOn = idsOf(third).length > 0 && !sameIds(idsOf(third), known);
  return goesOn
    ? {
        finding: tell('differs', 'the first page has the number 1, and 0 is taken for it', {
          calls: [second.request],
          hint: 'window: { base: 1 }',
        }),
        footing: { ...footing, change: { ...footing.change, base: 1 } },
      }
    : { finding: tell('could not tell', 'every number gives the same page') };
}

/** Whether the rows of the number 0 stand before all others: there is then no row where the last should be. */
async function standsBefore(
  examination: Examination,
  footing: Footing,
  fresh: readonly string[],
): Promise<boolean | undefined> {
  const { first, change } = footing;
  const { total } = first.value;
  const { order } = examination.list;
  if (total !== undefined && total > 0 && !hidesRows(examination.list)) {
    const size = examination.list.window.kind === 'page' ? change.size : 1;
    const firstRow = Math.floor((total - 1) / size) * size;
    if (isWithinReach(examination.list, firstRow, size)) {
      const last = await rowsAt(examination, footing, { firstRow, size });
      const ids = idsOf(last);
      // A source that goes on behind the end gives rows that are known.
      return (last.value?.received ?? 0) === 0 || (ids.length > 0 && ids.every((id) => fresh.includes(id)));
    }
  }
  const least = idsOf(first)[0];
  if (order !== 'id' || least === undefined) return undefined;
  return fresh.every((id) => compareCodePoints(idSortKey(id), idSortKey(least)) < 0);
}

/** Whether rows stand before what the file calls the first. */
async function probeBefore(examination: Examination, footing: Footing, tell: Tell): Promise<FoundBase> {
  const { size } = footing.change;
  const before = await rowsAt(examination, footing, { firstRow: 0, size, base: 0 });
  const known = new Set(idsOf(footing.first));
  const fresh = idsOf(before).filter((id) => !known.has(id));
  const { value } = before;
  if (value === undefined) return { finding: tell('agrees', `the number 0: ${heardText(before)}`) };
  if (fresh.length === 0) return { finding: tell('agrees', 'the number 0 gives no row before the first') };
  const stands = await standsBefore(examination, footing, fresh);
  if (stands === undefined)
    return { finding: tell('could not tell', 'the number 0 gives other rows than the number 1') };
  if (!stands) return { finding: tell('agrees', 'the number 0 gives rows that stand elsewhere') };
  return {
    finding: tell('differs', `the number 0 gives ${counted(fresh.length, 'row')} before the first`, {
      calls: [before.request],
      hint: 'window: { base: 0 }',
    }),
    footing: { first: { ...before, value }, change: { ...footing.change, base: 0 } },
  };
}

/** Finds out which number the first row or page has. Pages and rows are counted from 0 or from 1. */
export async function probeBase(examination: Examination, footing: Footing): Promise<FoundBase | undefined> {
  const { window } = examination.list;
  if (window.kind !== 'offset' && window.kind !== 'page') return undefined;
  const thing = window.kind === 'page' ? 'pages' : 'rows';
  const place = listPlace(examination, 'window', 'base');
  const tell = claimed('base', `${thing} are counted from ${window.base}`, place);
  const { base } = footing.change;
  if (base !== undefined)
    return {
      finding: tell('differs', `no row comes so, and rows come when they are counted from ${base}`, {
        hint: `window: { base: ${base} }`,
        calls: [footing.first.request],
      }),
    };
  if (window.base === 1) return probeBefore(examination, footing, tell);
  return window.kind === 'page'
    ? probeRepeat(examination, footing, tell)
    : probeShift(examination, footing, tell);
}
