import type { FaultBench } from '../faults/harness/bench.ts';
import type { OpenLoopFigure } from '../faults/harness/load/offer.ts';
import { type BenchRow, promised } from '../faults/harness/row.ts';
import { mostWithin } from '../support/client/steady-load.ts';
import { askMisses, SHADOW, startHanging } from './harness/hanging-source.ts';
import type { MigratingFleet } from './harness/migrating-fleet.ts';

const RATE_OVER_MS = 5_000;
/** How long a measurement takes. */
const SECONDS = 4;

/** What shadows may add to a quantile: so many milliseconds, or so large a part. */
const ADDED_MS_MAX = 2;
const FACTOR_MAX = 1.05;

type Met = Pick<OpenLoopFigure, 'medianMs' | 'p99Ms'>;
/** Callers with the shadow, and right before or after it the same ones without. */
type Pair = { readonly on: Met; readonly off: Met };

/** By how much more than it may a quantile is larger with the shadow: 0 or less keeps the bound; milliseconds. */
function beyondBound({ on, off }: Pair, quantile: keyof Met): number {
  return on[quantile] - Math.max(off[quantile] + ADDED_MS_MAX, off[quantile] * FACTOR_MAX);
}

/** How far two measurements of the same differ: on a busy machine by more than a shadow may cost. */
function noiseOf(pairs: readonly Pair[], quantile: keyof Met): number {
  const without = pairs.map(({ off }) => off[quantile]);
  return middle(without.slice(1).map((value, index) => Math.abs(value - (without[index] ?? value))));
}

const middle = (values: readonly number[]) =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN;

/** Pairs of measurements in one process, first the one and then the other way round; what stays of them all. */
async function measurePairs(bench: FaultBench, fleet: MigratingFleet, perSecond: number, count: number) {
  const pairs: Pair[] = [];
  const state = { errors: 0, idle: 0 };
  let wasOn = false;
  const startedAt = performance.now();
  async function measure(isOn: boolean): Promise<Met> {
    if (isOn !== wasOn) await fleet.goTo(isOn ? 'shadow users' : 'legacy users');
    wasOn = isOn;
    const before = fleet.next.upstream.calls;
    const met = await askMisses(fleet, perSecond, bench.long ? 4 * SECONDS : SECONDS);
    state.errors += met.errors;
    // A process under overload asks the new source for nothing, which would cost nothing, too.
    if (isOn && fleet.next.upstream.calls === before) state.idle += 1;
    return met;
  }
  for (let number = 0; number < count; number += 1) {
    const first = await measure(number % 2 === 0);
    const second = await measure(number % 2 === 1);
    pairs.push(number % 2 === 0 ? { on: first, off: second } : { on: second, off: first });
  }
  const { mostAtOnce, moments } = fleet.next.asked;
  const calls = moments.filter((at) => at > startedAt);
  const pairText = ({ on, off }: Pair) => `${on.p99Ms.toFixed(1)}/${off.p99Ms.toFixed(1)}`;
  const added = (quantile: keyof Met) => middle(pairs.map(({ on, off }) => on[quantile] - off[quantile]));
  return {
    ...state,
    /** Milliseconds beyond the bound and beyond what is noise: none where it is 0 or less. */
    beyond: (quantile: keyof Met) =>
      middle(pairs.map((pair) => beyondBound(pair, quantile))) - noiseOf(pairs, quantile),
    mostAtOnce,
    perSecond: mostWithin(calls, RATE_OVER_MS) / (RATE_OVER_MS / 1_000),
    figure: {
      'ms added to p50': added('medianMs').toFixed(1),
      'to p99': added('p99Ms').toFixed(1),
      'noise of p99': noiseOf(pairs, 'p99Ms').toFixed(1),
      'p99 with/without': pairs.map(pairText).join(' '),
      errors: state.errors,
      'most at once': mostAtOnce,
      calls: calls.length,
    },
  };
}

function costs(id: string, perSecond: number, share: number): BenchRow {
  const percent = `${String(100 * share)} %`;
  return {
    id,
    name: `${String(perSecond)} misses a second, and the new source hangs on ${percent} of its calls: a shadow adds at most 5 % or 2 ms to p50 and p99 beside noise, no error, at most 8 calls at once, and 20 a second`,
    async run(bench) {
      const fleet = await startHanging(bench, share);
      const measured = await measurePairs(bench, fleet, perSecond, bench.long ? 9 : 5);
      bench.atMost('µs of p50 beyond the bound', 1_000 * measured.beyond('medianMs'), 0);
      bench.atMost('µs of p99 beyond the bound', 1_000 * measured.beyond('p99Ms'), 0);
      bench.atMost('calls a second at the new source', measured.perSecond, 1.05 * SHADOW.maxRps);
      // Where half of the calls fail, they end for half a minute: then the first measurement alone has any.
      if (share < 0.5)
        bench.atMost('measurements without a shadow, the machine is too busy', measured.idle, 0);
      return promised(
        measured.errors === 0 && measured.mostAtOnce <= SHADOW.concurrency && measured.mostAtOnce > 0,
        { ...measured.figure, 'a second': measured.perSecond },
      );
    },
  };
}

const mutant: BenchRow = {
  id: 'cost-5',
  name: 'a gateway whose callers wait for both sources is found out by the same measurement: its p99 breaks the bound',
  async run(bench) {
    const mutant = new URL('./harness/make-callers-wait-for-shadows.ts', import.meta.url).href;
    const env = { NODE_OPTIONS: `--import ${mutant}` };
    const fleet = await startHanging(bench, 0.05, env);
    const measured = await measurePairs(bench, fleet, 150, 3);
    const beyondMs = measured.beyond('p99Ms');
    return promised(beyondMs > 0, { ...measured.figure, 'ms beyond the bound': beyondMs.toFixed(0) });
  },
};

/** What comparing costs the callers. */
export const costRows: readonly BenchRow[] = [
  costs('cost-1', 150, 0.05),
  costs('cost-2', 150, 1),
  costs('cost-3', 500, 0.05),
  costs('cost-4', 500, 1),
  mutant,
];
