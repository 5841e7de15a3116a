import { fault } from '../../../../src/kernel/errors/fault.ts';
import type { ShadowDeps } from '../../../../src/migration/shadow/shadow.ts';
import type { SourceAnswer, SourceHandler } from '../../../../src/pipeline/stages/call.ts';
import { notScanned, overBudget } from '../../../../src/pipeline/reading/windows/scan-faults.ts';
import { migrationState } from '../../../support/migration/migration-facts.ts';
import { openShadow } from '../../../support/migration/open-shadow.ts';

/** Notes which operations an answer is kept of. */
const warmingInto =
  (warmed: string[]): NonNullable<ShadowDeps['warm']> =>
  (operation) =>
  () => {
    warmed.push(operation);
    return Promise.resolve();
  };

const ignored = () => undefined;
const NO_EVIDENCE = { compared: ignored, uncompared: ignored, rehearsed: ignored, reread: ignored };

/** A source that answers when it is told to. */
function held() {
  const waiting: ((answer: SourceAnswer) => void)[] = [];
  const handler: SourceHandler = () => new Promise((resolve) => waiting.push(resolve));
  return { handler, waiting };
}

describe('the shadow of an answer', () => {
  it('asks nobody before the turn in which the answer was offered is over', async () => {
    const { offer, asked, comparisons, until } = openShadow();
    offer();
    await Promise.resolve();
    expect(asked).toEqual([]);
    await until(() => comparisons.length === 1);
    expect(comparisons[0]).toMatchObject({ operation: 'users.get', query: 'user_1', verdict: 'match' });
  });

  it('asks the source that did not serve, with the lowest priority and without a scan', async () => {
    const { offer, asked, answered, comparisons, until } = openShadow({
      state: () => migrationState({ stage: 'ramp' }),
    });
    offer('new');
    await until(() => comparisons.length === 1);
    expect(asked.map(({ origin, priority, mayScan }) => [origin, priority, mayScan])).toEqual([
      ['legacy', 'shadow', false],
    ]);
    expect(comparisons[0]).toMatchObject({ verdict: 'match', newMs: 3, legacyMs: 0 });
    expect(answered).toEqual([['legacy', true]]);
  });

  it.each(['legacy', 'complete'] as const)('is not made in the stage %s', (stage) => {
    const { shadow, offer, outcomes } = openShadow({ state: () => migrationState({ stage }) });
    offer();
    expect([shadow.inFlight, outcomes]).toEqual([0, []]);
  });

  it('is made in the stage of the operation where that has its own', async () => {
    const operations = { 'users.get': { stage: 'shadow', percent: 0 } } as const;
    const { offer, comparisons, until } = openShadow({
      state: () => migrationState({ stage: 'legacy', operations }),
    });
    offer();
    await until(() => comparisons.length === 1);
  });

  it('is made of what was never compared, and of the share of the rest that the file says', () => {
    const rates = [0.3, 0.6].flatMap((random) => [true, false].map((known) => ({ random, known })));
    const made = rates.map(({ random, known }) => {
      const counts = { ...NO_EVIDENCE, isKnown: () => known };
      const opened = openShadow({
        counts,
        shadow: { rate: 50 },
        random: () => random,
        overload: () => 'redis',
      });
      opened.offer();
      return opened.outcomes.length;
    });
    // An overload lets us see whether it was chosen without waiting.
    expect(made).toEqual([1, 1, 0, 1]);
  });

  it('is made of five percent at most once the new source serves everybody', () => {
    const made = [0.04, 0.06].map((random) => {
      const counts = { ...NO_EVIDENCE, isKnown: () => true };
      const state = () => migrationState({ stage: 'live' });
      const opened = openShadow({ counts, state, random: () => random, overload: () => 'redis' });
      opened.offer('new');
      return opened.outcomes.length;
    });
    expect(made).toEqual([1, 0]);
  });

  it('is left out, not queued, where as many are under way as may be', async () => {
    const { handler, waiting } = held();
    const { shadow, offer, answer, outcomes, uncompared, until } = openShadow({
      next: handler,
      shadow: { concurrency: 2 },
    });
    for (let offered = 0; offered < 5; offered += 1) offer();
    await until(() => outcomes.length === 3);
    expect(outcomes).toEqual(['dropped_cap', 'dropped_cap', 'dropped_cap']);
    expect(uncompared).toEqual(outcomes.map((outcome) => `users.get ${outcome}`));
    while (waiting.length < 2) await new Promise(setImmediate);
    expect(shadow.inFlight).toBe(2);
    for (const resolve of waiting) resolve(answer('Ann'));
    await until(() => outcomes.filter((outcome) => outcome === 'ok').length === 2);
    expect(shadow.inFlight).toBe(0);
  });

  it('is left out under overload, and beyond the rate of the fleet', async () => {
    const overloaded = openShadow({ overload: () => 'event_loop' });
    overloaded.offer();
    expect(overloaded.outcomes).toEqual(['dropped_overload']);
    const limited = openShadow({ rate: { take: () => Promise.resolve(false) } });
    limited.offer();
    await limited.until(() => limited.outcomes[0] === 'dropped_rate');
    expect(limited.asked).toEqual([]);
  });

  it('leaves a source alone for half a minute that fails at half of the calls', async () => {
    const { offer, outcomes, comparisons, clock, until } = openShadow({
      next: () => Promise.reject(fault('upstream_error')),
    });
    for (let failed = 1; failed <= 10; failed += 1) {
      offer();
      await until(() => outcomes.length === failed);
    }
    offer();
    expect(outcomes.at(-1)).toBe('dropped_breaker');
    expect(comparisons.map(({ verdict }) => verdict)).toEqual(Array(10).fill('failed_new'));
    clock.advance(30_001);
    offer();
    await until(() => outcomes.length === 12);
    expect(outcomes.at(-1)).toBe('error');
  });

  it('is no comparison where the source was not asked, or only a scan would tell', async () => {
    const refused: SourceHandler = ({ usage }) => {
      usage.upstreamCalls = 0;
      return Promise.reject(fault('upstream_unavailable'));
    };
    const scans: SourceHandler = () => Promise.reject(fault('scan_limit_exceeded'));
    for (const [next, outcome] of [[refused, 'dropped_source'] as const, [scans, 'dropped_scan'] as const]) {
      const { offer, outcomes, comparisons, until } = openShadow({ next });
      offer();
      await until(() => outcomes.length === 1);
      expect([outcomes, comparisons]).toEqual([[outcome], []]);
    }
  });

  it('reports a question that the new source cannot answer, and not one that only this call may not scan for', async () => {
    const refused: string[] = [];
    for (const error of [notScanned(), overBudget('rows')]) {
      const { offer, outcomes, until } = openShadow({
        next: () => Promise.reject(error),
        onRefused: (operation, { kind }) => void refused.push(`${operation} ${kind}`),
      });
      offer();
      await until(() => outcomes.length === 1);
    }
    expect(refused).toEqual(['users.get get']);
  });

  it('fails a source that does not answer in time', async () => {
    const { offer, comparisons, outcomes, until } = openShadow({
      shadow: { timeout: '20ms' },
      next: ({ signal }) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason as Error));
        }),
    });
    offer();
    await until(() => comparisons.length === 1);
    expect([comparisons[0]?.verdict, outcomes]).toEqual(['failed_new', ['timeout']]);
  });

  it('confirms a difference that is still there after a wait, and reports it without values', async () => {
    const { offer, answer, comparisons, asked, until } = openShadow({
      next: () => Promise.resolve(answer('Bob')),
    });
    offer();
    await until(() => comparisons.length === 1);
    expect(comparisons[0]).toMatchObject({
      verdict: 'mismatch',
      differences: [{ path: 'data.name', kind: 'value', legacy: { type: 'string', length: 3 } }],
    });
    expect(asked.map(({ origin }) => origin)).toEqual(['new', 'legacy', 'new', 'legacy']);
    expect(JSON.stringify(comparisons)).not.toMatch(/Ann|Bob/);
  });

  it('names the trace of the request in the sample of a difference', async () => {
    const { offer, answer, comparisons, until } = openShadow({ next: () => Promise.resolve(answer('Bob')) });
    const spans = { isRecorded: false, ids: { traceId: '4bf92f3577b34da6a3ce929d0e0e4736' } };
    offer('legacy', answer('Ann'), spans as never);
    await until(() => comparisons.length === 1);
    expect(comparisons[0]?.differences).toMatchObject([{ path: 'data.name', traceId: spans.ids.traceId }]);
  });

  it('knows nothing of a difference from rows that were read before the question', async () => {
    const { offer, answer, comparisons, until } = openShadow({ next: () => Promise.resolve(answer('Bob')) });
    offer('legacy', { ...answer('Ann'), storedAt: 0 } as SourceAnswer);
    await until(() => comparisons.length === 1);
    expect(comparisons[0]).toMatchObject({ verdict: 'inconclusive', differences: [] });
  });

  it('is not made where a rehearsal has it fail, which is counted apart', async () => {
    const rehearsal = { until: '2099-01-01T00:00:00.000Z', percent: 100 };
    const state = () => migrationState({ stage: 'shadow', rehearsal });
    const { offer, outcomes, asked } = openShadow({ state });
    offer();
    while (outcomes.length === 0) await new Promise(setImmediate);
    expect([outcomes, asked]).toEqual([['rehearsed'], []]);
  });

  it('warms the cache of the new source with what is equal, where the file says so', async () => {
    const warmed: string[] = [];
    for (const prewarm of [true, false]) {
      const { shadow, offer, comparisons, until } = openShadow({
        warm: warmingInto(warmed),
        shadow: { prewarm },
      });
      offer();
      await until(() => comparisons.length === 1);
      await shadow.close();
    }
    expect(warmed).toEqual(['users.get']);
  });

  it('does not warm a cache with an answer that differed at first and was equal when it was asked again', async () => {
    const warmed: string[] = [];
    const { shadow, offer, answer, comparisons, asked, until } = openShadow({
      warm: warmingInto(warmed),
      shadow: { prewarm: true },
      next: () => Promise.resolve(answer(asked.length === 1 ? 'Bob' : 'Ann')),
    });
    offer();
    await until(() => comparisons.length === 1);
    await shadow.close();
    expect([comparisons[0]?.verdict, warmed]).toEqual(['transient', []]);
  });

  it('ends with the gateway, without a comparison', async () => {
    const { shadow, offer, comparisons, asked } = openShadow({
      next: ({ signal }) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason as Error));
        }),
    });
    offer();
    while (asked.length === 0) await new Promise(setImmediate);
    await shadow.close();
    expect([comparisons, shadow.inFlight]).toEqual([[], 0]);
  });
});
