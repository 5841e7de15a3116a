import { type ActionName, actionSpecs, type ActionValue } from '../../src/admin/api/action-table.ts';
import { createFleetFigures } from '../../src/store/fleet/fleet-figures.ts';
import { createRedisKeys } from '../../src/store/redis/redis-keys.ts';
import { startWorkers } from '../support/gateway/worker-gateway.ts';
import { eventually } from '../support/time/eventually.ts';
import { connectRedis } from '../support/redis/connect-redis.ts';
import { endAfterTest, startForAll } from '../support/jest/lifetime.ts';

const gateway = startForAll(() => startWorkers(2));

const MINUTE_MS = 60_000;

const ask = (path: string, key = gateway.keys.roomy) =>
  fetch(gateway.url + path, { headers: { authorization: `Bearer ${key}`, connection: 'close' } });

/** What an action answers, held against its description. */
async function view<Name extends ActionName>(name: Name, path: string): Promise<ActionValue<Name>> {
  const answer = await fetch(gateway.adminUrl + path);
  expect([path, answer.status]).toEqual([path, 200]);
  return actionSpecs[name].output.parse(await answer.json()) as ActionValue<Name>;
}

const sum = (counts: readonly (number | null)[] = []) =>
  counts.reduce<number>((all, count) => all + (count ?? 0), 0);
const sums = (series: Readonly<Record<string, readonly (number | null)[]>>) =>
  Object.fromEntries(Object.entries(series).map(([name, counts]) => [name, sum(counts)]));

/** Counts of `/metrics`, over all workers. */
const requests = (...labels: readonly string[]) => gateway.counted('portico_requests_total', ...labels);
const calls = (...labels: readonly string[]) => gateway.counted('portico_upstream_calls_total', ...labels);

/** Hits, misses, refusals and requests to nothing, over both workers. */
async function makeTraffic(): Promise<void> {
  const paths = Array.from({ length: 12 }, (_, at) => `/v1/users?limit=${at + 10}`);
  for (const path of [...paths, ...paths, ...paths]) await ask(path);
  await Promise.all(Array.from({ length: 40 }, () => ask('/v1/users?limit=2', gateway.keys.few)));
  await ask('/v1/users?limit=nonsense');
  await ask('/v1/users', 'no-such-key');
  await ask('/v1/nothing');
}

/** Reads so many events of the stream, then goes on until it ends. */
async function openStream(until: (text: string) => boolean) {
  const controller = new AbortController();
  const answer = await fetch(`${gateway.adminUrl}/api/events`, { signal: controller.signal });
  let text = '';
  let isEnded = false;
  const reading = (async () => {
    for await (const bytes of answer.body ?? []) text += Buffer.from(bytes).toString();
    isEnded = true;
  })().catch(() => undefined);
  await eventually(() => until(text));
  return {
    answer,
    ticks: () =>
      [...text.matchAll(/^event: tick\ndata: (.*)$/gm)].map(
        ([, data = '']) => JSON.parse(data) as ActionValue<'overview'>,
      ),
    isBye: () => isEnded && text.endsWith('event: bye\ndata: {}\n\n'),
    async close() {
      controller.abort();
      await reading;
    },
  };
}

describe('the figures of two workers on one Redis', () => {
  it('are what /metrics counts: requests, latency, refusals, calls, and what the cache answered', async () => {
    await makeTraffic();
    // The last requests are counted once their answers are written, and a sample is shared for half a second.
    await eventually(async () => {
      const { byStatusClass } = (await view('metrics.history', '/api/metrics/history')).series.requests;
      return sum(Object.values(sums(byStatusClass))) >= 79;
    });
    const { scope, series, at, stepMs } = await view('metrics.history', '/api/metrics/history');
    expect([scope, stepMs, at.length]).toEqual(['workers', 10_000, 360]);
    const classes = { '2xx': 'status="2', '4xx': 'status="4' };
    for (const [name, label] of Object.entries(classes))
      expect([name, sum(series.requests.byStatusClass[name])]).toEqual([name, await requests(label)]);
    for (const cache of ['hit', 'miss', 'none'])
      expect([cache, sum(series.requests.byCache[cache])]).toEqual([
        cache,
        await requests(`cache="${cache}"`),
      ]);
    expect(sum(series.latency.buckets.map((slot) => sum(slot ?? [])))).toBe(
      await gateway.counted('portico_request_duration_seconds_count'),
    );
    expect(sums(series.calls.byOutcome)['2xx']).toBe(await calls('outcome="2xx"'));
    expect(sum(series.refusals.byReason['rate_limit'])).toBe(
      await gateway.counted('portico_limiter_decisions_total', 'outcome="refused"'),
    );
    expect(sums(series.refusals.byReason)).toMatchObject({ rate_limit: 15, credential_refused: 1 });
  });

  it('tell one source from the others, and nothing of one that is not there', async () => {
    const all = (await view('metrics.history', '/api/metrics/history?step=1m')).series;
    const own = (await view('metrics.history', '/api/metrics/history?step=1m&source=crm')).series;
    expect(sums(own.calls.byOutcome)).toEqual(sums(all.calls.byOutcome));
    expect(sum(own.requests.byStatusClass['2xx'])).toBe(await requests('operation="users', 'status="2'));
    const other = (await view('metrics.history', '/api/metrics/history?step=1m&source=catalog')).series;
    expect([
      sums(other.calls.byOutcome)['2xx'] ?? 0,
      other.callLatency.p99Ms.every((ms) => ms === null),
    ]).toEqual([0, true]);
    const unknown = await fetch(`${gateway.adminUrl}/api/metrics/history?source=nobody`);
    expect([unknown.status, await unknown.json()]).toEqual([
      404,
      { error: expect.objectContaining({ hint: expect.stringContaining('crm') }) },
    ]);
    expect((await fetch(`${gateway.adminUrl}/api/metrics/history?step=7s`)).status).toBe(400);
  });

  it('make the overview: rates of the last minute, each source with its share, and the Redis of each role', async () => {
    const overview = await view('overview', '/api/overview');
    expect(overview).toMatchObject({ scope: 'workers', processes: 2, draining: false });
    // A caller of this test has asked above its limit.
    expect(overview.attention.map(({ code }) => code)).toEqual(['caller_refused']);
    expect(overview.redis).toEqual(['keys', 'limits', 'cache'].map((role) => ({ role, state: 'ready' })));
    const crm = overview.sources.find(({ name }) => name === 'crm');
    expect(crm).toMatchObject({ kind: 'source', breaker: 'closed', inFlight: 0, waiting: 0, errorShare: 0 });
    // A minute at most: on a busy machine, some of it may be longer ago.
    const counted = (perSecond = 0) => Math.round((perSecond * overview.overMs) / 1_000);
    expect(counted(crm?.callsPerSecond)).toBeLessThanOrEqual(await calls('source="crm"'));
    expect(counted(overview.totals.requestsPerSecond)).toBeLessThanOrEqual(await requests());
    expect(overview.sources.map(({ name }) => name)).toContain('passthrough.orders');
    expect(overview.totals.p99Ms).toBeGreaterThan(0);
  });

  it('say of a source what its file says, what its calls came to, and what its queries cost', async () => {
    const crm = await view('source', '/api/sources/crm');
    expect(crm).toMatchObject({ kind: 'source', resources: ['users'], claims: [], invalidReplies: [] });
    expect(crm.outcomes['2xx']?.total).toBe(await calls('source="crm"', 'outcome="2xx"'));
    expect(crm.outcomes['2xx']?.lastHour).toBe(crm.outcomes['2xx']?.total);
    const [ok] = crm.rules;
    const replies = (...labels: readonly string[]) =>
      gateway.counted('portico_upstream_replies_total', 'source="crm"', ...labels);
    expect(ok).toMatchObject({ rule: 'outcomes[0]', is: 'ok', line: expect.any(Number) });
    expect(ok?.replies.total).toBe(await replies('rule="outcomes[0]"', 'is="ok"'));
    expect(crm.rules.reduce((all, rule) => all + rule.replies.total, 0)).toBe(await replies());
    expect(crm.costs.find(({ query }) => query === '(plain)')).toMatchObject({
      resource: 'users',
      cost: 'page',
    });
    expect(crm.hosts).toHaveLength(1);
    expect(crm.scanCaches).toEqual([{ resource: 'users', count: 0, oldestAt: null }]);
    const scan = crm.costs.find(({ query, cost }) => cost === 'scan' && query.startsWith('sort='));
    expect((await ask(`/v1/users?${scan?.query ?? ''}`)).status).toBe(200);
    // Those who ask within half a second share a sample, which may be from before the scan.
    const rows = await eventually(async () => {
      const [held] = (await view('source', '/api/sources/crm')).scanCaches;
      return held?.count === 1 && held;
    });
    expect(Date.now() - Date.parse(rows.oldestAt ?? '')).toBeLessThan(60_000);
    expect(await view('source', '/api/sources/passthrough.orders')).toMatchObject({
      kind: 'passthrough',
      rules: [],
    });
  });

  it('say of the cache what each operation and level found, and what it holds', async () => {
    // What was asked last may still be on its way into Redis.
    const { operations, levels, local } = await eventually(async () => {
      const seen = await view('cache', '/api/cache');
      for (const { level, results } of seen.levels)
        for (const [result, { total }] of Object.entries(results))
          expect([level, result, total]).toEqual([
            level,
            result,
            await gateway.counted('portico_cache_events_total', `level="${level}"`, `result="${result}"`),
          ]);
      return seen;
    });
    expect(levels.flatMap(({ results }) => Object.keys(results)).length).toBeGreaterThan(0);
    const users = operations.find(({ operation }) => operation === 'users.list');
    for (const result of ['hit', 'miss'])
      expect(users?.results[result]?.total).toBe(
        await requests('operation="users.list"', `cache="${result}"`),
      );
    expect(local.entries).toBe(await gateway.counted('portico_cache_local_entries'));
    expect([local.entries > 0, local.bytes > 0, local.bytes < local.bytesMax]).toEqual([true, true, true]);
    expect((await view('quality', '/api/quality')).trend?.scope).toBe('workers');
  });

  it('never fall when a worker dies', async () => {
    const before = sums(
      (await view('metrics.history', '/api/metrics/history')).series.requests.byStatusClass,
    );
    const [worker] = gateway.logged(({ msg }) => msg === 'a worker serves');
    process.kill(worker?.worker ?? 0, 'SIGKILL');
    await eventually(() =>
      gateway.counted('portico_worker_ends_total', 'how="died"').then((died) => died === 1),
    );
    const after = sums((await view('metrics.history', '/api/metrics/history')).series.requests.byStatusClass);
    for (const [name, count] of Object.entries(before)) expect(after[name]).toBeGreaterThanOrEqual(count);
    await eventually(
      () => gateway.counted('portico_workers', 'phase="serving"').then((serving) => serving === 2),
      { withinMs: 60_000 },
    );
  });

  it('of the fleet are in Redis, once a minute is over or the gateway ends, and its streams end with a bye', async () => {
    await ask('/v1/users?limit=77');
    const stream = endAfterTest(await openStream((text) => text.split('event: tick').length > 2));
    expect(stream.answer.headers.get('content-type')).toContain('text/event-stream');
    const [first, second] = stream.ticks().map((tick) => actionSpecs.overview.output.parse(tick));
    expect([first?.scope, Date.parse(second?.at ?? '') > Date.parse(first?.at ?? '')]).toEqual([
      'workers',
      true,
    ]);
    expect((await view('metrics.history', '/api/metrics/history?span=48h')).scope).toBe('fleet');
    const total = await requests();

    gateway.process.signal('SIGTERM');
    await gateway.process.ended;
    expect(stream.isBye()).toBe(true);
    const redis = endAfterTest(await connectRedis(gateway.redisUrl));
    const fleet = createFleetFigures({
      client: redis.client,
      keys: createRedisKeys('portico:'),
      gateway: 'test',
    });
    const now = Date.now();
    const range = { fromMs: now - 30 * MINUTE_MS, toMs: now, stepMs: MINUTE_MS };
    const { columns } = await fleet.read(range, ['requests|'], AbortSignal.timeout(10_000));
    expect(sum([...columns.values()].map((counts) => sum(counts)))).toBe(total);
  });
});
