import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { request } from '../../support/client/raw-client.ts';
import type { FaultBench } from '../harness/bench.ts';
import { pin } from '../harness/load/cores.ts';
import type { FaultGateway, GatewayOptions } from '../harness/gateway.ts';
import { offer, type OpenLoop, type OpenLoopFigure } from '../harness/load/offer.ts';
import type { BenchRow, Figure } from '../harness/row.ts';

const SWEEP = [0.5, 0.75, 1, 1.25, 1.5];
const TIMES = 4;
const ROUNDS = 3;
const PEAK_PART_MIN = 0.9;
const P99_TIMES_MAX = 2;
/** Of callers who ask once a second, so many percent are answered whatever others do. */
const MODEST_MIN = 90;
const MODEST_CALLERS = 40;
const USERS_MS = 20;

/** What is asked for: a request of one kind, on so many connections. */
type Asked = { readonly gateway: FaultGateway; readonly request: string; readonly connections: number };

/** Microseconds of CPU, of all threads, that each answer of 200 took, whatever was refused beside it. */
async function measure(gateway: FaultGateway, plan: OpenLoop) {
  const cpuSeconds = () => gateway.counted('process_cpu_seconds_total');
  const good = () => gateway.counted('portico_requests_total', 'status="200"');
  const [cpuBefore, goodBefore] = [await cpuSeconds(), await good()];
  const met = await offer(plan);
  const cpuMicros = (1e6 * ((await cpuSeconds()) - cpuBefore)) / ((await good()) - goodBefore);
  assert.deepEqual({ other: met.other, broken: met.broken }, { other: 0, broken: 0 });
  return { ...met, cpuMicros };
}

type Measured = OpenLoopFigure & { readonly cpuMicros: number };

/** How long the operator's listener takes at most while something lasts, asked ten times a second. */
async function slowestAdmin({ adminUrl }: FaultGateway, lasts: Promise<unknown>): Promise<number> {
  const state = { over: false };
  void lasts.finally(() => void (state.over = true));
  let slowest = 0;
  while (!state.over) {
    const askedAt = performance.now();
    assert.equal((await fetch(`${adminUrl}/readyz`)).status, 200);
    slowest = Math.max(slowest, performance.now() - askedAt);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return slowest;
}

type Over = Measured & { readonly modest: OpenLoopFigure; readonly adminMs: number };

/** Four times the peak, with callers among them who ask once a second, and an operator. */
async function overload(gateway: FaultGateway, plan: OpenLoop): Promise<Over> {
  const measuring = measure(gateway, plan);
  const asking = offer({ ...plan, perSecond: MODEST_CALLERS, connections: MODEST_CALLERS });
  const adminMs = await slowestAdmin(gateway, measuring);
  const modest = await asking;
  return { ...(await measuring), modest, adminMs };
}

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);

function medianOf<T>(things: readonly T[], value: (thing: T) => number): number {
  const sorted = things.map(value).sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

/** The most that is answered at any rate up to one and a half times what can be, each second. */
async function findPeak(gateway: FaultGateway, usual: Omit<OpenLoop, 'perSecond'>): Promise<number> {
  const few = { ...usual, connections: Math.min(usual.connections, 256) };
  const { goodPerSecond: able } = await measure(gateway, { ...few, perSecond: 1e6, warmSeconds: 3 });
  const swept: Measured[] = [];
  for (const part of SWEEP) swept.push(await measure(gateway, { ...usual, perSecond: part * able }));
  return Math.max(...swept.map(({ goodPerSecond }) => goodPerSecond));
}

/**
 * Finds the peak, asks as often and four times as often in turn, so that whatever else the machine does falls on both,
 * and holds the medians of these to those.
 */
async function judge(bench: FaultBench, { gateway, request: text, connections }: Asked): Promise<Figure> {
  const isPinned = pin(gateway.process.pid, 'gateway');
  if (isPinned) {
    pin(process.pid, 'load');
    bench.own({ stop: () => pin(process.pid, 'any') });
  }
  const usual = {
    ports: [gateway.port],
    request: text,
    connections,
    obeys: false,
    warmSeconds: 1,
    seconds: 2,
  };
  const peak = await findPeak(gateway, usual);
  const settled = { ...usual, warmSeconds: 2 };
  const single: Measured[] = [];
  const over: Over[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    single.push(await measure(gateway, { ...settled, perSecond: peak }));
    over.push(await overload(gateway, { ...settled, perSecond: TIMES * peak }));
  }

  const good = [
    medianOf(single, (met) => met.goodPerSecond),
    medianOf(over, (met) => met.goodPerSecond),
  ] as const;
  const p99 = [medianOf(single, (met) => met.p99Ms), medianOf(over, (met) => met.p99Ms)] as const;
  const goodPercent = (100 * good[1]) / good[0];
  const modest = over.map((met) => met.modest);
  const modestPercent = (100 * sum(modest.map((met) => met.good))) / sum(modest.map((met) => met.offered));
  // Bounds are upper ones.
  bench.atMost('percent of the peak lost at four times', 100 - goodPercent, 100 * (1 - PEAK_PART_MIN));
  bench.atMost('p99 ms at four times', p99[1], P99_TIMES_MAX * p99[0]);
  bench.atMost('percent of modest callers not answered', 100 - modestPercent, 100 - MODEST_MIN);
  return {
    'peak/s': peak,
    'good/s at 1x': good[0],
    'good/s at 4x': good[1],
    'goodput %': goodPercent,
    'goodput % of the sweep': (100 * good[1]) / peak,
    'p99 ms at 1x': p99[0],
    'p99 ms at 4x': p99[1],
    'p99 ratio': p99[1] / p99[0],
    'refused/s at 4x': medianOf(over, (met) => met.refused / settled.seconds),
    'CPU us per answer at 1x': medianOf(single, (met) => met.cpuMicros),
    'CPU us at 4x': medianOf(over, (met) => met.cpuMicros),
    'modest callers answered %': modestPercent,
    'slowest readyz ms': Math.max(...over.map((met) => met.adminMs)),
    'load busy %': Math.max(...over.map((met) => met.busyPercent)),
    'own cores': isPinned ? 'yes' : 'no',
  };
}

const EXPECTED =
  'goodput at least 90 % of the peak, p99 of what is accepted at most twice that at the peak; the rest is 503 overloaded or not read yet; who asks once a second is answered';

const STRICT: GatewayOptions['config'] = { overload: { eventLoopDelayMax: '50ms', inFlightMax: 10_000 } };

function hits(connections: number): BenchRow {
  return {
    id: 'P4',
    name: `four times as many requests for kept answers as a process can answer, on ${connections} connections – ${EXPECTED}`,
    async run(bench) {
      const config = { ...STRICT, resources: { users: { cache: { fresh: '600s' } } } };
      const gateway = await bench.gateway({ config });
      const key = `X-API-Key: ${gateway.configuredKey}`;
      const text = request('GET', '/v1/users?limit=10&page={n}', [key]);
      return judge(bench, { gateway, request: text, connections });
    },
  };
}

/** A service of two thousand million users, each reply of which takes a while. */
function slowUsers(): Server {
  return createServer((req, res) => {
    const asked = new URL(req.url ?? '', 'http://users').searchParams;
    const offset = Number(asked.get('offset'));
    const rows = Array.from({ length: Number(asked.get('limit')) }, (_, index) => {
      const no = offset + index + 1;
      return { no, name: `User ${no}`, mail: `user${no}@example.com`, created: '2024-01-01 00:00:00' };
    });
    const body = JSON.stringify({ total: 2_000_000_000, rows });
    setTimeout(() => res.setHeader('Content-Type', 'application/json').end(body), USERS_MS);
  });
}

const slowSource = (baseUrl: string) => `source: 1
name: slow
net: { baseUrl: '${baseUrl}', timeout: 5s, concurrency: 1000 }
outcomes: [{ status: 200, is: ok }]
resources:
  users:
    id: { kind: number }
    list:
      request: { path: /users, query: { offset: '{offset}', limit: '{limit}' } }
      window: { kind: offset, base: 0, sizeMax: 100 }
      total: { at: total }
      items: rows
      order: id
      orderIs: documented
      map:
        id: no
        name: name
        email: mail
        created_at: { from: created, as: [{ date: { format: yyyy-MM-dd HH:mm:ss, zone: UTC } }] }
    get:
      request: { path: '/users/{id}' }
      item: ''
      map: { id: no, name: name, email: mail, created_at: null, profile.bio: null, profile.location: null, profile.avatar_url: null }
`;

function misses(connections: number): BenchRow {
  return {
    id: 'P4',
    name: `four times as many requests as a process can have answered by a service that takes ${USERS_MS} ms, on ${connections} connections – ${EXPECTED}`,
    async run(bench) {
      const users = slowUsers().listen(0, '127.0.0.1');
      bench.own({ stop: () => (users.closeAllConnections(), users.close()) });
      await once(users, 'listening');
      const url = `http://127.0.0.1:${(users.address() as AddressInfo).port}`;
      const gateway = await bench.gateway({
        config: { ...STRICT, resources: { users: { source: 'slow', cache: { fresh: '1s' } } } },
        sources: { 'slow.yaml': slowSource(url) },
      });
      const key = `X-API-Key: ${gateway.configuredKey}`;
      const text = request('GET', '/v1/users?limit=10&page={new}', [key]);
      return judge(bench, { gateway, request: text, connections });
    },
  };
}

/** More than a process can do. */
export const processOverload: readonly BenchRow[] = [hits(256), hits(2_000), misses(256), misses(1_000)];
