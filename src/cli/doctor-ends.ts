import { callAt, type Examination, heardText } from './doctor-examination.ts';
import { claimed, counted, type Finding, type Probe } from './doctor-finding.ts';
import type { Walk } from './doctor-walk.ts';
import { type Footing, idsOf, listPlace, plainLister } from './doctor-windows.ts';

/** Portico asks for rows up to here without knowing whether there are any. */
const ROW_FAR = 2_000_000_000;

const OTHER = 'window: { pastEnd: other }';

/** A rule for what a source says behind the end. */
function pastEndRule(status: number): string {
  return `outcomes: - { on: list, status: ${status}, is: past_end }, or ${OTHER}`;
}

/** What comes far behind the last row. */
async function probeFar(examination: Examination, footing: Footing, sample: Walk): Promise<Finding> {
  const { window } = examination.list;
  const { size } = footing.change;
  const depthMax = ('depthMax' in window ? window.depthMax : undefined) ?? Infinity;
  const claimsEmpty = !('pastEnd' in window) || window.pastEnd === 'empty';
  const tell = claimed(
    'past end',
    claimsEmpty ? 'there is nothing behind the last row' : 'anything may come behind the last row',
    listPlace(examination, 'window', 'pastEnd'),
  );
  const row = Math.floor(Math.min(ROW_FAR, depthMax - size) / size) * size;
  const total = sample.steps[0]?.rows.total ?? sample.records.length;
  if (row <= total) return tell('could not tell', 'the last row lies behind what can be reached');
  const lister = plainLister(examination, footing.change);
  const far = await lister.ask(callAt(lister, row, size));
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

/** What comes right behind the last row. */
function judgeEnd(examination: Examination, sample: Walk): Finding {
  const { window } = examination.list;
  const claimsEmpty = !('pastEnd' in window) || window.pastEnd === 'empty';
  const tell = claimed(
    'right behind the end',
    claimsEmpty ? 'there is nothing behind the last row' : 'anything may come behind the last row',
    listPlace(examination, 'window', 'pastEnd'),
  );
  if (sample.refusal !== undefined && !sample.complete)
    return claimed('reach', 'every row can be reached', listPlace(examination, 'window'))(
      'differs',
      `behind ${counted(sample.records.length, 'row')}: ${heardText(sample.refusal)}`,
      { calls: [sample.refusal.request], hint: 'window: { depthMax: … }, if no more can be reached' },
    );
  if (!sample.complete) return tell('could not tell', 'the end was not reached within the bounds');
  if (!claimsEmpty || sample.end === 'empty')
    return tell('agrees', sample.end === 'empty' ? 'nothing comes' : `the walk ends: ${sample.end}`);
  if (sample.refusal !== undefined)
    return tell('differs', heardText(sample.refusal), {
      calls: [sample.refusal.request],
      hint: pastEndRule(sample.refusal.reply.status),
    });
  return tell('differs', 'rows that came before', { hint: OTHER });
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
  const filled = sample.steps.filter(({ rows }) => rows.received > 0);
  const before = filled.slice(0, -1);
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

function judgeRepeats(examination: Examination, { repeated, records }: Walk): Finding {
  const tell = claimed('walk', 'no record comes twice', listPlace(examination, 'window'));
  const observed = `${counted(repeated, 'record')} of ${records.length} came before`;
  if (repeated === 0) return tell('agrees', `${counted(records.length, 'record')}, each once`);
  const { order } = examination.list;
  return tell('differs', observed, {
    hint:
      order === 'unknown'
        ? 'ask for an order that is total, such as by id, with a constant parameter'
        : 'window: { base: … }, or an order that is total',
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
    { name: 'right behind the end', run: () => judgeEnd(examination, sample) },
    { name: 'past end', run: () => probeFar(examination, footing, sample) },
  ];
}
