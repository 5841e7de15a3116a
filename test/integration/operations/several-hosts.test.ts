import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { sourceSchema } from '../../../src/config/schema/source.ts';
import type { UpstreamRequest } from '../../../src/kernel/upstream-call.ts';
import { createUpstream, type Upstream } from '../../../src/upstream/client.ts';
import { createResilience } from '../../../src/upstream/resilience.ts';

const servers: Server[] = [];
let upstream: Upstream | undefined;
afterEach(() => {
  upstream?.close();
  for (const server of servers.splice(0)) {
    server.close();
    server.closeAllConnections();
  }
});

/** A host that counts its calls by path; `answers` says with which status. */
async function startHost(answers: (path: string) => number = () => 200) {
  const calls: string[] = [];
  const server = createServer(({ url = '' }, response) => {
    calls.push(url);
    response.writeHead(answers(url)).end('{}');
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const down = () => {
    server.close();
    server.closeAllConnections();
  };
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, calls, down };
}

/** A source of these hosts; what happens to them is told. */
function openSource([baseUrl, ...otherUrls]: readonly string[], net: object = {}) {
  const spec = sourceSchema.parse({
    ...{ source: 1, name: 'shop', outcomes: [{ is: 'ok' }], resources: {} },
    net: { baseUrl, otherUrls, ...net },
  });
  const events: string[] = [];
  const heard = new Set<() => void>();
  const resilience = createResilience(spec.net, {
    monotonic: () => performance.now(),
    random: Math.random,
    deadlineMs: 10_000,
    patienceMs: 10_000,
    on: {
      breaker: () => undefined,
      retry: () => undefined,
      paused: () => undefined,
      host({ base }, event) {
        events.push(`${base} ${event}`);
        for (const tell of heard) tell();
      },
    },
  });
  const client = createUpstream(spec, {
    onExchange: () => undefined,
    readSession: () => undefined,
    resilience,
  });
  upstream = client;
  const never = new AbortController().signal;
  const request: UpstreamRequest = { method: 'GET', target: '/x', headers: {}, body: undefined };
  const ask = (errand = { upstreamCalls: 0, upstreamMs: 0 }) =>
    client.ask(request, ({ status }) => status, never, errand);
  const happens = (event: string) =>
    new Promise<void>((resolve) => {
      const look = () => {
        if (events.includes(event)) resolve();
      };
      heard.add(look);
      look();
    });
  return { ask, events, happens };
}

const many = (count: number, ask: () => Promise<number>) =>
  Promise.all(Array.from({ length: count }, () => ask()));

describe('a source of several hosts', () => {
  it('has its calls spread over all of them, and those of one errand at one', async () => {
    const hosts = [await startHost(), await startHost(), await startHost()];
    const { ask } = openSource(hosts.map(({ url }) => url));
    await many(90, ask);
    for (const { calls } of hosts) expect(calls.length).toBeGreaterThan(10);
    const before = hosts.map(({ calls }) => calls.length);
    const errand = { upstreamCalls: 0, upstreamMs: 0 };
    for (let call = 0; call < 9; call += 1) await ask(errand);
    const more = hosts.map(({ calls }, index) => calls.length - before[index]!);
    expect(more.sort()).toEqual([0, 0, 9]);
  });

  it('answers every call while one of them is gone, and leaves that one out', async () => {
    const [well, gone] = [await startHost(), await startHost()];
    gone.down();
    const { ask, events } = openSource([gone.url, well.url], { retries: { budget: 100 } });
    const statuses: number[] = [];
    for (let call = 0; call < 60; call += 1) statuses.push(await ask());
    expect(new Set(statuses)).toEqual(new Set([200]));
    expect(events).toEqual([`${gone.url} ejected`]);
  });

  it('does not ask one whose health is bad, and asks it again once it is good', async () => {
    let isSick = true;
    const sick = await startHost((path) => (path === '/health' && isSick ? 503 : 200));
    const well = await startHost();
    const health = { path: '/health', interval: '20ms', timeout: '5s', failures: 2 };
    const { ask, happens } = openSource([sick.url, well.url], { health });
    await happens(`${sick.url} sick`);
    await many(40, ask);
    expect(sick.calls.filter((path) => path === '/x')).toEqual([]);
    isSick = false;
    await happens(`${sick.url} sound`);
    await many(40, ask);
    expect(sick.calls).toContain('/x');
  });
});
