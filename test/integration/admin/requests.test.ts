import { setTimeout as delay } from 'node:timers/promises';
import { Redis } from 'ioredis';
import type { ActionValue } from '../../../src/admin/api/action-table.ts';
import { Secret } from '../../../src/kernel/secret.ts';
import { hashApiKey, newApiKey } from '../../../src/policy/authentication/api-key.ts';
import { copyConfig } from '../../support/gateway/config-copy.ts';
import {
  type GatewayProcess,
  runPortico,
  startGatewayProcess,
} from '../../support/gateway/gateway-process.ts';
import { type Stack, startStack } from '../../support/gateway/stack.ts';
import { type RedisServer, startRedis } from '../../support/redis/redis-server.ts';
import { eventually } from '../../support/time/eventually.ts';
import { type Answer, serving, startUpstream } from '../../support/upstream/scripted-upstream.ts';
import { crmCard, crmList } from '../../support/upstream/scripts.ts';

type Told = ActionValue<'request'>;
type Listed = ActionValue<'requests'>;

const PEPPER = 'a-pepper-of-these-requests';
const OPERATOR = 'the-token-of-the-operator';
const VIEWER = 'the-token-of-the-viewer';
/** What stands in records, queries and headers, and nowhere else. */
const VALUES = { record: 'Zaunkoenig', query: 'zaunkoenig.query@example.org', header: 'zaunkoenig-header' };
const SLOW_MS = 300;
const keys = { few: newApiKey('requestsfew0'), roomy: newApiKey('requestsroom') };
const keyEntry = (tier: 'few' | 'roomy', id: string) =>
  `{ id: ${id}, hash: ${hashApiKey(new Secret(PEPPER), keys[tier])}, permissions: [users:read, products:read], tier: ${tier} }`;

/** A user service that fails as the question says, and a catalogue that never answers. */
function answer({ path, query }: { path: string; query: URLSearchParams }): Answer | Promise<Answer> {
  if (!path.startsWith('/crm/')) return undefined;
  const cid = query.get('cid');
  if (cid === '500') return { status: 500, body: { error: VALUES.record } };
  if (cid === '501') return { body: `<h1>${VALUES.record}</h1>`, headers: { 'content-type': 'text/html' } };
  if (cid === '502') return delay(SLOW_MS + 200, { body: crmCard(query, VALUES.record) });
  if (cid !== null) return { body: crmCard(query, VALUES.record) };
  return crmList({ query } as Parameters<typeof crmList>[0], VALUES.record);
}

function writeConfig() {
  const config = copyConfig();
  const edit = (from: string, to: string) => config.edit('portico.yaml', from, to);
  edit('workers: ${WORKERS:-1}', 'workers: 2');
  config.useGenerousTimeouts();
  config.edit('sources/catalog.yaml', 'timeout: 60s', 'timeout: 400ms');
  edit(
    '  token: ${ADMIN_TOKEN:-}',
    `  slowRequests: ${SLOW_MS}ms\n  tokens:\n    - { name: ada, role: operator, token: ${OPERATOR} }\n    - { name: wall, role: viewer, token: ${VIEWER} }`,
  );
  edit(
    'a-pepper-for-trying-out-only}',
    `x}\n    keys: [${keyEntry('few', 'requestsfew0')}, ${keyEntry('roomy', 'requestsroom')}]`,
  );
  edit(
    '    roomy: { windows: [200 per 1s, 20000 per 60s] }',
    '    few: { windows: [1 per 60s] }\n    roomy: { windows: [1000000 per 60s] }',
  );
  return config;
}

let redis: RedisServer;
let upstream: Awaited<ReturnType<typeof startUpstream>>;
let config: ReturnType<typeof copyConfig>;
let gateway: GatewayProcess;
let other: Stack;
const env = () => ({
  ...{ USERS_URL: upstream.origin, CATALOG_URL: upstream.origin, REDIS_URL: redis.url },
  PORTICO_KEY_PEPPER: PEPPER,
});
beforeAll(async () => {
  [redis, upstream] = await Promise.all([startRedis(), startUpstream(serving(answer))]);
  config = writeConfig();
  gateway = await startGatewayProcess(env(), config.file, OPERATOR);
  other = await startStack({ redis: { url: redis.url, prefix: 'portico:' } });
});
afterAll(async () => {
  await other.close();
  await gateway.process.kill();
  await upstream.close();
  await redis.stop();
  config.remove();
});

async function ask(path: string, init: RequestInit & { token?: string } = {}, base = gateway.adminUrl) {
  const { token = VIEWER, ...rest } = init;
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const response = await fetch(base + path, { ...rest, headers: base === gateway.adminUrl ? headers : {} });
  return { status: response.status, body: (await response.json()) as never };
}

/** Asks the gateway for data, and gives the id of the request. */
async function get(path: string, key: string = keys.roomy): Promise<string> {
  const headers = { authorization: `Bearer ${key}`, 'x-hidden': VALUES.header };
  const response = await fetch(gateway.url + path, { headers });
  await response.text();
  return response.headers.get('x-request-id')!;
}

async function storyOf(id: string, base = gateway.adminUrl): Promise<Told> {
  return eventually(
    async (): Promise<Told | undefined> => {
      const { status, body } = await ask(`/api/requests/${id}`, {}, base);
      return status === 200 ? body : undefined;
    },
    { withinMs: 30_000 },
  );
}

/** How much of a request's time its steps cover, from 0 to 1. */
function coverage({ steps, durationMs }: Told): number {
  let [covered, untilMs] = [0, 0];
  for (const { startMs, ms } of steps) {
    covered += Math.max(0, startMs + ms - Math.max(untilMs, startMs));
    untilMs = Math.max(untilMs, startMs + ms);
  }
  return covered / durationMs;
}

const longest = ({ steps }: Told) => steps.toSorted((a, b) => b.ms - a.ms)[0]!;

type Expected = { status: number; code?: string; step: string; detail?: RegExp; slow?: boolean };
const faults: readonly (readonly [name: string, ask: () => Promise<string>, expected: Expected])[] = [
  [
    'an upstream that answers 500',
    () => get('/v1/users/user_500'),
    { status: 502, code: 'upstream_error', step: 'upstream', detail: /^500 from 127\.0\.0\.1:\d+$/ },
  ],
  [
    'a reply that cannot be used',
    () => get('/v1/users/user_501'),
    { status: 502, code: 'upstream_invalid_response', step: 'upstream', detail: /^200 from / },
  ],
  [
    'an upstream that does not answer',
    () => get('/v1/products?limit=7'),
    {
      status: 504,
      code: 'upstream_timeout',
      step: 'upstream',
      detail: /^upstream_timeout from /,
      slow: true,
    },
  ],
  [
    'an upstream that is slow',
    () => get('/v1/users/user_502'),
    { status: 200, step: 'upstream', detail: /^200 from /, slow: true },
  ],
  [
    'a key that is refused',
    () => get('/v1/users', `${keys.few.slice(0, -1)}x`),
    { status: 401, code: 'authentication_required', step: '(admission|credential)' },
  ],
  [
    'a caller over the limit',
    async () => {
      await get('/v1/users', keys.few);
      return get('/v1/users', keys.few);
    },
    { status: 429, code: 'rate_limit_exceeded', step: '(admission|limit)' },
  ],
  [
    'a mistake of the client',
    () => get(`/v1/users?limit=${encodeURIComponent(VALUES.query)}`),
    { status: 400, code: 'invalid_parameter', step: '(admission|limit)' },
  ],
];

describe('a request that failed or was slow', () => {
  it.each(faults)(
    '%s: its steps cover its time, and name the cause and the runbook entry',
    async (_, make, expected) => {
      const { status, code, step, detail = /^/, slow } = expected;
      const told = await storyOf(await make());
      expect(told).toMatchObject({
        status,
        ...(slow !== undefined && { slow }),
        upstreamCalls: expect.any(Number),
      });
      expect(coverage(told)).toBeGreaterThan(0.9);
      expect(coverage(told)).toBeLessThan(1.1);
      if (step === 'upstream') {
        const exchanges = told.steps.filter(({ name }) => name === 'upstream');
        expect(exchanges).toHaveLength(told.upstreamCalls);
        for (const exchange of exchanges) expect(exchange.detail).toMatch(detail);
      } else expect(told.steps.map(({ name }) => name).join(' ')).toMatch(new RegExp(step));
      expect(told.error?.code).toBe(code);
      if (slow === true) expect(longest(told).name).toBe('upstream');
      if (code === undefined) return;
      expect(told.error?.entry).toBe(code);
      const entry = await ask(`/api/runbook/${told.error!.entry}`);
      expect(entry).toMatchObject({
        status: 200,
        body: { entry: code, text: expect.stringContaining('**Do:**') },
      });
    },
  );

  it("is found by the id of its trace, by the caller's own id, and by another gateway on the same Redis", async () => {
    const traceId = 'ab'.repeat(16);
    const response = await fetch(`${gateway.url}/v1/users/user_500?`, {
      headers: {
        authorization: `Bearer ${keys.roomy}`,
        traceparent: `00-${traceId}-${'cd'.repeat(8)}-00`,
        'x-request-id': 'own-id-of-the-caller',
      },
    });
    const id = response.headers.get('x-request-id')!;
    expect((await storyOf(id)).requestId).toBe(id);
    expect((await storyOf(traceId)).requestId).toBe(id);
    expect((await storyOf('own-id-of-the-caller')).requestId).toBe(id);
    const elsewhere = await storyOf(id, other.adminUrl);
    expect(elsewhere).toMatchObject({ scope: 'fleet', requestId: id, error: { code: 'upstream_error' } });
    const { body } = await ask('/api/requests?code=upstream_error', {}, other.adminUrl);
    expect((body as Listed).scope).toBe('fleet');
    expect((body as Listed).requests.map(({ requestId }) => requestId)).toContain(id);
  });

  it('is listed once, the newest first, as far as it fits what is asked for', async () => {
    const ids = [await get('/v1/users/user_500'), await get('/v1/users/user_501')];
    await Promise.all(ids.map((id) => storyOf(id)));
    const list = async (query: string) => ((await ask(`/api/requests?${query}`)).body as Listed).requests;
    const failed = await list('status=5xx&operation=users.get');
    expect(failed.slice(0, 2).map(({ requestId }) => requestId)).toEqual(ids.toReversed());
    expect(new Set(failed.map(({ requestId }) => requestId)).size).toBe(failed.length);
    expect((await list('status=slow')).every(({ slow }) => slow)).toBe(true);
    expect((await list('status=429')).map(({ code }) => code)).toEqual(['rate_limit_exceeded']);
    expect(await list('caller=requestsfew0&since=1h')).toHaveLength(1);
    expect(await list('limit=1')).toHaveLength(1);
    expect(await list('code=nothing.like.it')).toEqual([]);
  });

  it('tells nothing of records, queries and headers, neither in answers nor in Redis', async () => {
    const { body } = await ask('/api/requests?limit=1000');
    const { requests } = body as Listed;
    expect(requests.length).toBeGreaterThan(5);
    const stories = await Promise.all(requests.map(({ requestId }) => storyOf(requestId)));
    const client = new Redis(redis.url);
    const lists = await client.keys('portico:{requests}:*');
    const kept = await Promise.all(lists.map((key) => client.lrange(key, 0, -1)));
    client.disconnect();
    expect(kept.flat().length).toBeGreaterThan(5);
    const all = JSON.stringify([requests, stories, kept]).toLowerCase();
    for (const value of Object.values(VALUES)) expect(all).not.toContain(value.toLowerCase());
    expect(all).not.toMatch(/user_50\d|\/crm\/|cid=/);
  });

  it('is shown by portico requests, too', async () => {
    const id = await get('/v1/users/user_500');
    const told = await storyOf(id);
    const reach = ['--gateway', gateway.adminUrl];
    const env = { PORTICO_ADMIN_TOKEN: VIEWER };
    const listed = await runPortico(['requests', '--status', '502', '--json', ...reach], env);
    expect((JSON.parse(listed.out) as Listed).requests[0]?.requestId).toBe(id);
    const one = await runPortico(['requests', '--id', id, ...reach], env);
    expect(one).toMatchObject({ code: 0, err: '' });
    expect(one.out).toContain(told.error!.code);
    expect(one.out).toMatch(/upstream +\d.* ms +500 from 127/);
    const missing = await runPortico(['requests', '--id', 'req_nothing', ...reach], env);
    expect(missing).toMatchObject({ code: 1, err: expect.stringContaining('no failed or slow request') });
  });

  it.each([
    '..%2F..%2Fetc%2Fpasswd',
    '%00',
    "'%3B%20FLUSHALL",
    'a'.repeat(65),
    '%F0%9F%92%A9',
    '*',
    '{requests}',
    '__proto__%0d%0aX-Evil%3A%201',
  ])('is looked up by nothing that is no id: %s', async (id) => {
    expect((await ask(`/api/requests/${id}`)).status).toBe(400);
  });

  it.each(['__proto__', 'constructor', 'req_unknown', '-', '.hidden'])(
    'is not found by an unknown id: %s',
    async (id) => {
      expect((await ask(`/api/requests/${id}`)).status).toBe(404);
    },
  );

  it.each(['status=abc', 'limit=0', 'limit=1001', 'operation=%3Cscript%3E', 'since=never', 'other=1'])(
    'is not listed by what makes no sense: %s',
    async (query) => {
      expect((await ask(`/api/requests?${query}`)).status).toBe(400);
    },
  );
});

describe('the runbook', () => {
  it.each(['nothing', '__proto__', 'constructor'])(
    'has no entry %s, and says which it has',
    async (entry) => {
      const { status, body } = await ask(`/api/runbook/${entry}`);
      expect([status, JSON.stringify(body)]).toEqual([404, expect.stringContaining('upstream_timeout')]);
    },
  );

  it('gives no file: a path is no entry', async () => {
    expect((await ask('/api/runbook/..%2Fportico.yaml')).status).toBe(400);
  });
});

describe('an explanation', () => {
  const explain = (input: object, token = VIEWER) =>
    ask('/api/explain', { method: 'POST', body: JSON.stringify(input), token });

  it('of a viewer is that of portico explain --json', async () => {
    const request = 'GET /v1/users?sort=name';
    const args = ['--config', config.file, 'explain', request, '--json'];
    const { out, err } = await runPortico(args, env());
    expect(err).toBe('');
    const { status, body } = await explain({ request });
    const digestless = (value: { cacheKey?: object }) => ({ ...value, cacheKey: undefined });
    expect([status, digestless(body)]).toEqual([200, digestless(JSON.parse(out) as object)]);
  });

  it('tells a mistake, a pass-through route, and what is no request', async () => {
    expect((await explain({ request: '/v1/users?limit=x' })).body).toMatchObject({
      mistake: { status: 400 },
    });
    expect((await explain({ request: '/legacy/orders' })).body).toMatchObject({
      operation: 'passthrough.orders',
    });
    expect((await explain({ request: '/nothing' })).status).toBe(400);
  });

  it('asks the source for an operator only, without a value, and the audit names who asked', async () => {
    const input = { request: '/v1/users/user_7', live: true, reason: 'a trial' };
    expect((await explain(input)).status).toBe(403);
    const { status, body } = await explain(input, OPERATOR);
    expect([status, body]).toEqual([
      200,
      expect.objectContaining({
        live: expect.objectContaining({ calls: [expect.objectContaining({ status: 200 })] }),
      }),
    ]);
    expect(JSON.stringify(body)).not.toContain(VALUES.record);
    const { lines } = (await ask('/api/audit')).body as { lines: string[] };
    const written = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(written.filter(({ action }) => action === 'explain')).toMatchObject([
      { actor: 'ada', target: 'live users.get', outcome: 'done', reason: 'a trial' },
    ]);
  });
});

describe('where Redis has gone', () => {
  it('requests are those of the workers of this gateway, and the answer says so', async () => {
    const before = await get('/v1/users/user_500');
    await storyOf(before);
    await redis.kill();
    const after = await get('/v1/users/user_501');
    expect(await storyOf(after)).toMatchObject({ scope: 'process', status: 502 });
    const listed = await eventually(async (): Promise<Listed | false> => {
      const { body: kept }: { body: Listed } = await ask('/api/requests?status=5xx');
      return kept.notes.length > 0 && kept;
    });
    expect(listed).toMatchObject({
      scope: 'workers',
      notes: [expect.stringContaining('Redis does not answer')],
    });
    expect(listed.requests.map(({ requestId }) => requestId)).toEqual(
      expect.arrayContaining([before, after]),
    );
  });
});
