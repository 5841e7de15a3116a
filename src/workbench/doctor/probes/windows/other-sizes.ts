// Probes windows of other sizes than the largest, because some sources lose or repeat rows in them.

import { type Claim, claimOf, type Evidence, isAlreadyReported } from '../../../../source/checks/claim.ts';
import {
  type Ask,
  describeExchange,
  hidesRows,
  idsOf,
  isWithinReach,
  listPlace,
  rowsAt,
  sameIds,
  sizeOf,
} from '../../../../source/checks/evidence/ask.ts';
import { concludeAt, type Findings, setting } from '../../../../source/checks/evidence/finding.ts';
import { compileIdOrder } from '../../../../contract/order.ts';
import { isOrdered } from '../../../../source/checks/order.ts';
import { plural } from '../../../../kernel/plural.ts';
import { isDense, walkRows } from '../../../../source/checks/evidence/walk.ts';

/** Sizes that clients ask for, besides the largest: some sources treat small or odd ones in another way. */
const SIZES = [1, 2, 3, 7];
/** A chain of windows is read again in about this size. That may take the share `CALLS_SHARE` of the calls. */
const CHAIN_SIZE = 10;
const CALLS_SHARE = 0.2;

/** Whether other rows may be compared with the sample. Other claims report what is wrong with its order. */
function isSettled(evidence: Evidence): boolean {
  const { sample } = evidence;
  const isWrong = isAlreadyReported(evidence, 'base', 'size', 'second window', 'last window');
  return !isWrong && sample.repeated === 0 && isDense(sample);
}

/**
 * Checks that windows of other sizes in the middle of the list hold the rows that stand there, because a source may hide the
 * same rows in every window of one size. If the file names no order, this is checked only if the rows came by ascending id.
 */
async function checkSizes(evidence: Evidence): Promise<Findings> {
  const { ask, sample } = evidence;
  const { list } = ask;
  const isOrderUnknown = list.order === 'unknown';
  const byId = compileIdOrder(ask.resource.itemFields);
  if ((isOrderUnknown && !isOrdered(sample.records, byId)) || !isSettled(evidence)) return undefined;
  const at = listPlace(ask, 'window', 'sizeMax');
  const conclude = concludeAt('other sizes', 'windows of any size hold the rows that stand there', at);
  const firstRow = Math.floor(sample.records.length / 2);
  const text = isOrderUnknown
    ? 'a parameter with which all rows come, because some are hidden in windows of some sizes'
    : 'order: unknown: rows are then read in the largest windows';
  const set = isOrderUnknown ? {} : setting(listPlace(ask, 'order'), 'unknown', text);
  const advice = { ...set, otherwise: text };
  const sizes = SIZES.filter((size) => size < sizeOf(list) && isWithinReach(list, firstRow, size));
  let compared = 0;
  for (const size of sizes) {
    const expected = sample.records.slice(firstRow, firstRow + size).map(({ id }) => id);
    if (expected.length < size) continue;
    const window = await rowsAt(ask, firstRow, size);
    if (window.value === undefined)
      return conclude('differs', `with ${size} asked for: ${describeExchange(window)}`, advice, window);
    if (!sameIds(idsOf(window), expected))
      return conclude('differs', `with ${size} asked for, other rows come than stand there`, advice, window);
    compared += 1;
  }
  return compared === 0
    ? conclude('could not tell', 'there are too few rows')
    : conclude('agrees', `${plural(compared, 'other size')} tried, the same rows`);
}

/**
 * Another size in which the list can be walked, if possible one that the file names. `undefined` if there is none, or if the
 * request sends no size: then the windows would be the same ones.
 */
function smallerSize({ list }: Ask): number | undefined {
  if (!/\{(?:limit|lastRow|endRow)\}/.test(JSON.stringify(list.request))) return undefined;
  const largest = sizeOf(list);
  const named = list.window.kind === 'page' ? list.window.sizes.filter((size) => size < largest) : [];
  const near = named.filter((size) => size <= CHAIN_SIZE);
  const size = Math.max(...near) > 0 ? Math.max(...near) : Math.min(CHAIN_SIZE, largest - 1, ...named);
  return size > 0 ? size : undefined;
}

/** How the rows of a chain with another size differ, in words; `undefined` if they do not. */
function otherRows({ ask, sample }: Evidence, other: Evidence['sample']): string | undefined {
  const [known, ids] = [sample, other].map(({ records }) => records.map(({ id }) => id)) as [
    string[],
    string[],
  ];
  const count = (from: readonly string[], to: readonly string[]) => {
    const there = new Set(to);
    return from.filter((id) => !there.has(id)).length;
  };
  if (sample.complete && other.complete) {
    const [missing, more] = [count(known, ids), count(ids, known)];
    if (missing > 0) return `${plural(missing, 'row')} did not come`;
    if (more > 0) return `${plural(more, 'row')} came that did not come before`;
  }
  const both = Math.min(known.length, ids.length);
  if (ask.list.order === 'unknown' || sameIds(known.slice(0, both), ids.slice(0, both))) return undefined;
  return 'other rows came';
}

/**
 * Checks that a chain of windows brings the same rows in windows of another size. That must be so even if the source hides
 * some rows, because a hidden row is hidden in all sizes.
 */
async function checkChain(evidence: Evidence): Promise<Findings> {
  const { ask, sample } = evidence;
  const size = smallerSize(ask);
  const reader = size === undefined || !isSettled(evidence) ? undefined : ask.open({ size });
  if (size === undefined || reader === undefined || sample.records.length <= size) return undefined;
  const callsMax = Math.max(2, Math.floor(ask.callsLeft() * CALLS_SHARE));
  const other = await walkRows(ask, reader, { callsMax });
  const conclude = concludeAt(
    'other sizes',
    'windows of another size bring the same rows',
    listPlace(ask, 'window'),
  );
  // The file does not say that pages of this size can be asked for.
  const isUnnamed = ask.list.window.kind === 'page' && !ask.list.window.sizes.includes(size);
  const isRefused = other.refusal !== undefined || other.steps.some(({ rows }) => rows.received > size);
  if (isUnnamed && isRefused) return undefined;
  const what = other.refusal === undefined ? otherRows(evidence, other) : describeExchange(other.refusal);
  if (what === undefined)
    return conclude('agrees', `${plural(other.records.length, 'row')} in windows of ${size}, the same`);
  return conclude(
    'differs',
    `in windows of ${size} and not of ${sizeOf(ask.list)}: ${what}`,
    'window: where the name of the next window stands, and how the size is sent; or another kind of window',
    other.refusal ?? other.steps.at(-1)?.exchange,
  );
}

/** The claim about windows of other sizes than the largest. */
export function otherSizesClaims({ list }: Ask): readonly Claim[] {
  const { kind } = list.window;
  if (kind === 'none' || (kind === 'page' && !hidesRows(list))) return [];
  return [claimOf('other sizes', kind === 'offset' && !hidesRows(list) ? checkSizes : checkChain)];
}
