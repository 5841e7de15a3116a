// Probes whether a list brings the same rows each time it is read, because some services leave out rows at random.

import { claimOf, type Evidence, isAlreadyReported } from '../../../source/checks/claim.ts';
import { hidesRows, listPlace } from '../../../source/checks/evidence/ask.ts';
import { concludeAt, type Findings } from '../../../source/checks/evidence/finding.ts';
import { plural } from '../../../kernel/plural.ts';
import { type RowWalk, walkAgain } from '../../../source/checks/evidence/walk.ts';

/** How often all rows are read again, if that takes one call each time, and if it takes more. */
const TIMES_AGAIN = { ofOneCall: 14, ofMany: 3 };
/** The share of the remaining calls that reading again may take. */
const CALLS_SHARE = 0.3;

const idsOf = ({ records }: RowWalk): ReadonlySet<string> => new Set(records.map(({ id }) => id));

/** The ids that came, then did not come, then came again, or the other way round. */
function returningIds(walks: readonly ReadonlySet<string>[]): readonly string[] {
  const all = walks.reduce((seen, ids) => seen.union(ids), new Set<string>());
  return [...all].filter((id) => {
    const isThere = walks.map((ids) => ids.has(id));
    return isThere.filter((there, index) => index > 0 && there !== isThere[index - 1]).length > 1;
  });
}

/** Reads all rows several times; once more, if the last time brought other rows than the time before. */
async function readAgain({ ask, sample }: Evidence): Promise<readonly ReadonlySet<string>[]> {
  const walks = [idsOf(sample)];
  const calls = sample.steps.length + 1;
  const wanted = calls > 2 ? TIMES_AGAIN.ofMany : TIMES_AGAIN.ofOneCall;
  const times = Math.min(wanted, Math.floor((ask.callsLeft() * CALLS_SHARE) / calls));
  const isChanged = () => (walks.at(-1)?.symmetricDifference(walks.at(-2) ?? new Set()).size ?? 0) > 0;
  for (let time = 0; time < times || (time === times && time > 0 && isChanged()); time += 1) {
    const walk = await walkAgain(ask, sample);
    if (walk?.complete === true) walks.push(idsOf(walk));
  }
  return walks;
}

/** The claim that the list brings the same rows each time. If rows change and stay so, somebody has written. */
export const steadyRowsClaim = claimOf('steady rows', async (evidence): Promise<Findings> => {
  const { ask, sample } = evidence;
  // Another claim reports rows that move because there is no order.
  if (
    !sample.complete ||
    sample.repeated > 0 ||
    hidesRows(ask.list) ||
    isAlreadyReported(evidence, 'last window')
  )
    return undefined;
  const walks = await readAgain(evidence);
  const at = listPlace(ask, 'window');
  const conclude = concludeAt('steady rows', 'the list brings all rows each time', at);
  if (walks.length === 1) return conclude('could not tell', 'too few calls are left to read it again');
  const returning = returningIds(walks).length;
  if (returning > 0)
    return conclude(
      'differs',
      `${plural(returning, 'row')} came, did not come, and came again, in ${plural(walks.length, 'walk')} through the list`,
      'a constant parameter that lists all rows; if the service has none, it must be repaired: no other change of the file helps',
    );
  return walks.some((ids) => ids.size !== sample.records.length || ids.difference(walks[0] ?? ids).size > 0)
    ? conclude('could not tell', 'the rows changed meanwhile: somebody may have written')
    : conclude('agrees', `${plural(walks.length, 'walk')} through the list, the same rows`);
});
