import type { ScanPlan } from '../../../../src/source/adapter/plan/plan.ts';
import { resources } from '../../../../src/contract/resources.ts';
import { createPurgeable } from '../../../../src/pipeline/purgeable-rowsets.ts';
import type { RowSets } from '../../../../src/pipeline/rowset/rowsets.ts';

const plan = { kind: 'scan', key: 'rows' } as ScanPlan;

/** The names under which row sets were asked for. */
function watched() {
  const keys: string[] = [];
  const rowSets: RowSets = {
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
    rowSets: createPurgeable({ resource: resources.users }, purges).rowSets(rowSets),
    become: (...next: [string, number]) => {
      [epoch, latest] = next;
    },
  };
}

const context = { signal: new AbortController().signal, usage: { upstreamCalls: 0, upstreamMs: 0 } };

describe('the rowSets of a resource of which something is purged', () => {
  it('are never those from before the purge, not even where Redis has forgotten all purges since', async () => {
    const { keys, rowSets, become } = watched();
    for (const [epoch, number] of [
      ['one', 0],
      ['one', 1],
      ['two', 0],
      ['two', 1],
    ] as const) {
      become(epoch, number);
      expect(rowSets.has(plan)).toBe(false);
      await rowSets.page(plan, { offset: 0, limit: 1 }, context);
      expect(rowSets.has(plan)).toBe(true);
    }
    expect(new Set(keys).size).toBe(4);
  });
});
