import { type ScriptedUpstream, serving, startUpstream } from '../../support/upstream/scripted-upstream.ts';
import { createCondition } from '../../support/time/eventually.ts';
import { sourceSchema } from '../../../src/config/schema/source.ts';
import type { UpstreamRequest } from '../../../src/kernel/upstream-call.ts';
import { createUpstream } from '../../../src/source/client/client.ts';
import { createResilience } from '../../../src/source/resilience/resilience.ts';
import { endAfterTest } from '../../support/jest/lifetime.ts';

/** Starts a host; `answers` says with which status. */
async function startHost(answers: (path: string) => number = () => 200): Promise<ScriptedUpstream> {
  return endAfterTest(await startUpstream(serving(({ path }) => ({ status: answers(path), body: {} }))));
}

/** A source of these hosts; what happens to them is told. */
function openSource([baseUrl, ...otherUrls]: readonly string[], net: object = {}) {
  const spec = sourceSchema.parse({
    ...{ source: 1, name: 'shop', outcomes: [{ is: 'ok' }], resources: {} },
    net: { baseUrl, otherUrls, ...net },
  });
  const events: string[] = [];
  const changes = createCondition();
  const resilience = createResilience(spec.net, {
    monotonic: () => performance.now(),
    random: Math.random,
    deadlineMs: 10_000,
    patienceMs: 10_000,
    on: {
      breaker: () => undefined,
      question: () => undefined,
      retry: () => undefined,
      paused: () => undefined,
      host({ base }, event) {
        events.push(`${base} ${event}`);
        changes.announce();
      },
    },
  });
  const client = endAfterTest(createUpstream(spec, { onExchange: () => undefined, resilience }));
  const never = new AbortController().signal;
  const request: UpstreamRequest = { method: 'GET', target: '/x', headers: {}, body: undefined };
  const ask = (context = { upstreamCalls: 0, upstreamMs: 0 }) =>
    client.ask(request, ({ status }) => status, never, context);
  const happens = (event: string) => changes.until(() => events.includes(event));
  return { ask, events, happens };
}

const many = (count: number, ask: () => Promise<number>) =>
  Promise.all(Array.from({ length: count }, () => ask()));

describe('a source of several hosts', () => {
  it('spreads calls over all of them, and keeps those of one request on one host', async () => {
    const all = [await startHost(), await startHost(), await startHost()];
    const { ask } = openSource(all.map(({ origin }) => origin));
    await many(90, ask);
    for (const { calls } of all) expect(calls).toBeGreaterThan(10);
    const before = all.map(({ calls }) => calls);
    const context = { upstreamCalls: 0, upstreamMs: 0 };
    for (let call = 0; call < 9; call += 1) await ask(context);
    const more = all.map(({ calls }, index) => calls - before[index]!);
    expect(more.sort()).toEqual([0, 0, 9]);
  });

  it('answers every call while one host is down, and ejects that one', async () => {
    const [well, gone] = [await startHost(), await startHost()];
    await gone.down();
    const { ask, events } = openSource([gone.origin, well.origin], { retries: { budget: 100 } });
    const statuses: number[] = [];
    for (let call = 0; call < 60; call += 1) statuses.push(await ask());
    expect(new Set(statuses)).toEqual(new Set([200]));
    expect(events).toEqual([`${gone.origin} ejected`]);
  });

  it('makes no calls to an unhealthy host, and uses it again once it is healthy', async () => {
    let isSick = true;
    const sick = await startHost((path) => (path === '/health' && isSick ? 503 : 200));
    const well = await startHost();
    const health = { path: '/health', interval: '20ms', timeout: '5s', failures: 2 };
    const { ask, happens } = openSource([sick.origin, well.origin], { health });
    await happens(`${sick.origin} unhealthy`);
    await many(40, ask);
    expect(sick.requests.filter(({ path }) => path === '/x')).toEqual([]);
    isSick = false;
    await happens(`${sick.origin} healthy`);
    await many(40, ask);
    expect(sick.requests.map(({ path }) => path)).toContain('/x');
  });
});
