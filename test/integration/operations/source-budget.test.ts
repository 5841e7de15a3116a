import { once } from 'node:events';
import { Redis } from 'ioredis';
import { sourceSchema } from '../../../src/config/schema/source.ts';
import { GatewayError } from '../../../src/kernel/errors/fault.ts';
import { systemClock } from '../../../src/kernel/clock.ts';
import type { Priority } from '../../../src/kernel/upstream-call.ts';
import { createSourceRates } from '../../../src/gateway/assemble/source-rate.ts';
import { createRedisKeys } from '../../../src/store/redis/redis-keys.ts';
import { createUpstream, type Upstream } from '../../../src/source/client/client.ts';
import type { TakeToken } from '../../../src/source/client/bulkhead/token-pacer.ts';
import { useRedis } from '../../support/redis/redis-server.ts';
import { eventually } from '../../support/time/eventually.ts';
import { startUpstream } from '../../support/upstream/scripted-upstream.ts';
import { holding } from '../../support/upstream/scripts.ts';
import { endAfterTest } from '../../support/jest/lifetime.ts';

const redis = useRedis();

/** Asks as somebody, and tells what came of it: `ok`, or the code of an error. */
async function ask(upstream: Upstream, priority: Priority = 'caller'): Promise<string> {
  const request = { method: 'GET', target: `/${priority}`, headers: {}, body: undefined } as const;
  const usage = { upstreamCalls: 0, upstreamMs: 0 };
  try {
    return await upstream.ask(request, () => 'ok', new AbortController().signal, usage, priority);
  } catch (error) {
    return error instanceof GatewayError ? error.code : String(error);
  }
}

const count = (outcomes: readonly string[], code: string) => outcomes.filter((one) => one === code).length;

function specOf(baseUrl: string, net: object) {
  const basics = { source: 1, name: 'shop', outcomes: [{ is: 'ok' }], resources: {}, auth: { kind: 'none' } };
  return sourceSchema.parse({ ...basics, net: { baseUrl, ...net } });
}

/** When the right to a call was asked for, and when it was there: in between, Redis gave it. */
type Grant = { readonly asked: number; readonly had: number };

/** The rate, with the rights noted that it gave. */
function noting(granted: Grant[], rate: TakeToken | undefined): TakeToken | undefined {
  if (rate === undefined) return undefined;
  return async () => {
    const asked = performance.now();
    const wait = await rate();
    if (wait === 0) granted.push({ asked, had: performance.now() });
    return wait;
  };
}

/** The most rights that were given in any second, as far as is known. */
function mostInASecond(granted: readonly Grant[]): number {
  const from = (start: number) =>
    granted.filter(({ asked, had }) => asked >= start && had < start + 1_000).length;
  return Math.max(...granted.map(({ asked }) => from(asked)));
}

/** A fleet of so many processes' clients of one source. */
async function openFleet(processes: number, net: object) {
  const answers = holding();
  const legacy = endAfterTest(await startUpstream(answers));
  const spec = specOf(legacy.origin, net);
  const upstreams: Upstream[] = [];
  const granted: Grant[] = [];
  for (let index = 0; index < processes; index += 1) {
    const client = endAfterTest(new Redis(redis.url));
    await once(client, 'ready');
    const createRate = createSourceRates({
      redis: { client },
      keys: createRedisKeys(redis.prefix),
      clock: systemClock,
    });
    const rate = createRate(spec);
    if (rate !== undefined) endAfterTest(rate);
    const upstream = createUpstream(spec, {
      onExchange: () => undefined,
      takeToken: noting(granted, rate?.takeToken),
    });
    upstreams.push(endAfterTest(upstream));
  }
  return { legacy, answers, upstreams, granted };
}

describe('a source under more load than its limits', () => {
  it('has exactly net.concurrency calls under way while others wait, and refuses those beyond the queue at once with overloaded', async () => {
    const { legacy, answers, upstreams } = await openFleet(1, {
      concurrency: 4,
      queue: { max: 40, time: '60s' },
    });
    const asked = Array.from({ length: 100 }, () => ask(upstreams[0]!));
    let refused = 0;
    for (const outcome of asked) void outcome.then((result) => (refused += result === 'overloaded' ? 1 : 0));
    await legacy.requested(4);
    // Nothing is answered yet.
    await eventually(() => refused === 56);
    for (let answered = 1; answered <= 40; answered += 1) {
      answers.releaseOne();
      await legacy.requested(4 + answered);
    }
    answers.release();
    const outcomes = await Promise.all(asked);
    expect([count(outcomes, 'ok'), count(outcomes, 'overloaded')]).toEqual([44, 56]);
    expect([answers.most, legacy.calls]).toEqual([4, 44]);
  });

  it('gets at most net.requestsPerSecond calls in any second from all processes together', async () => {
    const budget = 60;
    const net = { concurrency: 50, requestsPerSecond: budget, queue: { max: 1_000, time: '60s' } };
    const { legacy, answers, upstreams, granted } = await openFleet(3, net);
    answers.release();
    // Three times what it was promised for a second: the last of them have to wait for the third.
    const outcomes = await Promise.all(
      Array.from({ length: 3 * budget }, (_, index) => ask(upstreams[index % upstreams.length]!)),
    );
    expect(new Set(outcomes)).toEqual(new Set(['ok']));
    expect(mostInASecond(granted)).toBeLessThanOrEqual(budget);
    expect(legacy.requests).toHaveLength(3 * budget);
    expect(granted).toHaveLength(3 * budget);
  });

  it('serves callers before scans', async () => {
    const { legacy, answers, upstreams } = await openFleet(1, {
      concurrency: 4,
      queue: { max: 1_000, time: '60s' },
    });
    const ofClass = (priority: Priority, times: number) =>
      Array.from({ length: times }, () => ask(upstreams[0]!, priority));
    const asked = ofClass('scan', 20);
    await legacy.requested(4);
    asked.push(...ofClass('caller', 5));
    for (let answered = 1; answered <= 21; answered += 1) {
      answers.releaseOne();
      await legacy.requested(4 + answered);
    }
    answers.release();
    expect(new Set(await Promise.all(asked))).toEqual(new Set(['ok']));
    const [scans, callers] = ['/scan', '/caller'].map(
      (path) => (times: number) => Array<string>(times).fill(path),
    );
    expect(legacy.requests.map(({ target }) => target)).toEqual([
      ...scans!(4),
      ...callers!(5),
      ...scans!(16),
    ]);
  });
});
