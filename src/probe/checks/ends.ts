import { brokenEcho } from '../../claims/echo.ts';
import { callAt, type ProbeSession, describeExchange } from '../resource/probe-session.ts';
import { claimAt, counted, type Finding, type Probe, type Conclude } from '../resource/finding.ts';
import { depthOf } from '../resource/source-variant.ts';
import type { ProbeWalk } from '../resource/probe-walk.ts';
import { type Baseline, idsOf, listPlace, unfilteredList } from '../resource/baseline.ts';

/** The gateway asks for rows up to here without knowing whether there are any. */
const FAR_ROW = 2_000_000_000;

const OTHER = 'window: { pastEnd: other }';

/** The outcome rule for a reply behind the end. */
function pastEndRule(status: number): string {
  return `outcomes: - { on: list, status: ${status}, is: past_end }, or ${OTHER}`;
}

/** Probes a window far behind the last row. */
async function probeFar(
  session: ProbeSession,
  baseline: Baseline,
  sample: ProbeWalk,
  claimsEmpty: boolean,
  conclude: Conclude,
): Promise<Finding> {
  const { size } = baseline.change;
  const row = Math.floor(Math.min(FAR_ROW, depthOf(session.list) - size) / size) * size;
  const total = sample.steps[0]?.rows.total ?? sample.records.length;
  if (row <= total) return conclude('could not tell', 'the last row lies behind what can be reached');
  const reader = unfilteredList(session, baseline.change);
  const far = await reader.ask(callAt(session, reader, row, size));
  const calls = [far.request];
  const known = new Set(sample.records.map(({ id }) => id));
  const repeats = idsOf(far).some((id) => known.has(id));
  if (far.value?.received === 0) {
    if (!claimsEmpty && sample.end === 'empty' && sample.complete)
      return conclude('noted', `nothing comes: ${describeExchange(far)}`, {
        hint: 'window: { pastEnd: empty } spares a call for the total before each page',
      });
    return conclude('agrees', describeExchange(far));
  }
  if (!claimsEmpty) return conclude('agrees', describeExchange(far));
  if (far.value === undefined)
    return conclude('differs', `row ${row}: ${describeExchange(far)}`, {
      calls,
      hint: pastEndRule(far.reply.status),
    });
  return conclude('differs', `row ${row}: ${repeats ? 'rows that stand elsewhere' : describeExchange(far)}`, {
    calls,
    hint: OTHER,
  });
}

/** Judges what comes right behind the last row; `undefined` where nothing comes, or the end was not reached. */
function judgeNear(session: ProbeSession, sample: ProbeWalk, conclude: Conclude): Finding | undefined {
  const { refusal, complete, end } = sample;
  if (!complete || end === 'empty') return undefined;
  if (refusal === undefined) return conclude('differs', 'rows that came before', { hint: OTHER });
  return conclude('differs', describeExchange(refusal), {
    calls: [refusal.request],
    hint: pastEndRule(refusal.reply.status),
  });
}

/** Probes what comes behind the last row: right behind it, and far. */
async function probePastEnd(session: ProbeSession, baseline: Baseline, sample: ProbeWalk): Promise<Finding> {
  const { window } = session.list;
  const claimsEmpty = !('pastEnd' in window) || window.pastEnd === 'empty';
  const conclude = claimAt(
    'past end',
    claimsEmpty ? 'there is nothing behind the last row' : 'anything may come behind the last row',
    listPlace(session, 'window', 'pastEnd'),
  );
  if (sample.refusal !== undefined && !sample.complete)
    return claimAt('reach', 'every row can be reached', listPlace(session, 'window'))(
      'differs',
      `behind ${counted(sample.records.length, 'row')}: ${describeExchange(sample.refusal)}`,
      { calls: [sample.refusal.request], hint: 'window: { depthMax: … }, if no more can be reached' },
    );
  const near = claimsEmpty ? judgeNear(session, sample, conclude) : undefined;
  return near ?? probeFar(session, baseline, sample, claimsEmpty, conclude);
}

/** The windows with new rows: behind the end, some sources start again. */
function stepsWithNewRows({ steps }: ProbeWalk): ProbeWalk['steps'] {
  const seen = new Set<string>();
  return steps.filter(({ rows }) => {
    const known = seen.size;
    for (const { id } of rows.records) seen.add(id);
    return seen.size > known;
  });
}

/** Whether windows before the last are full. */
function judgeShort(session: ProbeSession, sample: ProbeWalk): Finding {
  const { window } = session.list;
  const anywhere = 'shortPage' in window && window.shortPage === 'anywhere';
  const conclude = claimAt(
    'short windows',
    anywhere ? 'windows anywhere may be short' : 'only the last window is short',
    listPlace(session, 'window', 'shortPage'),
  );
  const before = stepsWithNewRows(sample).slice(0, -1);
  const short = before.filter(({ call, rows }) => rows.received < call.size);
  const first = short[0];
  if (before.length === 0) return conclude('could not tell', 'there is only one window');
  const observed = `${short.length} of ${counted(before.length, 'window')} before the last are short`;
  if (anywhere || first === undefined) return conclude('agrees', observed);
  return conclude('differs', observed, {
    calls: [first.exchange.request],
    hint: 'window: { shortPage: anywhere }: rows are then counted by a scan',
  });
}

/** Whether replies repeat what they were asked for. */
function judgeEcho(session: ProbeSession, { steps }: ProbeWalk): Finding {
  const conclude = claimAt(
    'echo',
    'the reply repeats what it was asked for',
    listPlace(session, 'window', 'echo'),
  );
  for (const { call, rows, exchange } of steps) {
    const echo = rows.echo ?? {};
    const calls = [exchange.request];
    if (Object.keys(echo).length === 0)
      return conclude('differs', 'nothing stands there', { calls, hint: 'its paths' });
    const broken = brokenEcho(echo, call);
    if (broken !== undefined)
      return conclude('differs', `it says another ${broken}`, {
        calls,
        hint: 'window.echo names what was asked for, and not what came',
      });
  }
  return conclude('agrees', counted(steps.length, 'window'));
}

function judgeRepeats(session: ProbeSession, { repeated, records }: ProbeWalk): Finding {
  const { order } = session.list;
  const claim = 'no record comes twice in a walk';
  const conclude = claimAt('walk', claim, listPlace(session, order === 'unknown' ? 'window' : 'order'));
  if (repeated === 0) return conclude('agrees', `${counted(records.length, 'record')}, each once`);
  const observed = `${counted(repeated, 'record')} of ${records.length} came before`;
  if (session.failedClaims.has('order'))
    return conclude('could not tell', `${observed}, for want of an order`);
  return conclude('differs', observed, {
    hint: 'ask for an order that is total, such as by id, with a constant parameter',
  });
}

/** The probes of a walk through numbered windows, and of what lies behind the last row. */
export function endProbes(session: ProbeSession, baseline: Baseline, sample: ProbeWalk): readonly Probe[] {
  const { window } = session.list;
  const repeats = { name: 'walk', run: () => judgeRepeats(session, sample) };
  if (window.kind !== 'offset' && window.kind !== 'page') return [repeats];
  return [
    repeats,
    { name: 'short windows', run: () => judgeShort(session, sample) },
    ...(window.echo === undefined ? [] : [{ name: 'echo', run: () => judgeEcho(session, sample) }]),
    { name: 'past end', run: () => probePastEnd(session, baseline, sample) },
  ];
}
