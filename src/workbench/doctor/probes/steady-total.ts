// Probes whether a total stays the same from reply to reply, because some services give that of the request before.

import { claimOf, type Evidence } from '../../../source/checks/claim.ts';
import { hidesRows, listPlace, rowsAt, sizeOf } from '../../../source/checks/evidence/ask.ts';
import { chooseWideFilter } from '../../../source/checks/evidence/filter-values.ts';
import { concludeAt, type Findings, setting } from '../../../source/checks/evidence/finding.ts';
import { plural } from '../../../kernel/plural.ts';
import { declaredFilters } from './filter-claims.ts';
import { isUnsteady } from '../../../source/checks/total.ts';

/** How many times each selection is asked for again. */
const ROUNDS = 3;

/** Asks for the first window with and without filters in turn, because a total may belong to the request before. */
async function askInTurn({ ask, sample }: Evidence): Promise<void> {
  const filters = declaredFilters(ask).flatMap((one) => chooseWideFilter(sample.records, one, one.op) ?? []);
  const selections = [{}, ...filters.map((filter) => ({ filters: [filter] }))].flatMap((selection) => {
    const reader = ask.open(selection);
    return reader === undefined ? [] : [{ selection, count: reader.count }];
  });
  for (let round = 0; round < ROUNDS; round += 1)
    for (const { selection, count } of selections) {
      if (ask.callsLeft() === 0) return;
      if (count === undefined) await rowsAt(ask, 0, sizeOf(ask.list), selection);
      else await count();
    }
}

/**
 * The claim that all replies about the same rows give the same total. If a total changes and stays so, somebody has written to
 * the source. If it changes back, it is wrong.
 */
export const steadyTotalClaim = claimOf('steady total', async (evidence): Promise<Findings> => {
  const { ask, failed } = evidence;
  // A total that is wrong anyway was reported already.
  const isReported = [...failed].some((name) => /^total\b|^filter/.test(name));
  if (ask.list.total === undefined || hidesRows(ask.list) || isReported) return undefined;
  await askInTurn(evidence);
  const at = listPlace(ask, 'total');
  const conclude = concludeAt('steady total', 'every reply about the same rows gives the same total', at);
  const changes = [...ask.totals.values()].filter((seen) => seen.length > 1);
  const unsteady = changes.find((seen) => isUnsteady(seen.map(({ total }) => total)));
  if (unsteady !== undefined) {
    const numbers = [...new Set(unsteady.map(({ total }) => total))].join(', ');
    const text = 'no total, and Portico counts the rows by a scan; or where the right number stands';
    return conclude(
      'differs',
      `it changes from reply to reply: ${numbers}`,
      { ...setting(at, undefined, text), otherwise: text },
      ...unsteady.slice(0, 2),
    );
  }
  if (changes.length > 0) return conclude('could not tell', 'it changed once: somebody may have written');
  return conclude('agrees', `${plural(ask.totals.size, 'selection')} of rows, each with one total`);
});
