import fc from 'fast-check';
import { parseList } from 'structured-headers';
import type { Call } from '../../../../src/pipeline/stages/call.ts';
import { createRateLimit } from '../../../../src/pipeline/stages/rate-limit.ts';
import { createLimiter, type Decision, type Tier } from '../../../../src/store/limiter/limiter.ts';
import { createCall, later } from '../../../support/pipeline/call.ts';

const tier: Tier = {
  windows: [
    { points: 2, seconds: 10 },
    { points: 3, seconds: 600 },
  ],
  onStoreFailure: 'open',
};

const principal = {
  kind: 'key',
  id: 'k',
  subject: 'key:k',
  permissions: new Set<string>(),
  tier: 'small',
} as const;

const undecided: Decision = { allowed: false, windows: [], retryAfterSeconds: 1, by: 'unavailable' };

type StageOptions = {
  readonly decide?: Decision;
  readonly dryRun?: boolean;
  readonly monotonic?: () => number;
};

function stageWith({ decide, dryRun = false, monotonic = () => 0 }: StageOptions = {}) {
  const decisions: string[] = [];
  const limiter = createLimiter({
    tiers: { small: tier },
    keyOf: (name, _windows, who) => `${name}:${who}`,
    clock: { monotonic },
  });
  const stage = createRateLimit({
    limiter: decide === undefined ? limiter : { consume: () => Promise.resolve(decide) },
    dryRun: new Set(dryRun ? ['small'] : []),
    metrics: { limiterDecision: (...decision) => decisions.push(decision.join(' ')) },
  });
  return { handler: later(stage(() => 'answer')), decisions };
}

/** The answer's headers by name, parsed as RFC 9651 lists: name → parameters of each member. */
function fieldsOf({ answerHeaders }: Call) {
  const at = (name: string) => answerHeaders[answerHeaders.indexOf(name) + 1] ?? '';
  const read = (name: string) =>
    parseList(at(name)).map(([item, parameters]) => [item, Object.fromEntries(parameters)]);
  return { policy: read('RateLimit-Policy'), state: read('RateLimit') };
}

describe('the rate limit', () => {
  it('tells policy and state of every window on an admitted call', async () => {
    const { handler, decisions } = stageWith();
    const call = createCall({ principal });
    expect(await handler(call)).toBe('answer');
    expect(fieldsOf(call)).toEqual({
      policy: [
        ['10s', { q: 2, w: 10 }],
        ['600s', { q: 3, w: 600 }],
      ],
      state: [
        ['10s', { r: 1, t: 10 }],
        ['600s', { r: 2, t: 600 }],
      ],
    });
    expect(decisions).toEqual(['small admitted local']);
  });

  it('answers 429 with the state and a Retry-After not earlier than the refusing window has a point again', async () => {
    const { handler, decisions } = stageWith();
    await handler(createCall({ principal }));
    await handler(createCall({ principal }));
    const call = createCall({ principal });
    const refused = handler(call);
    await expect(refused).rejects.toMatchObject({ code: 'rate_limit_exceeded', status: 429 });
    const { state } = fieldsOf(call);
    const { retryAfterSeconds } = (await refused.catch((error: unknown) => error)) as {
      retryAfterSeconds: number;
    };
    // What was counted in a tenth of the window is held against the caller until all of that tenth is past.
    expect(retryAfterSeconds).toBe(11);
    expect(state[0]).toEqual(['10s', { r: 0, t: 10 }]);
    // The refused call was charged to no window.
    expect(state[1]).toEqual(['600s', { r: 1, t: 600 }]);
    expect(decisions.at(-1)).toBe('small refused local');
  });

  it('answers 503 limiter_unavailable with Retry-After when nobody can decide', async () => {
    const { handler, decisions } = stageWith({ decide: undecided });
    await expect(handler(createCall({ principal }))).rejects.toMatchObject({
      code: 'limiter_unavailable',
      status: 503,
      retryAfterSeconds: 1,
    });
    expect(decisions).toEqual(['small unavailable unavailable']);
  });

  it('counts callers apart', async () => {
    const { handler } = stageWith();
    for (let round = 0; round < 5; round += 1) {
      await handler(createCall({ principal: { ...principal, subject: `key:${round}` } }));
    }
  });

  it('is a fault of ours when no caller is known yet', async () => {
    await expect(stageWith().handler(createCall())).rejects.toMatchObject({ code: 'server_error' });
  });

  describe('in dry run', () => {
    it('admits what it would refuse, and tells metrics and log, but not the caller', async () => {
      const { handler, decisions } = stageWith({ dryRun: true });
      const calls = Array.from({ length: 3 }, () => createCall({ principal }));
      for (const call of calls) expect(await handler(call)).toBe('answer');
      expect(calls.map(({ answerHeaders }) => answerHeaders)).toEqual([[], [], []]);
      expect(calls.map(({ summary }) => summary.wouldRefuse)).toEqual([
        undefined,
        undefined,
        'rate_limit_exceeded',
      ]);
      expect(decisions).toEqual(['small admitted local', 'small admitted local', 'small would_refuse local']);
    });

    it('admits where nobody can decide, too', async () => {
      const { handler, decisions } = stageWith({ dryRun: true, decide: undecided });
      const call = createCall({ principal });
      expect(await handler(call)).toBe('answer');
      expect(call.summary.wouldRefuse).toBe('limiter_unavailable');
      expect(decisions).toEqual(['small would_refuse unavailable']);
    });

    it('reports for any arrivals exactly the requests that the tier refuses otherwise', async () => {
      const gaps = fc.array(fc.oneof(fc.nat(1_500), fc.nat(60_000)), { maxLength: 60 });
      const property = fc.asyncProperty(gaps, async (arrivals) => {
        let now = 0;
        const dry = stageWith({ dryRun: true, monotonic: () => now });
        const real = stageWith({ monotonic: () => now });
        for (const gap of arrivals) {
          now += gap;
          const call = createCall({ principal });
          expect(await dry.handler(call)).toBe('answer');
          const refused = await real.handler(createCall({ principal })).then(
            () => undefined,
            (error: unknown) => (error as { code: string }).code,
          );
          expect(call.summary.wouldRefuse).toBe(refused);
        }
      });
      await fc.assert(property);
    });
  });
});
