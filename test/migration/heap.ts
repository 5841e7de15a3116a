import assert from 'node:assert/strict';
import { trendOf } from '../faults/harness/soak/trend.ts';
import { injectVitals, readVitals, type Vitals } from '../faults/harness/soak/vitals.ts';
import { type BenchRow, promised } from '../faults/harness/row.ts';
import { askMisses, startHanging } from './harness/hanging-source.ts';

const CALLERS_PER_SECOND = 150;
/** The load comes in stretches; after each, what the process holds is read. */
const STRETCHES = 18;
/** By then every path was taken, and what is bounded is full. */
const SETTLED_AFTER = 6;
/** How long a stretch is: 18 of them take three minutes, or ten with `--long`. */
const SECONDS = 10;
const SECONDS_LONG = 34;
/** So much may be added in ten minutes, MiB: it is within what readings of an idle heap differ by. */
const GROWTH_MAX = 1;

type Reading = { readonly at: number; readonly vitals: Vitals };

/** The part of the heap that is not compiled code: its slope over ten minutes, with a confidence of 95 %. */
const slopeOf = (readings: readonly Reading[]) =>
  trendOf(readings.map(({ at, vitals }) => ({ at: at / 600_000, value: vitals.data })));

/** What shadowing holds in memory. */
export const heapRows: readonly BenchRow[] = [
  {
    id: 'heap-1',
    name: 'minutes of shadowing, while the new source hangs on 5 % of its calls: the heap after a collection does not grow',
    async run(bench) {
      const injected = bench.own(injectVitals());
      const fleet = await startHanging(bench, 0.05, injected.env);
      const [gateway] = fleet.gateways;
      assert.ok(gateway);
      await fleet.goTo('shadow users');
      const startedAt = performance.now();
      const readings: Reading[] = [];
      let errors = 0;
      for (let stretch = 0; stretch < STRETCHES; stretch += 1) {
        errors += (await askMisses(fleet, CALLERS_PER_SECOND, bench.long ? SECONDS_LONG : SECONDS)).errors;
        readings.push({ at: performance.now() - startedAt, vitals: await readVitals(bench, gateway) });
      }
      const settled = readings.slice(SETTLED_AFTER);
      const { slope, low, high } = slopeOf(settled);
      const calls = fleet.next.upstream.calls;
      const heaps = settled.map(({ vitals }) => vitals.data.toFixed(2)).join(' ');
      return promised(errors === 0 && calls > 0 && low <= GROWTH_MAX, {
        'MiB added in ten minutes': `${slope.toFixed(2)} (${low.toFixed(2)} to ${high.toFixed(2)})`,
        'heap MiB': heaps,
        'calls of the new source': calls,
        errors,
      });
    },
  },
];
