// Checks the size of windows: the gateway in each reply (`wrongRowCount`), `doctor` and `infer` in a sample. A source file
// says how many rows a window has (`window.sizeMax`, or the constant of a request without windows), and by `shortPage` whether
// only the last window may have fewer.

import { claimOf, type WindowEnvelope } from './claim.ts';
import { hidesRows, listPlace } from './evidence/ask.ts';
import { concludeAt, setting } from './evidence/finding.ts';
import { plural } from '../../kernel/plural.ts';
import type { RowWalk } from './evidence/walk.ts';

/**
 * What is wrong with the number of rows of a window, in words; `undefined` if nothing is. If more rows come than were asked for,
 * the source means something else by the size. If exactly as many come as a constant such as `limit=100` asks for, the list may
 * be cut off there, unless the total says that these are all rows.
 */
export function wrongRowCount({ call, rows }: WindowEnvelope): string | undefined {
  const constant = rows.total === rows.received ? undefined : call.constantSizes?.get(rows.received);
  if (constant !== undefined)
    return `exactly as many rows came as the constant ${constant} of the request asks for (${rows.received}), so there may be more: page with a window such as offset or page, or raise the constant above what the list can become`;
  if (rows.received <= call.size) return undefined;
  return `the source gave ${rows.received} rows where ${call.size} were asked for`;
}

/** The windows that brought new rows. Other windows do not count, because some sources begin again behind the end. */
function stepsWithNewRows({ steps }: RowWalk): RowWalk['steps'] {
  const seen = new Set<string>();
  return steps.filter(({ rows }) => {
    const seenBefore = seen.size;
    for (const { id } of rows.records) seen.add(id);
    return seen.size > seenBefore;
  });
}

/** The windows before the last one with new rows (`before`), and which of them have fewer rows than asked for (`short`). */
export function shortWindows(walk: RowWalk): { before: RowWalk['steps']; short: RowWalk['steps'] } {
  const before = stepsWithNewRows(walk).slice(0, -1);
  return { before, short: before.filter(({ call, rows }) => rows.received < call.size) };
}

/** The claim of `shortPage`. Its probe looks for short windows before the last window of the sample. */
export const shortWindowsClaim = claimOf('short windows', ({ ask, sample }) => {
  const anywhere = hidesRows(ask.list);
  const at = listPlace(ask, 'window', 'shortPage');
  const claim = anywhere ? 'windows anywhere may be short' : 'only the last window is short';
  const conclude = concludeAt('short windows', claim, at);
  const { before, short } = shortWindows(sample);
  if (before.length === 0) return conclude('could not tell', 'there is only one window');
  const observed = `${short.length} of ${plural(before.length, 'window')} before the last are short`;
  if (anywhere || short.length === 0) return conclude('agrees', observed);
  const text = 'window: { shortPage: anywhere }: rows are then counted by a scan';
  return conclude('differs', observed, setting(at, 'anywhere', text), short[0]?.exchange);
});
