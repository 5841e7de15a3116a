import fc from 'fast-check';
import { createBulkhead, type Bulkhead } from '../../../../src/source/client/bulkhead/bulkhead.ts';
import { createPermitQuota, type PermitQuota } from '../../../../src/gateway/workers/permits/permit-quota.ts';
import { createPermitPool } from '../../../../src/gateway/workers/permits/permit-pool.ts';

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

/** A source with a limit of concurrent calls, and workers whose messages to their primary take a turn of the loop. */
function createWorkers(total: number, workers: number) {
  const quotas: PermitQuota[] = [];
  const messages = { count: 0 };
  const permits = createPermitPool((worker, message) => {
    messages.count += 1;
    setImmediate(() => quotas[worker]?.handle(message));
  });
  permits.configure(new Map([['shop', total]]));
  const source = { active: 0, most: 0 };
  const bulkheads: Bulkhead[] = Array.from({ length: workers }, (_, id) => {
    const quota = createPermitQuota('shop', (message) => {
      messages.count += 1;
      setImmediate(() => permits.handle(id, message));
    });
    quotas.push(quota);
    return createBulkhead({ concurrency: total, quota, queue: { max: 1_000, time: 60_000 } });
  });

  /** One call of a worker; it lasts so many turns of the loop. */
  function call(worker: number, turns: number): Promise<void> {
    return bulkheads[worker % workers]!.run(
      { priority: 'scan', signal: new AbortController().signal },
      async () => {
        source.active += 1;
        source.most = Math.max(source.most, source.active);
        for (let i = 0; i < turns; i += 1) await turn();
        source.active -= 1;
      },
    );
  }
  return { call, permits, source, messages };
}

describe('the permits of a source, divided among workers', () => {
  it('never allow more concurrent calls than configured, and serve every call', async () => {
    const calls = fc.array(fc.record({ worker: fc.nat(3), turns: fc.nat(4), pause: fc.nat(2) }), {
      minLength: 1,
      maxLength: 40,
    });
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 5 }),
        fc.integer({ min: 1, max: 4 }),
        calls,
        async (total, workers, all) => {
          const { call, source } = createWorkers(total, workers);
          const done: Promise<void>[] = [];
          for (const { worker, turns, pause } of all) {
            done.push(call(worker, turns));
            for (let i = 0; i < pause; i += 1) await turn();
          }
          await Promise.all(done);
          expect(source.most).toBeLessThanOrEqual(total);
          expect(source.active).toBe(0);
        },
      ),
      { numRuns: 200 },
    );
  });

  it('all go to one worker if no other wants any', async () => {
    const { call, source } = createWorkers(4, 2);
    await Promise.all(Array.from({ length: 20 }, () => call(0, 3)));
    expect(source.most).toBe(4);
  });

  it('cost no message while no worker needs more than it has', async () => {
    const { call, messages } = createWorkers(4, 2);
    await Promise.all([call(0, 1), call(0, 1), call(1, 1), call(1, 1)]);
    const before = messages.count;
    for (let i = 0; i < 50; i += 1) await Promise.all([call(0, 1), call(1, 1), call(0, 1)]);
    expect(messages.count).toBe(before);
  });

  it('come back when a worker dies', async () => {
    const { call, permits } = createWorkers(1, 2);
    void call(0, 1_000_000);
    await turn();
    const waiting = call(1, 1);
    await turn();
    permits.workerEnded(0);
    await waiting;
  });

  it('are fewer as soon as a new configuration says so and the calls under way have ended', async () => {
    const { call, permits, source } = createWorkers(4, 2);
    await Promise.all(Array.from({ length: 8 }, (_, at) => call(at, 2)));
    permits.configure(new Map([['shop', 2]]));
    await turn();
    await turn();
    source.most = 0;
    await Promise.all(Array.from({ length: 12 }, (_, at) => call(at, 2)));
    expect(source.most).toBeLessThanOrEqual(2);
  });
});
