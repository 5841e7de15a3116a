import type { ScanPlan } from '../../../../src/source/adapter/plan/plan.ts';
import { resources } from '../../../support/reference.ts';
import { createPurgeable } from '../../../../src/pipeline/purgeable-scan-caches.ts';
import type { ScanCaches } from '../../../../src/pipeline/scan-cache/scan-caches.ts';

const plan = { kind: 'scan', key: 'rows' } as ScanPlan;

/** The names under which scan caches were asked for. */
function watched() {
  const keys: string[] = [];
  const scanCaches: ScanCaches = {
    page: ({ key }) => {
      keys.push(key);
      return Promise.resolve({ records: [], total: 0, storedAt: 0, freshSeconds: 1 });
    },
    has: ({ key }) => keys.includes(key),
    keys: () => keys,
    storedTimes: () => [],
    close: () => Promise.resolve(),
  };
  let [epoch, latest] = ['', 0];
  const purges = { current: () => ({ epoch, purges: latest }), latest: () => latest };
  return {
    keys,
    scanCaches: createPurgeable({ resource: resources.users }, purges).scanCaches(scanCaches),
    become: (...next: [string, number]) => {
      [epoch, latest] = next;
    },
  };
}

const context = { signal: new AbortController().signal, usage: { upstreamCalls: 0, upstreamMs: 0 } };

describe('the scanCaches of a resource of which something is purged', () => {
  it('are never those from before the purge, not even where Redis has forgotten all purges since', async () => {
    const { keys, scanCaches, become } = watched();
    for (const [epoch, number] of [
      ['one', 0],
      ['one', 1],
      ['two', 0],
      ['two', 1],
    ] as const) {
      become(epoch, number);
      expect(scanCaches.has(plan)).toBe(false);
      await scanCaches.page(plan, { offset: 0, limit: 1 }, context);
      expect(scanCaches.has(plan)).toBe(true);
    }
    expect(new Set(keys).size).toBe(4);
  });
});
