import { fork } from 'node:child_process';
import { once } from 'node:events';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { compileAdapter } from '../../src/source/adapter/compile.ts';
import { UNOBSERVED } from '../../src/source/adapter/map/reply-observer.ts';
import { resources } from '../support/reference.ts';
import { createBackgroundTasks } from '../../src/kernel/background-tasks.ts';
import { systemClock } from '../../src/kernel/clock.ts';
import { createAnswer } from '../../src/pipeline/answer/answer-query.ts';
import { createLocalClaims } from '../../src/pipeline/reading/windows/source-runtime.ts';
import { createLargeReplies } from '../../src/pipeline/reading/large-replies/large-replies.ts';
import { createScanCaches } from '../../src/pipeline/scan-cache/scan-caches.ts';
import type { SourceRuntime } from '../../src/pipeline/reading/windows/source-runtime.ts';
import { createCacheStage } from '../../src/pipeline/stages/cache-stage.ts';
import { createCache } from '../../src/store/cache/cache.ts';
import { createLocalPurges } from '../../src/store/cache/purges.ts';
import { createRedisKeys } from '../../src/store/redis/redis-keys.ts';
import { createRedis } from '../../src/store/redis/redis.ts';
import { compileRowCodec } from '../../src/store/scan-cache/row-codec.ts';
import { createRedisScanCaches } from '../../src/store/scan-cache/redis-scan-caches.ts';
import { createUpstream } from '../../src/source/client/client.ts';
import { callOf } from '../support/pipeline/cached-answers.ts';
import { createSourceCall } from '../support/pipeline/call.ts';
import { parseList } from '../support/pipeline/parse-as.ts';
import { startRedis } from '../support/redis/redis-server.ts';
import { replyOf, specOf } from '../support/pipeline/source-text.ts';

/*
 * What reading, scanning and serving from a scan cache cost: `npm run bench:scan`, with `-- --json` for scripts.
 * The legacy shop is a process of its own, and Redis a real one.
 */

const FORMS = {
  windows: { path: '/items', window: '{ kind: offset, sizeMax: 500 }', total: 'total: { at: hits }' },
  json: { path: '/all.json', window: '{ kind: none }', total: '' },
  csv: { path: '/all.csv', window: '{ kind: none }', total: '' },
  xml: { path: '/all.xml', window: '{ kind: none }', total: '' },
} as const;
type Form = keyof typeof FORMS;

function textOf(form: Form, baseUrl: string): string {
  const { path, window, total } = FORMS[form];
  const format = form === 'windows' ? 'json' : form;
  const query = form === 'windows' ? "{ from: '{offset}', n: '{limit}' }" : '{}';
  const items = { windows: 'rows', json: 'rows', csv: "''", xml: 'rows.row' }[form];
  return `
net: { baseUrl: '${baseUrl}', timeout: 60s, bytesMax: 64MiB }
decode: { format: ${format}, arrays: [${form === 'xml' ? 'rows.row' : ''}] }
budget: { rows: 100000, calls: 1000, time: 60s, snapshot: 600s }
resources:
  products:
    id: { kind: number }
    list:
      request: { path: ${path}, query: ${query} }
      window: ${window}
      ${total}
      items: ${items}
      map:
        id: no
        name: title
        description: text
        price: { from: eur, as: [{ number: { decimal: '.' } }] }
        category: group
`;
}

type Shop = { readonly url: string; close(): void };

async function startShop(count: number): Promise<Shop> {
  const child = fork(new URL('./scan-upstream.ts', import.meta.url), [String(count)]);
  const [port] = (await once(child, 'message')) as [number];
  return { url: `http://127.0.0.1:${port}`, close: () => child.disconnect() };
}

type SharedStore = Parameters<typeof createScanCaches>[1];

function open(form: Form, url: string, share?: SharedStore) {
  const spec = specOf(textOf(form, url));
  const resource = resources.products;
  const adapter = compileAdapter(spec, resource, (path, message) => {
    throw new Error(`${path.join('.')}: ${message}`);
  });
  if (adapter === undefined) throw new Error('the source has no products');
  const largeReplies = createLargeReplies({ adapter, resource, source: { spec } });
  const upstream = createUpstream(spec, { onExchange: () => undefined });
  const runtime: SourceRuntime = {
    ...{ resource, adapter: largeReplies.adapter, upstream, largeReplies, budget: spec.budget },
    ...{ clock: systemClock, claims: createLocalClaims() },
    observer: { ...UNOBSERVED, contradicted: () => undefined },
  };
  const scanCaches = createScanCaches(runtime, share);
  const answer = createAnswer(runtime, { fresh: 600 }, scanCaches);
  const callFor = (raw: string) => callOf({ query: parseList('products.list', raw) });
  return {
    adapter,
    answer,
    callFor,
    list: (raw: string) => answer(createSourceCall(parseList('products.list', raw))),
    async close() {
      await Promise.all([scanCaches.close(), largeReplies.close()]);
      upstream.close();
    },
  };
}

const rounded = (value: number, digits = 1) => Number(value.toFixed(digits));
const mebibytes = (bytes: number) => rounded(bytes / 1024 ** 2, 0);

/**
 * The most processor time that this thread spent between two turns of the event loop, milliseconds. Other than the
 * delay of a timer, it does not grow with what else the machine has to do.
 */
function watchTurns() {
  const now = () => {
    const { user, system } = process.threadCpuUsage();
    return (user + system) / 1_000;
  };
  let [last, most, stopped] = [now(), 0, false];
  function turn() {
    const at = now();
    most = Math.max(most, at - last);
    last = at;
    if (!stopped) setImmediate(turn);
  }
  setImmediate(turn);
  return {
    stop() {
      stopped = true;
      return most;
    },
  };
}

/** Milliseconds that something takes, the longest that the event loop was held, and the memory it took. */
async function measured(work: () => Promise<unknown>) {
  globalThis.gc?.();
  await new Promise((resolve) => setTimeout(resolve, 50));
  const before = process.memoryUsage().rss;
  let most = before;
  const delay = monitorEventLoopDelay({ resolution: 1 });
  const sample = setInterval(() => (most = Math.max(most, process.memoryUsage.rss())), 20);
  delay.enable();
  const turns = watchTurns();
  const start = performance.now();
  await work();
  const ms = performance.now() - start;
  await new Promise((resolve) => setTimeout(resolve, 5));
  delay.disable();
  const busyMs = rounded(turns.stop());
  clearInterval(sample);
  return {
    ms: rounded(ms, 0),
    delayMs: rounded(delay.max / 1e6),
    busyMs,
    addedMiB: mebibytes(most - before),
  };
}

/** Mean milliseconds of one of many. */
async function mean(times: number, work: (time: number) => Promise<unknown>): Promise<number> {
  await work(0);
  const start = performance.now();
  for (let time = 1; time <= times; time += 1) await work(time);
  return rounded((performance.now() - start) / times, 3);
}

async function reader(url: string): Promise<Record<string, number>> {
  const costs: Record<string, number> = {};
  for (const form of ['json', 'csv', 'xml'] as const) {
    const source = open(form, url);
    const response = await fetch(url + FORMS[form].path);
    const headers = { 'content-type': response.headers.get('content-type') ?? '' };
    const reply = replyOf(Buffer.from(await response.arrayBuffer()), { headers });
    const ms = await mean(300, () => Promise.resolve(source.adapter.list.read(reply, UNOBSERVED)));
    costs[form] = ms;
    await source.close();
  }
  return costs;
}

async function scans(count: number, url: string) {
  const results: Record<string, Awaited<ReturnType<typeof measured>>> = {};
  for (const form of Object.keys(FORMS) as Form[]) {
    const source = open(form, url);
    results[form] = await measured(() => source.list('limit=100'));
    if (form === 'windows') {
      results['filter and order'] = await measured(() => source.list('min_price=500&category=G7'));
    }
    await source.close();
  }
  return { count, results };
}

async function pages(url: string) {
  const redis = await startRedis();
  const connect = () =>
    createRedis(
      { url: redis.url, commandTimeoutMs: 1_000, connectTimeoutMs: 1_000 },
      { info: () => undefined, warn: () => undefined },
    );
  const codec = compileRowCodec(resources.products.itemFields);
  const keys = createRedisKeys('bench:');
  const connections = [connect(), connect()];
  const sources = [];
  for (const connection of connections) {
    await connection.untilReady(5_000);
    const shared = createRedisScanCaches({ client: connection.client, keys, scope: 'bench', codec });
    sources.push(open('windows', url, shared));
  }
  const [first, second] = sources;
  const [{ client }] = connections as [(typeof connections)[0]];
  if (first === undefined || second === undefined) throw new Error('there are two');
  await first.list('limit=100');
  while ((await client.keys('*:order:*')).length === 0 || (await client.keys('*:lock')).length > 0)
    await new Promise((resolve) => setTimeout(resolve, 20));
  const page = (time: number) => `limit=100&page=${1 + ((time * 37) % 450)}`;
  const local = await mean(1_000, (time) => first.list(page(time)));
  const shared = await mean(1_000, (time) => second.list(page(time)));
  const cache = createCache({
    ...{ clock: systemClock, localBytes: 64 * 1024 ** 2, localSeconds: 600, redis: undefined },
    purges: createLocalPurges(),
    onEvent: () => undefined,
  });
  const cached = createCacheStage({
    ...{ clock: systemClock, digest: 'bench', jitterPercent: 0, random: () => 0, deadlineMs: 60_000 },
    freshness: { notFound: 1, staleWhileRevalidate: 0, staleIfError: 0 },
    purges: createLocalPurges(),
    tasks: createBackgroundTasks(),
    cache,
  })(first.answer);
  for (let time = 0; time < 450; time += 1) await cached(first.callFor(page(time)));
  const kept = await mean(1_000, async (time) => await cached(first.callFor(page(time))));
  const adopted = await measured(() => second.list('min_price=500&limit=100'));
  await Promise.all([...sources, ...connections].map((one) => one.close()));
  await redis.stop();
  return { local, shared, cached: kept, adopted };
}

const [hundred, ten, fifty] = [await startShop(100), await startShop(10_000), await startShop(50_000)];
const result = {
  reader: await reader(hundred.url),
  scans: [await scans(10_000, ten.url), await scans(50_000, fifty.url)],
  pages: await pages(fifty.url),
};
for (const shop of [hundred, ten, fifty]) shop.close();

if (!process.argv.includes('--json')) {
  console.log('Reading 100 records (decode and map), ms:', result.reader);
  for (const { count, results } of result.scans) {
    console.log(`Scan of ${count} records over loopback`);
    console.table(results);
  }
  console.log('A page of 100 of 50,000 records, ms:', result.pages);
}
console.log(JSON.stringify(result));
