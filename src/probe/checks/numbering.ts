import { rowsAt } from './base.ts';
import { type ProbeSession, describeExchange } from '../resource/probe-session.ts';
import { claimAt, counted, type Finding, type Probe } from '../resource/finding.ts';
import { hidesRows, isWithinReach, sizeOf } from '../resource/source-variant.ts';
import { isDense, type ProbeWalk } from '../resource/probe-walk.ts';
import { type Baseline, idsOf, listPlace, sameIds } from '../resource/baseline.ts';

/** Declared sizes besides the largest that are tried. */
const SIZES_TRIED = 4;

const HIDDEN = 'rows are left out of windows';
const BEYOND_DEPTH = 'it lies beyond window.depthMax';

/** Whether the window behind the first holds the rows behind the first. */
async function probeSecond(session: ProbeSession, baseline: Baseline, sample: ProbeWalk): Promise<Finding> {
  const { size } = baseline.change;
  const conclude = claimAt(
    'second window',
    'the window behind the first holds the rows behind it',
    listPlace(session, 'window'),
  );
  if (!isWithinReach(session.list, size, size)) return conclude('could not tell', BEYOND_DEPTH);
  const second = await rowsAt(session, baseline, { firstRow: size, size });
  const known = idsOf(baseline.first);
  const ids = idsOf(second);
  const again = ids.filter((id) => known.includes(id)).length;
  const calls = [second.request];
  if (sample.complete && sample.end !== 'repeats' && sample.records.length <= size)
    return conclude('could not tell', 'all rows stand in the first window');
  if (second.value === undefined) return conclude('differs', describeExchange(second), { calls });
  if (ids.length === 0) return conclude('could not tell', 'all rows stand in the first window');
  if (again === 0) return conclude('agrees', `${counted(ids.length, 'row')}, all of them new`);
  if (again < ids.length)
    return conclude(
      'differs',
      `${counted(again, 'row')} of it came before: the windows are counted otherwise`,
      {
        calls,
        hint: 'window: { base: … }, or another kind of window: offset counts rows, page counts pages',
      },
    );
  const { window } = session.list;
  const { total } = baseline.first.value;
  if (total === undefined ? 'pastEnd' in window && window.pastEnd === 'other' : total <= size)
    return conclude('could not tell', 'all rows may stand in the first window');
  const hint = 'the name of the parameter that chooses the window';
  return conclude('differs', 'the rows of the first window again', { calls, hint });
}

/** Whether a smaller page of a declared size begins and ends where it must. */
async function probeOneSize(
  session: ProbeSession,
  baseline: Baseline,
  sample: ProbeWalk,
  size: number,
): Promise<Finding> {
  const at = listPlace(session, 'window', 'sizes');
  const conclude = claimAt(`size ${size}`, `pages of ${size} rows can be asked for`, at);
  if (!isWithinReach(session.list, size, size)) return conclude('could not tell', BEYOND_DEPTH);
  if (hidesRows(session.list) || !isDense(sample)) return conclude('could not tell', HIDDEN);
  const expected = sample.records.slice(size, size * 2).map(({ id }) => id);
  const page = await rowsAt(session, baseline, { firstRow: size, size });
  const ids = idsOf(page);
  const more = { calls: [page.request], hint: `take ${size} out of window.sizes` };
  if (page.value === undefined) return conclude('differs', describeExchange(page), more);
  if (expected.length < size) return conclude('could not tell', 'there are too few rows for a second page');
  if (sameIds(ids, expected)) return conclude('agrees', 'the second page holds the rows behind the first');
  if (ids.length !== size)
    return conclude('differs', `${counted(ids.length, 'row')} where ${size} were asked for`, more);
  if (session.list.order === 'unknown')
    return conclude('could not tell', 'other rows, but the file promises no order');
  return conclude('differs', 'other rows than stand there in pages of another size', more);
}

/** Probes a call for more rows than the file allows. */
async function probeOver(session: ProbeSession, baseline: Baseline): Promise<Finding> {
  const size = sizeOf(session.list);
  const key = session.list.window.kind === 'page' ? 'sizes' : 'sizeMax';
  const conclude = claimAt(
    'over the size',
    `no call gives more than ${counted(size, 'row')}`,
    listPlace(session, 'window', key),
  );
  if (!isWithinReach(session.list, 0, size + 1)) return conclude('could not tell', BEYOND_DEPTH);
  const over = await rowsAt(session, baseline, { firstRow: 0, size: size + 1 });
  const received = over.value?.received;
  if (received === undefined)
    return conclude('agrees', `${size + 1} rows are refused: ${describeExchange(over)}`);
  if (received > size)
    return conclude('noted', `${size + 1} asked for, ${received} given`, {
      hint: `a larger window.${key} makes scans cheaper`,
    });
  if (baseline.first.value.received < size) return conclude('could not tell', 'there are too few rows');
  return conclude('agrees', `${size + 1} asked for, ${received} given`);
}

/** Declared sizes besides the largest, a few of them. */
function otherSizes({ list }: ProbeSession): readonly number[] {
  if (list.window.kind !== 'page') return [];
  const others = list.window.sizes.filter((size) => size !== sizeOf(list)).sort((a, b) => a - b);
  const step = Math.max(1, Math.ceil(others.length / SIZES_TRIED));
  return others.filter((_, index) => index % step === 0);
}

/** Probes how a source with numbered windows counts rows and pages. */
export function numberingProbes(
  session: ProbeSession,
  baseline: Baseline,
  sample: ProbeWalk,
): readonly Probe[] {
  const { window } = session.list;
  if (window.kind !== 'offset' && window.kind !== 'page') return [];
  const asDeclared = baseline.change.size === sizeOf(session.list);
  const sizes = asDeclared ? otherSizes(session) : [];
  return [
    { name: 'second window', run: () => probeSecond(session, baseline, sample) },
    ...sizes.map((size) => ({
      name: `size ${size}`,
      run: () => probeOneSize(session, baseline, sample, size),
    })),
    ...(asDeclared ? [{ name: 'over the size', run: () => probeOver(session, baseline) }] : []),
  ];
}
