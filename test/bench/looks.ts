import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../support/process/free-port.ts';
import { NODE, type Running, start } from './processes.ts';
import { startRedis } from './rivals.ts';

/*
 * What Portico asks a source beside what answers need: `npm run bench:looks`. Two gateways share a Redis. First nobody asks
 * them, then callers ask both for some minutes. Calls that no request made are looks; calls of a sorted miss beyond its
 * first are rows beside a page, read apart. The figures are counts, not times.
 */

const IDLE_MS = 75_000;
/** The first looks of a process are not counted: the figure is that of a gateway at work. */
const BEGIN_MS = 60_000;
const LOAD_MS = 330_000;
const PAUSE_MS = 25;
const GATEWAYS = 2;
const TOTAL = 2_000;
/** Pages of fifty that the callers ask for, under each sort. */
const PAGES = 12;

const row = (no: number) => ({
  no,
  name: `Person ${String(no)}`,
  mail: `p${String(no).padStart(5, '0')}@mail.example`,
  since: '2024-01-01T00:00:00Z',
});

let calls = 0;

/** The legacy service: users in pages of fixed sizes, sorted by id or e-mail. */
const service = createServer((request, response) => {
  calls += 1;
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://service');
  const [page, size] = [Number(searchParams.get('page') ?? 1), 50];
  const body =
    pathname === '/me'
      ? { user: 'portico' }
      : {
          total: TOTAL,
          rows: Array.from({ length: size }, (_, n) => (page - 1) * size + n + 1)
            .filter((no) => no <= TOTAL)
            .map(row),
        };
  response.setHeader('Content-Type', 'application/json').end(JSON.stringify(body));
});

/** A file with everything that is looked at: an order that nothing asks for, and a proof of the credential. */
const sourceFile = (origin: string) => `source: 1
name: looked-at
net: { baseUrl: '${origin}', timeout: 5s }
auth:
  kind: header
  name: X-Key
  value: a-key
  proof: { request: { path: /me }, at: user, equals: portico }
outcomes: [{ status: 200, is: ok }]
resources:
  users:
    id: { kind: number }
    list:
      request: { path: /users, query: { page: '{page}' } }
      window: { kind: page, base: 1, sizes: [50] }
      total: { at: total }
      items: rows
      order: id
      sort: { query: { sort: '{column}' }, columns: { email: { column: mail, directions: [ascending] } } }
      map: { id: 'no', name: name, email: mail, created_at: { from: since, as: [iso8601] } }
    get:
      request: { path: '/users/{id}' }
      item: ''
      map: { id: 'no', name: name, email: mail, created_at: null, profile.bio: null, profile.location: null, profile.avatar_url: null }
`;

const gatewayFile = (port: number, adminPort: number, redisUrl: string) => `portico: 1
listen: { host: 127.0.0.1, port: ${String(port)} }
admin: { port: ${String(adminPort)} }
redis: { url: '${redisUrl}' }
auth: { apiKeys: { pepper: a-pepper-that-only-the-bench-uses } }
limits: { tiers: { standard: { windows: [1000000 per 1s] } } }
resources: { users: { source: looked-at, public: true, cache: { fresh: 1s } } }
`;

type Gateway = Running & { readonly url: string; readonly logFile: string };

async function startGateway(folder: string, redisUrl: string, origin: string): Promise<Gateway> {
  await mkdir(join(folder, 'sources'), { recursive: true });
  const [port, adminPort] = [await freePort(), await freePort()];
  await writeFile(join(folder, 'portico.yaml'), gatewayFile(port, adminPort, redisUrl));
  await writeFile(join(folder, 'sources/looked-at.yaml'), sourceFile(origin));
  const logFile = join(folder, 'access.log');
  const main = join(import.meta.dirname, '../../src/main.ts');
  const running = start(NODE, [main, '--config', join(folder, 'portico.yaml'), 'start'], {
    core: 'server',
    logFile,
  });
  const url = `http://127.0.0.1:${String(port)}`;
  for (;;) {
    if (
      await fetch(`${url}/openapi.json`).then(
        () => true,
        () => false,
      )
    )
      return { ...running, url, logFile };
    await sleep(50);
  }
}

/** Asks both gateways for the same pages in turn, until the time is over. */
async function ask(gateways: readonly Gateway[], ms: number): Promise<void> {
  const until = performance.now() + ms;
  for (let n = 0; performance.now() < until; n += 1) {
    const page = 1 + (Math.floor(n / GATEWAYS) % PAGES);
    const sort = Math.floor(n / GATEWAYS / PAGES) % 2 === 0 ? '' : '&sort=email';
    const { status } = await fetch(
      `${gateways[n % GATEWAYS]?.url ?? ''}/v1/users?page=${String(page)}${sort}`,
    );
    if (status !== 200) throw new Error(`page ${String(page)} was answered ${String(status)}`);
    await sleep(PAUSE_MS);
  }
}

type Line = { readonly msg?: string; readonly upstreamCalls?: number };

/** The requests of some gateways that made calls, and how many calls. */
async function readMisses(gateways: readonly Gateway[]) {
  const texts = await Promise.all(gateways.map(({ logFile }) => readFile(logFile, 'utf8')));
  const lines = texts.flatMap((text) => text.split('\n').filter((line) => line.startsWith('{')));
  const counts = lines.map((line) => (JSON.parse(line) as Line).upstreamCalls ?? 0);
  return {
    misses: counts.filter((count) => count > 0).length,
    calls: counts.reduce((sum, count) => sum + count, 0),
  };
}

const scratch = await mkdtemp(join(tmpdir(), 'portico-looks-'));
const redis = await startRedis(scratch);
const port = await freePort();
await new Promise<void>((resolve) => service.listen(port, '127.0.0.1', resolve));
const gateways: Gateway[] = [];
try {
  for (let n = 0; n < GATEWAYS; n += 1)
    gateways.push(
      await startGateway(
        join(scratch, `gateway-${String(n)}`),
        redis.url,
        `http://127.0.0.1:${String(port)}`,
      ),
    );
  await sleep(IDLE_MS);
  const idle = calls;
  await ask(gateways, BEGIN_MS);
  await sleep(2_000);
  const before = await readMisses(gateways);
  calls = 0;
  await ask(gateways, LOAD_MS);
  await sleep(2_000);
  const after = await readMisses(gateways);
  const [misses, inRequests] = [after.misses - before.misses, after.calls - before.calls];
  const apart = inRequests - misses;
  const minutes = LOAD_MS / 60_000;
  console.log(`without callers, ${String(idle)} calls in ${String(IDLE_MS / 1_000)} s`);
  console.log(
    `under load: ${String(misses)} misses; looks ${((calls - inRequests) / minutes).toFixed(1)} a minute over ${String(GATEWAYS)} gateways; rows beside a page read apart ${String(apart)}, ${((apart / misses) * 100).toFixed(1)} % of misses`,
  );
} finally {
  await Promise.all(gateways.map((gateway) => gateway.stop()));
  await redis.stop();
  service.close();
  await rm(scratch, { recursive: true, force: true });
}
