import { brokenEcho } from '../../adapter/read/echo.ts';
import { callAt, type Examination, heardText } from '../session/probe-session.ts';
import { claimed, counted, type Finding, type Probe, type Tell } from '../session/finding.ts';
import { depthOf } from '../session/source-variant.ts';
import type { Walk } from '../session/walk.ts';
import { type Footing, idsOf, listPlace, plainLister } from '../session/windows.ts';

/** Portico asks for rows up to here without knowing whether there are any. */
const ROW_FAR = 2_000_000_000;

const OTHER = 'window: { pastEnd: other }';

/** A rule for what a source says behind the end. */
function pastEndRule(status: number): string {
  return `outcomes: - { on: list, status: ${status}, is: past_end }, or ${OTHER}`;
}

/** What comes far behind the last row. */
async function probeFar(
  examination: Examination,
  footing: Footing,
  sample: Walk,
  claimsEmpty: boolean,
  tell: Tell,
): Promise<Finding> {
  const { size } = footing.change;
  const row = Math.floor(Math.min(ROW_FAR, depthOf(examination.list) - size) / size) * size;
  const total = sample.steps[0]?.rows.total ?? sample.records.length;
  if (row <= total) return tell('could not tell', 'the last row lies behind what can be reached');
  const lister = plainLister(examination, footing.change);
  const far = await lister.ask(callAt(examination, lister, row, size));
  const calls = [far.request];
  const known = new Set(sample.records.map(({ id }) => id));
  const repeats = idsOf(far).some((id) => known.has(id));
  if (far.value?.received === 0) {
    if (!claimsEmpty && sample.end === 'empty' && sample.complete)
      return tell('noted', `nothing comes: ${heardText(far)}`, {
        hint: 'window: { pastEnd: empty } spares a call for the total before each page',
      });
    return tell('agrees', heardText(far));
  }
  if (!claimsEmpty) return tell('agrees', heardText(far));
  if (far.value === undefined)
    return tell('differs', `row ${row}: ${heardText(far)}`, { calls, hint: pastEndRule(far.reply.status) });
  return tell('differs', `row ${row}: ${repeats ? 'rows that stand elsewhere' : heardText(far)}`, {
    calls,
    hint: OTHER,
  });
}

/** What comes right behind the last row; `undefined` where nothing does, or nobody knows. */
function judgeNear(examination: Examination, sample: Walk, tell: Tell): Finding | undefined {
  const { refusal, complete, end } = sample;
  if (!complete || end === 'empty') return undefined;
  if (refusal === undefined) return tell('differs', 'rows that came before', { hint: OTHER });
  return tell('differs', heardText(refusal), {
    calls: [refusal.request],
    hint: pastEndRule(refusal.reply.status),
  });
}

/** What comes behind the last row: right behind it, and far. */
async function probePastEnd(examination: Examination, footing: Footing, sample: Walk): Promise<Finding> {
  const { window } = examination.list;
  const claimsEmpty = !('pastEnd' in window) || window.pastEnd === 'empty';
  const tell = claimed(
    'past end',
    claimsEmpty ? 'there is nothing behind the last row' : 'anything may come behind the last row',
    listPlace(examination, 'window', 'pastEnd'),
  );
  if (sample.refusal !== undefined && !sample.complete)
    return claimed('reach', 'every row can be reached', listPlace(examination, 'window'))(
      'differs',
      `behind ${counted(sample.records.length, 'row')}: ${heardText(sample.refusal)}`,
      { calls: [sample.refusal.request], hint: 'window: { depthMax: … }, if no more can be reached' },
    );
  const near = claimsEmpty ? judgeNear(examination, sample, tell) : undefined;
  return near ?? probeFar(examination, footing, sample, claimsEmpty, tell);
}

/** The windows that bring rows that came in none before: behind the end, some sources begin anew. */
function bringingNew({ steps }: Walk): Walk['steps'] {
  const seen = new Set<string>();
  return steps.filter(({ rows }) => {
    const known = seen.size;
    for (const { id } of rows.records) seen.add(id);
    return seen.size > known;
  });
}

/** Whether windows before the last are full. */
function judgeShort(examination: Examination, sample: Walk): Finding {
  const { window } = examination.list;
  const anywhere = 'shortPage' in window && window.shortPage === 'anywhere';
  const tell = claimed(
    'short windows',
    anywhere ? 'windows anywhere may be short' : 'only the last window is short',
    listPlace(examination, 'window', 'shortPage'),
  );
  const before = bringingNew(sample).slice(0, -1);
  const short = before.filter(({ call, rows }) => rows.received < call.size);
  const first = short[0];
  if (before.length === 0) return tell('could not tell', 'there is only one window');
  const observed = `${short.length} of ${counted(before.length, 'window')} before the last are short`;
  if (anywhere || first === undefined) return tell('agrees', observed);
  return tell('differs', observed, {
    calls: [first.heard.request],
    hint: 'window: { shortPage: anywhere }: rows are then counted by a scan',
  });
}

/** Whether replies say that they were asked for what they were asked for. */
function judgeEcho(examination: Examination, { steps }: Walk): Finding {
  const tell = claimed(
    'echo',
    'the reply says what it was asked for',
    listPlace(examination, 'window', 'echo'),
  );
  for (const { call, rows, heard } of steps) {
    const echo = rows.echo ?? {};
    const calls = [heard.request];
    if (Object.keys(echo).length === 0)
      return tell('differs', 'nothing stands there', { calls, hint: 'its paths' });
    const broken = brokenEcho(echo, call);
    if (broken !== undefined)
      return tell('differs', `it says another ${broken}`, {
        calls,
        hint: 'window.echo names what was asked for, and not what came',
      });
  }
  return tell('agrees', counted(steps.length, 'window'));
}

function judgeRepeats(examination: Examination, { repeated, records }: Walk): Finding {
  const { order } = examination.list;
  const claim = 'no record comes twice in a walk';
  const tell = claimed('walk', claim, listPlace(examination, order === 'unknown' ? 'window' : 'order'));
  if (repeated === 0) return tell('agrees', `${counted(records.length, 'record')}, each once`);
  const observed = `${counted(repeated, 'record')} of ${records.length} came before`;
  if (examination.doubts.has('order')) return tell('could not tell', `${observed}, for want of an order`);
  return tell('differs', observed, {
    hint: 'ask for an order that is total, such as by id, with a constant parameter',
  });
}

/** Probes what a walk through numbered windows saw, and what lies behind the last row. */
export function endProbes(examination: Examination, footing: Footing, sample: Walk): readonly Probe[] {
  const { window } = examination.list;
  const repeats = { name: 'walk', run: () => judgeRepeats(examination, sample) };
  if (window.kind !== 'offset' && window.kind !== 'page') return [repeats];
  return [
    repeats,
    { name: 'short windows', run: () => judgeShort(examination, sample) },
    ...(window.echo === undefined ? [] : [{ name: 'echo', run: () => judgeEcho(examination, sample) }]),
    { name: 'past end', run: () => probePastEnd(examination, footing, sample) },
  ];
}
