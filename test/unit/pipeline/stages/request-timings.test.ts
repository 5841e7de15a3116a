import type { Call } from '../../../../src/pipeline/stages/call.ts';
import { createRateLimit } from '../../../../src/pipeline/stages/rate-limit.ts';
import { callOf, found, openCached, settled } from '../../../support/pipeline/cached-answers.ts';

const namesOf = ({ summary }: Call) => summary.timings?.list().map(({ name }) => name);

describe('the step times of a request', () => {
  it('are not even begun for one that is served from memory', async () => {
    const { runs, serve } = openCached();
    const [miss, hit] = [callOf(), callOf()];
    const answer = serve(miss);
    await settled();
    runs[0]!.finish(found('[]'));
    await answer;
    await serve(hit);
    expect([hit.summary.cache, miss.summary.timings === undefined, hit.summary.timings]).toEqual([
      'hit',
      false,
      undefined,
    ]);
  });

  it('of one that waits for the answer of another are that wait; the other one has the rest', async () => {
    const { runs, serve } = openCached();
    const [first, second] = [callOf(), callOf()];
    const answers = Promise.all([serve(first), serve(second)]);
    await settled();
    expect(runs).toHaveLength(1);
    runs[0]!.finish(found('[]'));
    await answers;
    expect([namesOf(first), namesOf(second)]).toEqual([[], ['shared']]);
  });

  it.each([true, false])(
    'have the wait for the limiter where it cannot decide at once: %s',
    async (isLater) => {
      const decision = { allowed: true, windows: [], retryAfterSeconds: 1, by: 'redis' } as const;
      const limit = createRateLimit({
        limiter: { consume: () => (isLater ? Promise.resolve(decision) : decision) },
        dryRun: new Set(),
        metrics: { limiterDecision: () => undefined },
      });
      const principal = {
        ...{ kind: 'key', id: 'a', subject: 'a', tier: 'standard' },
        permissions: new Set(),
      } as never;
      const call = callOf({ principal });
      await limit(() => 'answered')(call);
      expect(namesOf(call)).toEqual(isLater ? ['limit'] : undefined);
    },
  );
});
