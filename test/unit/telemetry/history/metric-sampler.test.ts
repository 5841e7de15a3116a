import { createMetricSampler, type MetricSampler } from '../../../../src/telemetry/history/metric-sampler.ts';
import type { MetricsJson } from '../../../../src/telemetry/history/metric-sample.ts';

const START = 1_700_000_000_000;

/** The calls of a source as a registry reports them. */
const calls = (value: number) =>
  [
    {
      name: 'portico_upstream_calls_total',
      values: [{ labels: { source: 'crm', outcome: '2xx' }, value }],
    },
  ] as unknown as MetricsJson;

/** A sampler whose clock and metrics the test sets. */
function setUp() {
  const state = { now: START, total: 0, reads: 0 };
  const kept: (readonly [number, number])[] = [];
  const sampler: MetricSampler = createMetricSampler({
    metrics() {
      state.reads += 1;
      return Promise.resolve(calls(state.total));
    },
    clock: { now: () => state.now },
    keepMinute(atMs, counts) {
      kept.push([atMs, counts.get('calls|crm|2xx') ?? 0]);
      return Promise.resolve();
    },
  });
  async function at(seconds: number, total: number) {
    state.now = START + seconds * 1_000;
    state.total = total;
    return sampler.now();
  }
  return { state, kept, sampler, at };
}

describe('the sampler of metrics', () => {
  it('gives rates over the last minute, and over less after a start', async () => {
    const { sampler, at } = setUp();
    const first = await at(10, 5);
    const after10 = sampler.lastMinute(first);
    expect([after10.overMs, after10.grown.get('calls|crm|2xx')]).toEqual([10_000, 5]);
    await at(50, 20);
    const last = await at(115, 100);
    const { overMs, grown } = sampler.lastMinute(last);
    expect([overMs, grown.get('calls|crm|2xx')]).toEqual([65_000, 80]);
  });

  it('gives what the last ten seconds have counted', async () => {
    const { sampler, at } = setUp();
    await at(80, 20);
    await at(90, 90);
    await at(94, 95);
    expect([...sampler.lastMinute(await at(100, 100)).latest]).toEqual([['calls|crm|2xx', 10]]);
    expect([...sampler.lastMinute(await at(111, 100)).latest]).toEqual([]);
  });

  it('reads the metrics once for all who ask within half a second', async () => {
    const { state, sampler, at } = setUp();
    await Promise.all([at(10, 1), sampler.now(), sampler.now()]);
    state.now += 400;
    await sampler.now();
    expect(state.reads).toBe(1);
    state.now += 200;
    await sampler.now();
    expect(state.reads).toBe(2);
  });

  it('hands over each minute once it is over, also one without a figure, and the rest at its end', async () => {
    const { sampler, kept, at } = setUp();
    // START is 20 s into a minute.
    await at(10, 5);
    await at(30, 7);
    await at(60, 7);
    await at(110, 7);
    await at(130, 10);
    await sampler.close();
    const minute = Math.floor(START / 60_000) * 60_000;
    expect(kept).toEqual([
      [minute, 7],
      [minute + 60_000, 0],
      [minute + 120_000, 3],
    ]);
  });

  it('gives each slot what was counted in it, also where its end is noticed early or late', async () => {
    const { sampler, at } = setUp();
    await at(10.004, 10);
    await at(19.999, 20);
    await at(30.9, 30);
    await at(40, 40);
    const { columns } = sampler.read({ fromMs: START, toMs: START + 39_999, stepMs: 10_000 }, () => true);
    expect(columns.get('calls|crm|2xx')).toEqual([10, 10, 10, 10]);
  });

  it('never counts a fall of a counter, and goes on from there', async () => {
    const { sampler, at } = setUp();
    await at(10, 50);
    await at(20, 30);
    await at(30, 34);
    const { columns } = sampler.read({ fromMs: START, toMs: START + 30_000, stepMs: 10_000 }, () => true);
    expect(columns.get('calls|crm|2xx')?.reduce((sum, count) => sum + count, 0)).toBe(54);
  });
});
