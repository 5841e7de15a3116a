import { constants, type PerformanceEntry, PerformanceObserver } from 'node:perf_hooks';
import { setImmediate as turn, setTimeout as delay } from 'node:timers/promises';
import { collectStartGarbage } from '../../../../src/cli/serve/collect-start-garbage.ts';

const LOOK_MS = 50;
const { NODE_PERFORMANCE_GC_FLAGS_FORCED: FORCED } = constants;

/** Keeps the event loop at work for a while. */
async function work(ms: number): Promise<void> {
  const end = performance.now() + ms;
  while (performance.now() < end) {
    const pause = performance.now() + 10;
    while (performance.now() < pause);
    await turn();
  }
}

describe('the garbage of a start', () => {
  const stop = new AbortController();
  let collections = 0;
  const observer = new PerformanceObserver((list) => {
    for (const entry of list.getEntries() as (PerformanceEntry & { detail: { flags: number } })[])
      if ((entry.detail.flags & FORCED) !== 0) collections += 1;
  });
  beforeAll(() => observer.observe({ entryTypes: ['gc'] }));
  afterAll(() => {
    stop.abort();
    observer.disconnect();
  });

  it('is collected once, when the process is idle, and not while it works', async () => {
    collectStartGarbage(stop.signal, LOOK_MS);
    await work(6 * LOOK_MS);
    expect(collections).toBe(0);
    for (let looks = 0; looks < 100 && collections === 0; looks += 1) await delay(LOOK_MS);
    await delay(4 * LOOK_MS);
    expect(collections).toBe(1);
  });
});
