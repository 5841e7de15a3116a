import { KEY, startStack } from '../../support/gateway/stack.ts';
import { operationCases } from '../../support/gateway/operation-cases.ts';
import { startForAll } from '../../support/jest/lifetime.ts';

describe('a tier in dry run', () => {
  const stack = startForAll(() =>
    startStack({
      configure({ limits }) {
        const windows = [{ points: 1, seconds: 3_600 }];
        limits.tiers['roomy'] = { windows, onStoreFailure: 'closed', dryRun: true };
      },
    }),
  );

  it('answers every request of every route as if it had no limit, and reports those over it', async () => {
    const refused = { wouldRefuse: 'rate_limit_exceeded' };
    for (const { path } of [...operationCases, ...operationCases]) {
      // Not through `get`: it wants the headers that a limit in force has.
      const answer = await fetch(stack.url + path, { headers: { 'x-api-key': KEY } });
      await answer.arrayBuffer();
      expect([200, 404]).toContain(answer.status);
      expect([...answer.headers.keys()].filter((name) => /^ratelimit|^retry-after/.test(name))).toEqual([]);
    }
    const lines = stack.log.map((line) => JSON.parse(line) as { msg: string; wouldRefuse?: string });
    const requests = lines.filter(({ msg }) => msg === 'request');
    expect(requests).toHaveLength(2 * operationCases.length);
    expect(requests[0]).not.toHaveProperty('wouldRefuse');
    for (const line of requests.slice(1)) expect(line).toMatchObject(refused);
    const metrics = await stack.metrics();
    expect(metrics).toContain(
      `portico_limiter_decisions_total{tier="roomy",outcome="would_refuse",by="local"} ${requests.length - 1}\n`,
    );
  });
});
