import { Redis } from 'ioredis';
import { runCommand } from '../../../support/command/run-command.ts';
import { eventually } from '../../../support/time/eventually.ts';
import {
  ask,
  gateway,
  get,
  keys,
  type Listed,
  other,
  redis,
  traceOf,
  type Told,
  useTraceGateway,
  VALUES,
  VIEWER,
} from './trace-gateway.ts';

useTraceGateway();

/** How much of a request's time its timings cover, from 0 to 1. */
function coverage({ timings, durationMs }: Told): number {
  let [covered, untilMs] = [0, 0];
  for (const { startMs, ms } of timings) {
    covered += Math.max(0, startMs + ms - Math.max(untilMs, startMs));
    untilMs = Math.max(untilMs, startMs + ms);
  }
  return covered / durationMs;
}

const longest = ({ timings }: Told) => timings.toSorted((a, b) => b.ms - a.ms)[0]!;

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
    '%s: its timings cover its time, and name the cause and the runbook entry',
    async (_, make, expected) => {
      const { status, code, step, detail = /^/, slow } = expected;
      const told = await traceOf(await make());
      expect(told).toMatchObject({
        status,
        ...(slow !== undefined && { slow }),
        upstreamCalls: expect.any(Number),
      });
      expect(coverage(told)).toBeGreaterThan(0.9);
      expect(coverage(told)).toBeLessThan(1.1);
      if (step === 'upstream') {
        const exchanges = told.timings.filter(({ name }) => name === 'upstream');
        expect(exchanges).toHaveLength(told.upstreamCalls);
        for (const exchange of exchanges) expect(exchange.detail).toMatch(detail);
      } else expect(told.timings.map(({ name }) => name).join(' ')).toMatch(new RegExp(step));
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
    expect((await traceOf(id)).requestId).toBe(id);
    expect((await traceOf(traceId)).requestId).toBe(id);
    expect((await traceOf('own-id-of-the-caller')).requestId).toBe(id);
    const elsewhere = await traceOf(id, other.adminUrl);
    expect(elsewhere).toMatchObject({ scope: 'fleet', requestId: id, error: { code: 'upstream_error' } });
    const { body } = await ask('/api/requests?code=upstream_error', {}, other.adminUrl);
    expect((body as Listed).scope).toBe('fleet');
    expect((body as Listed).requests.map(({ requestId }) => requestId)).toContain(id);
  });

  it('is listed once, the newest first, as far as it fits what is asked for', async () => {
    const ids = [await get('/v1/users/user_500'), await get('/v1/users/user_501')];
    await Promise.all(ids.map((id) => traceOf(id)));
    const list = async (query: string) => ((await ask(`/api/requests?${query}`)).body as Listed).requests;
    const failed = await list('status=5xx&operation=users.get');
    expect(failed.slice(0, 2).map(({ requestId }) => requestId)).toEqual(ids.toReversed());
    expect(new Set(failed.map(({ requestId }) => requestId)).size).toBe(failed.length);
    expect((await list('status=slow')).every(({ slow }) => slow)).toBe(true);
    const idsOf = async (query: string) =>
      (await list(`${query}&limit=1000`)).map(({ requestId }) => requestId);
    const either = new Set([...(await idsOf('status=5xx')), ...(await idsOf('status=slow'))]);
    expect((await idsOf('status=failed')).toSorted()).toEqual([...either].toSorted());
    expect((await list('status=429')).map(({ code }) => code)).toEqual(['rate_limit_exceeded']);
    expect(await list('caller=requestsfew0&since=1h')).toHaveLength(1);
    expect(await list('limit=1')).toHaveLength(1);
    expect(await list('code=server_error')).toEqual([]);
    expect((await ask('/api/requests?code=nothing_like_it')).status).toBe(400);
  });

  it('is listed up to a time, as an instant or a span, and the answer says up to which', async () => {
    const [before, after] = [await get('/v1/users/user_500'), await get('/v1/users/user_501')];
    const { at } = await traceOf(before);
    const idsUntil = async (until: string, base = gateway.adminUrl) => {
      const { body } = await ask(`/api/requests?limit=1000&since=1h&until=${until}`, {}, base);
      return { ...(body as Listed), ids: (body as Listed).requests.map(({ requestId }) => requestId) };
    };
    for (const base of [gateway.adminUrl, other.adminUrl]) {
      for (const id of [before, after]) await traceOf(id, base);
      const listed = await idsUntil(at, base);
      expect([listed.until, listed.ids[0]]).toEqual([at, before]);
      expect(listed.ids).not.toContain(after);
    }
    expect((await idsUntil('30m')).ids).toEqual([]);
    expect((await idsUntil('0s')).ids.slice(0, 2)).toEqual([after, before]);
    expect(await ask('/api/requests?since=1h&until=2h')).toMatchObject({
      status: 400,
      body: { error: { reason: expect.stringContaining('until: 2h is before') } },
    });
  });

  it('tells nothing of records, queries and headers, neither in answers nor in Redis', async () => {
    const { body } = await ask('/api/requests?limit=1000');
    const { requests } = body as Listed;
    expect(requests.length).toBeGreaterThan(5);
    const traces = await Promise.all(requests.map(({ requestId }) => traceOf(requestId)));
    const client = new Redis(redis.url);
    const lists = await client.keys('portico:{requests}:*');
    const kept = await Promise.all(lists.map((key) => client.lrange(key, 0, -1)));
    client.disconnect();
    expect(kept.flat().length).toBeGreaterThan(5);
    const all = JSON.stringify([requests, traces, kept]).toLowerCase();
    for (const value of Object.values(VALUES)) expect(all).not.toContain(value.toLowerCase());
    expect(all).not.toMatch(/user_50\d|\/crm\/|cid=/);
  });

  it('is shown by portico requests, too', async () => {
    const id = await get('/v1/users/user_500');
    const told = await traceOf(id);
    const reach = ['--gateway', gateway.adminUrl];
    const env = { PORTICO_ADMIN_TOKEN: VIEWER };
    const listed = await runCommand(['requests', '--status', '502', '--json', ...reach], env);
    expect((JSON.parse(listed.out) as Listed).requests[0]?.requestId).toBe(id);
    const until = await runCommand(['requests', '--until', told.at, '--limit', '1', ...reach], env);
    expect(until).toMatchObject({ code: 0, out: expect.stringContaining(`\nuntil ${told.at}\n`) });
    const one = await runCommand(['requests', '--id', id, ...reach], env);
    expect(one).toMatchObject({ code: 0, err: '' });
    expect(one.out).toContain(told.error!.code);
    expect(one.out).toMatch(/upstream +\d.* ms +500 from 127/);
    const missing = await runCommand(['requests', '--id', 'req_nothing', ...reach], env);
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

  it.each([
    'status=abc',
    'limit=0',
    'limit=1001',
    'operation=%3Cscript%3E',
    'since=never',
    'until=never',
    'other=1',
  ])('is not listed by what makes no sense: %s', async (query) => {
    expect((await ask(`/api/requests?${query}`)).status).toBe(400);
  });
});
describe('where Redis has gone', () => {
  it('requests are those of the workers of this gateway, and the answer says so', async () => {
    const before = await get('/v1/users/user_500');
    await traceOf(before);
    await redis.kill();
    const after = await get('/v1/users/user_501');
    expect(await traceOf(after)).toMatchObject({ scope: 'process', status: 502 });
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
