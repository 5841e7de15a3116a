import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { Redis } from 'ioredis';
import { sourceSchema } from '../../../src/config/source-schema.ts';
import { GatewayError } from '../../../src/errors/fault.ts';
import { systemClock } from '../../../src/kernel/clock.ts';
import type { WorkClass } from '../../../src/kernel/upstream.ts';
import { createSourceRates } from '../../../src/pipeline/source-rates.ts';
import { createRedisKeys } from '../../../src/store/redis-keys.ts';
import { createUpstream, type Upstream } from '../../../src/upstream/client.ts';
import type { Rate } from '../../../src/upstream/places.ts';
import { useRedis } from '../../support/redis.ts';
import { askSteadily, mostWithin, type Pace } from '../../support/steady-load.ts';

const redis = useRedis();

/** A legacy service that takes its time, and keeps when calls came and how many were under way. */
async function startLegacy(replyMs: number) {
  const arrivals: number[] = [];
  let underWay = 0;
  let most = 0;
  const server = createServer((_req, res) => {
    arrivals.push(performance.now());
    underWay += 1;
    most = Math.max(most, underWay);
    setTimeout(() => {
      underWay -= 1;
      res.end('{}');
    }, replyMs);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    baseUrl: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`,
    arrivals,
    most: () => most,
    stop() {
      server.close();
      server.closeAllConnections();
    },
  };
}

type Outcome = { readonly workClass: WorkClass; readonly ms: number; readonly code: string };

/** Asks at a steady pace whatever becomes of the calls before; resolves once all have an end. */
function drive(
  upstreams: readonly Upstream[],
  pace: Pace,
  classOf: (index: number) => WorkClass = () => 'caller',
): Promise<readonly Outcome[]> {
  const signal = new AbortController().signal;
  return askSteadily(pace, (index) => {
    const workClass = classOf(index);
    const asked = performance.now();
    const request = { method: 'GET', target: '/x', headers: {}, body: undefined } as const;
    const upstream = upstreams[index % upstreams.length] as Upstream;
    const meter = { upstreamCalls: 0, upstreamMs: 0 };
    const told = (code: string) => ({ workClass, ms: performance.now() - asked, code });
    const call = upstream.ask(request, () => 'ok', signal, meter, workClass);
    return call.then(told, (error: unknown) =>
      told(error instanceof GatewayError ? error.code : String(error)),
    );
  });
}

const count = (outcomes: readonly Outcome[], code: string) =>
  outcomes.filter((one) => one.code === code).length;

function specOf(baseUrl: string, net: object) {
  const basics = { source: 1, name: 'shop', outcomes: [{ is: 'ok' }], resources: {}, auth: { kind: 'none' } };
  return sourceSchema.parse({ ...basics, net: { baseUrl, ...net } });
}

const opened: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of opened.splice(0).reverse()) await close();
});

/** The rate, with the moments noted in which it gave the right to a call. */
function noting(granted: number[], rate: Rate | undefined): Rate | undefined {
  if (rate === undefined) return undefined;
  return async () => {
    const wait = await rate();
    if (wait === 0) granted.push(performance.now());
    return wait;
  };
}

/** A fleet of so many processes' clients of one source. */
async function openFleet(processes: number, replyMs: number, net: object) {
  const legacy = await startLegacy(replyMs);
  opened.push(() => legacy.stop());
  const spec = specOf(legacy.baseUrl, net);
  const upstreams: Upstream[] = [];
  /** When calls got the right to be sent, which is the moment before they are. */
  const granted: number[] = [];
  for (let index = 0; index < processes; index += 1) {
    const client = new Redis(redis.url);
    await once(client, 'ready');
    opened.push(() => client.disconnect());
    const rates = createSourceRates([spec], {
      redis: { client },
      keys: createRedisKeys(redis.prefix),
      clock: systemClock,
    });
    const upstream = createUpstream(spec, {
      onExchange: () => undefined,
      readSession: () => undefined,
      rate: noting(granted, rates.of(spec)),
    });
    opened.push(
      () => rates.close(),
      () => upstream.close(),
    );
    upstreams.push(upstream);
  }
  return { legacy, upstreams, granted };
}

describe('a source that is asked for four times what it was promised', () => {
  it('never has more calls under way than net.concurrency, and loses nothing of what it can do', async () => {
    const { legacy, upstreams } = await openFleet(1, 20, {
      concurrency: 4,
      queue: { max: 40, time: '500ms' },
    });
    const peak = count(await drive(upstreams, { perSecond: 150, seconds: 1 }), 'ok');
    const before = legacy.arrivals.length;
    const outcomes = await drive(upstreams, { perSecond: 800, seconds: 2 });
    expect(legacy.most()).toBeLessThanOrEqual(4);
    expect(legacy.arrivals.length - before).toBe(count(outcomes, 'ok'));
    expect(count(outcomes, 'ok') / 2).toBeGreaterThanOrEqual(peak * 0.9);
    const refused = outcomes.filter(({ code }) => code === 'overloaded');
    expect(count(outcomes, 'ok') + refused.length).toBe(outcomes.length);
    // Refused because the queue is full: at once.
    expect(refused.map(({ ms }) => ms).sort((a, b) => a - b)[refused.length >> 1]).toBeLessThan(100);
  });

  it('is asked no more often in any second than net.requestsPerSecond, by all processes together', async () => {
    const budget = 60;
    const net = { concurrency: 50, requestsPerSecond: budget, queue: { max: 20, time: '400ms' } };
    const { legacy, upstreams, granted } = await openFleet(3, 5, net);
    const seconds = 3;
    const outcomes = await drive(upstreams, { perSecond: 4 * budget, seconds });
    // On a busy machine calls may arrive later than they are sent, and closer together, so the sending is measured.
    expect(mostWithin(granted, 1_000)).toBeLessThanOrEqual(budget);
    expect(legacy.arrivals.length).toBeLessThanOrEqual(granted.length);
    // Each is held for a tenth longer than a second.
    expect(count(outcomes, 'ok')).toBeGreaterThanOrEqual(((budget * seconds) / 1.1) * 0.9);
    expect(count(outcomes, 'ok') + count(outcomes, 'overloaded')).toBe(outcomes.length);
  });

  it('serves callers before scans', async () => {
    const { upstreams } = await openFleet(1, 20, { concurrency: 4, queue: { max: 1_000, time: '2s' } });
    // Callers alone are less than what it can do, scans are more.
    const classOf = (index: number): WorkClass => (index % 5 === 0 ? 'caller' : 'scan');
    const outcomes = await drive(upstreams, { perSecond: 400, seconds: 1 }, classOf);
    const callers = outcomes.filter(({ workClass }) => workClass === 'caller');
    const scans = outcomes.filter(({ workClass }) => workClass === 'scan');
    const median = (of: readonly Outcome[]) =>
      of.map(({ ms }) => ms).sort((a, b) => a - b)[of.length >> 1] ?? 0;
    expect(count(callers, 'ok')).toBe(callers.length);
    expect(median(callers) * 3).toBeLessThan(median(scans));
  });
});
