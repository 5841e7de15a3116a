import { compareCodePoints, idSortKey } from '../../contract/order.ts';
import { callAt, type ProbeSession, describeExchange } from '../resource/probe-session.ts';
import { claimAt, counted, type Finding, type Conclude } from '../resource/finding.ts';
import { hidesRows, isWithinReach } from '../resource/source-variant.ts';
import { type Baseline, idsOf, listPlace, unfilteredList, sameIds } from '../resource/baseline.ts';

/** The finding about the base, and the corrected baseline where the file is wrong. */
export type FoundBase = { readonly finding: Finding; readonly baseline?: Baseline };

/** The rows from a number on, counted from another base if one is given. */
export async function rowsAt(
  session: ProbeSession,
  { change }: Pick<Baseline, 'change'>,
  { firstRow, size, base = change.base }: { firstRow: number; size: number; base?: number | undefined },
) {
  const reader = unfilteredList(session, { ...change, size, ...(base !== undefined && { base }) });
  return reader.ask(callAt(session, reader, firstRow, size));
}

/** Whether the rows from the number 1 on are those behind the first, where numbers begin with 0. */
async function probeShift(session: ProbeSession, baseline: Baseline, conclude: Conclude): Promise<FoundBase> {
  const known = idsOf(baseline.first);
  const size = Math.min(3, known.length - 1);
  if (size < 1) return { finding: conclude('could not tell', 'there are too few rows') };
  if (hidesRows(session.list) || baseline.first.value.received !== known.length)
    return { finding: conclude('could not tell', 'rows are left out of windows') };
  const shifted = await rowsAt(session, baseline, { firstRow: 1, size });
  const ids = idsOf(shifted);
  const calls = [shifted.request];
  if (sameIds(ids, known.slice(1, 1 + size)))
    return { finding: conclude('agrees', 'the second row has the number 1') };
  if (sameIds(ids, known.slice(0, size)))
    return {
      finding: conclude('differs', 'the first row has the number 1, and 0 is taken for it', {
        calls,
        hint: 'window: { base: 1 }',
      }),
      baseline: { ...baseline, change: { ...baseline.change, base: 1 } },
    };
  if (shifted.value === undefined)
    return { finding: conclude('differs', describeExchange(shifted), { calls }) };
  if (session.list.order === 'unknown' || ids.some((id) => known.includes(id)))
    return { finding: conclude('could not tell', 'the order of the rows is not the same in two calls') };
  return {
    finding: conclude('differs', 'the rows from the number 1 on are others than those behind the first', {
      calls,
      hint: 'another kind of window: offset counts rows, page counts pages',
    }),
  };
}

/** Whether the second page repeats the first, where pages are counted from 0. */
async function probeRepeat(
  session: ProbeSession,
  baseline: Baseline,
  conclude: Conclude,
): Promise<FoundBase> {
  const { size } = baseline.change;
  const known = idsOf(baseline.first);
  const { total } = baseline.first.value;
  if (known.length < size || (total ?? Infinity) <= size || !isWithinReach(session.list, size, size))
    return { finding: conclude('could not tell', 'all rows may stand on the first page') };
  const second = await rowsAt(session, baseline, { firstRow: size, size });
  if (!sameIds(idsOf(second), known))
    return { finding: conclude('agrees', 'the number 1 gives another page') };
  const third = await rowsAt(session, baseline, { firstRow: size * 2, size });
  const goesOn = idsOf(third).length > 0 && !sameIds(idsOf(third), known);
  return goesOn
    ? {
        finding: conclude('differs', 'the first page has the number 1, and 0 is taken for it', {
          calls: [second.request],
          hint: 'window: { base: 1 }',
        }),
        baseline: { ...baseline, change: { ...baseline.change, base: 1 } },
      }
    : { finding: conclude('could not tell', 'every number gives the same page') };
}

/** Whether the rows of the number 0 stand before all others: then no row stands where the last should be. */
async function precedesOthers(
  session: ProbeSession,
  baseline: Baseline,
  fresh: readonly string[],
): Promise<boolean | undefined> {
  const { first, change } = baseline;
  const { total } = first.value;
  const { order } = session.list;
  if (total !== undefined && total > 0 && !hidesRows(session.list)) {
    const size = session.list.window.kind === 'page' ? change.size : 1;
    const firstRow = Math.floor((total - 1) / size) * size;
    if (isWithinReach(session.list, firstRow, size)) {
      const last = await rowsAt(session, baseline, { firstRow, size });
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
async function probeBefore(
  session: ProbeSession,
  baseline: Baseline,
  conclude: Conclude,
): Promise<FoundBase> {
  const { size } = baseline.change;
  const before = await rowsAt(session, baseline, { firstRow: 0, size, base: 0 });
  const known = new Set(idsOf(baseline.first));
  const fresh = idsOf(before).filter((id) => !known.has(id));
  const { value } = before;
  if (value === undefined)
    return { finding: conclude('agrees', `the number 0: ${describeExchange(before)}`) };
  if (fresh.length === 0)
    return { finding: conclude('agrees', 'the number 0 gives no row before the first') };
  const precedes = await precedesOthers(session, baseline, fresh);
  if (precedes === undefined)
    return { finding: conclude('could not tell', 'the number 0 gives other rows than the number 1') };
  if (!precedes) return { finding: conclude('agrees', 'the number 0 gives rows that stand elsewhere') };
  return {
    finding: conclude('differs', `the number 0 gives ${counted(fresh.length, 'row')} before the first`, {
      calls: [before.request],
      hint: 'window: { base: 0 }',
    }),
    baseline: { first: { ...before, value }, change: { ...baseline.change, base: 0 } },
  };
}

/** Finds out which number the first row or page has. Pages and rows are counted from 0 or from 1. */
export async function probeBase(session: ProbeSession, baseline: Baseline): Promise<FoundBase | undefined> {
  const { window } = session.list;
  if (window.kind !== 'offset' && window.kind !== 'page') return undefined;
  const thing = window.kind === 'page' ? 'pages' : 'rows';
  const place = listPlace(session, 'window', 'base');
  const conclude = claimAt('base', `${thing} are counted from ${window.base}`, place);
  const { base } = baseline.change;
  if (base !== undefined)
    return {
      finding: conclude('differs', `no row comes so, and rows come when they are counted from ${base}`, {
        hint: `window: { base: ${base} }`,
        calls: [baseline.first.request],
      }),
    };
  if (window.base === 1) return probeBefore(session, baseline, conclude);
  return window.kind === 'page'
    ? probeRepeat(session, baseline, conclude)
    : probeShift(session, baseline, conclude);
}
