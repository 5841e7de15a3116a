// Probes what a source answers behind the last row: nothing, an error, or rows that came before.

import { type Claim, claimOf, type Evidence } from '../../../../source/checks/claim.ts';
import {
  depthOf,
  describeExchange,
  endsEmpty,
  idsOf,
  listPlace,
  rowsAt,
  sizeOf,
} from '../../../../source/checks/evidence/ask.ts';
import {
  type Advice,
  concludeAt,
  type Conclude,
  type Finding,
  setting,
} from '../../../../source/checks/evidence/finding.ts';
import { plural } from '../../../../kernel/plural.ts';

/** The gateway asks for rows up to here without knowing whether there are any. */
const FAR_ROW = 2_000_000_000;

/** The advice for a reply behind the end that is no window: a rule that recognises it, or `pastEnd: other`. */
function pastEndAdvice({ ask }: Evidence, status?: number): Advice {
  const rule = status === undefined ? '' : `outcomes: - { on: list, status: ${status}, is: past_end }, or `;
  return setting(listPlace(ask, 'window', 'pastEnd'), 'other', `${rule}window: { pastEnd: other }`);
}

/** Checks a window far behind the last row. */
async function checkFar(evidence: Evidence, claimsEmpty: boolean, conclude: Conclude): Promise<Finding> {
  const { ask, sample } = evidence;
  const size = sizeOf(ask.list);
  const row = Math.floor(Math.min(FAR_ROW, depthOf(ask.list) - size) / size) * size;
  const total = sample.steps[0]?.rows.total ?? sample.records.length;
  if (row <= total) return conclude('could not tell', 'the last row lies behind what can be reached');
  const far = await rowsAt(ask, row, size);
  const known = new Set(sample.records.map(({ id }) => id));
  const what = idsOf(far).some((id) => known.has(id)) ? 'rows that stand elsewhere' : describeExchange(far);
  if (claimsEmpty && far.value?.received !== 0)
    return conclude(
      'differs',
      `row ${row}: ${what}`,
      pastEndAdvice(evidence, far.value === undefined ? far.reply.status : undefined),
      far,
    );
  if (claimsEmpty || far.value?.received !== 0 || sample.end !== 'empty' || !sample.complete)
    return conclude('agrees', describeExchange(far));
  const text = 'window: { pastEnd: empty } spares a call for the total before each page';
  const advice = setting(listPlace(ask, 'window', 'pastEnd'), 'empty', text);
  return conclude('noted', `nothing comes: ${describeExchange(far)}`, advice);
}

/** The finding if the walk was refused before the last row. */
function checkReach({ ask, sample: { refusal, records, steps } }: Evidence): Finding | undefined {
  if (refusal === undefined) return undefined;
  const at = listPlace(ask, 'window');
  const total = steps[0]?.rows.total;
  const reached = records.length;
  // With `depthMax` the gateway refuses queries behind it. That makes no row readable.
  const lost = `rows behind ${reached} cannot be asked for so: another kind of window (a cursor, a keyset) or a narrower list; window: { depthMax: … } only has such queries refused`;
  const isAll = total === undefined || total <= reached;
  return concludeAt('reach', 'every row can be reached', at)(
    'differs',
    `behind ${plural(reached, 'row')}: ${describeExchange(refusal)}`,
    { ...(isAll && setting([...at, 'depthMax'], reached)), otherwise: lost },
    refusal,
  );
}

/** Checks what comes right behind the last row; `undefined` if nothing comes, or the end was not reached. */
function checkNear(evidence: Evidence, conclude: Conclude): Finding | undefined {
  const { refusal, complete, end } = evidence.sample;
  if (!complete || end === 'empty') return undefined;
  if (refusal === undefined) return conclude('differs', 'rows that came before', pastEndAdvice(evidence));
  const advice = pastEndAdvice(evidence, refusal.reply.status);
  return conclude('differs', describeExchange(refusal), advice, refusal);
}

/** The claim about what comes behind the last row: right behind it, and far behind it. */
export const pastEndClaim: Claim = claimOf('past end', (evidence) => {
  const { ask, sample } = evidence;
  const claimsEmpty = endsEmpty(ask.list);
  const claim = claimsEmpty
    ? 'there is nothing behind the last row'
    : 'anything may come behind the last row';
  const conclude = concludeAt('past end', claim, listPlace(ask, 'window', 'pastEnd'));
  const unreached = sample.complete ? undefined : checkReach(evidence);
  if (unreached !== undefined) return unreached;
  const near = claimsEmpty ? checkNear(evidence, conclude) : undefined;
  return near ?? checkFar(evidence, claimsEmpty, conclude);
});
