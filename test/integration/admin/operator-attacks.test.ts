import { readFileSync } from 'node:fs';
import { type IncomingMessage, request } from 'node:http';
import { Secret } from '../../../src/kernel/secret.ts';
import { startRedis } from '../../support/redis/redis-server.ts';
import { startStack } from '../../support/gateway/stack.ts';
import { startForAll } from '../../support/jest/lifetime.ts';

const OPERATOR = 'the-token-of-ada-the-operator';
const VIEWER = 'the-token-that-prometheus-has';

type Described = { readonly description: string };
const { paths } = JSON.parse(readFileSync('config/operator-openapi.json', 'utf8')) as {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>;
};
const changing = Object.entries(paths).flatMap(([path, item]) =>
  Object.entries(item)
    .filter(([, { description }]) => !description.includes('`viewer`'))
    .map(([method]) => ({ path: path.replace('{id}', 'abcdefghijkl'), method: method.toUpperCase() })),
);

const redis = startForAll(startRedis);
const stack = startForAll(() =>
  startStack({
    redis: { url: redis.url, prefix: 'portico:' },
    configure({ admin }) {
      const named = { token: undefined, hash: undefined };
      admin.tokens = [
        { ...named, name: 'ada', role: 'operator', token: new Secret(OPERATOR) },
        { ...named, name: 'prometheus', role: 'viewer', token: new Secret(VIEWER) },
      ];
    },
  }),
);

type Headers = Readonly<Record<string, string | string[]>>;

/** A request whose target is sent as it stands: `fetch` would tidy it. */
function send(method: string, path: string, headers: Headers = {}, body?: string) {
  const { port } = new URL(stack.adminUrl);
  return new Promise<{ status: number; text: string }>((resolve, reject) => {
    const asked = request({ port, method, path, headers: { ...headers }, agent: false });
    asked.on('error', reject);
    asked.on('response', (answer: IncomingMessage) => {
      let text = '';
      answer.on('data', (chunk: Buffer) => (text += chunk.toString()));
      answer.on('end', () => resolve({ status: answer.statusCode ?? 0, text }));
    });
    asked.end(body);
  });
}

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
const json = { ...bearer(OPERATOR), 'content-type': 'application/json' };
const change = (path: string, input: object) => send('POST', path, json, JSON.stringify(input));

async function auditLines(): Promise<readonly string[]> {
  const { text } = await send('GET', '/api/audit', bearer(VIEWER));
  return (JSON.parse(text) as { lines: string[] }).lines;
}

describe('a viewer', () => {
  const byQuery = { path: '/api/cache/purge?tag=users', method: 'POST' };
  it.each([...changing, byQuery])('cannot $method $path, however it is written', async ({ path, method }) => {
    const before = await auditLines();
    const written = [
      path,
      `/${path}`,
      `${path}/`,
      path.toUpperCase(),
      path.replace('/', '/./'),
      path.replace('c', '%63').replace('k', '%6b'),
      path.replace('/', '/livez/../'),
      path.replaceAll('/', '%2f'),
      `${path}?access_token=${OPERATOR}`,
      `http://localhost${path}`,
    ];
    const disguises: readonly Headers[] = [
      {},
      { 'x-http-method-override': method, 'x-method-override': method, 'x-original-url': path },
      { 'x-forwarded-for': '127.0.0.1', cookie: `token=${OPERATOR}`, 'x-api-key': OPERATOR },
    ];
    for (const target of written)
      for (const verb of [method, 'PUT', method.toLowerCase()])
        for (const disguise of disguises) {
          const { status } = await send(verb, target, { ...bearer(VIEWER), ...disguise });
          expect([verb, target, status >= 400 && status < 500]).toEqual([verb, target, true]);
        }
    expect(await auditLines()).toEqual(before);
  });
});

describe('a token', () => {
  it.each([
    ['in the query', `/api/metrics?token=${OPERATOR}&access_token=${OPERATOR}`, {}],
    ['that is empty', '/api/metrics', { authorization: 'Bearer ' }],
    ['beside another', '/api/metrics', { authorization: [`Bearer ${OPERATOR}`, 'Bearer other'] }],
    ['twice', '/api/metrics', { authorization: [`Bearer ${OPERATOR}`, `Bearer ${OPERATOR}`] }],
    ['in a list', '/api/metrics', { authorization: `Bearer ${OPERATOR}, Bearer ${OPERATOR}` }],
    ['that another site resolves to this listener', '/api/metrics', { host: 'evil.example' }],
  ])('%s is none', async (_, path, headers) => {
    expect((await send('GET', path, headers)).status).toBe(401);
  });

  it('works under any host name', async () => {
    const headers = { ...bearer(VIEWER), host: 'gateway.example' };
    expect((await send('GET', '/api/metrics', headers)).status).toBe(200);
  });
});

describe('a change', () => {
  it.each([
    ['POST', '/api/claims/reset', 'text/plain', '{"source":"crm"}'],
    ['POST', '/api/config/reload', 'application/x-www-form-urlencoded', '{"dryRun":true}'],
    ['POST', '/api/cache/purge?tag=users', 'application/json', '{"tag":"products"}'],
    ['POST', '/api/claims/reset?source=crm', 'application/json', '{}'],
    ['POST', '/api/keys/%', 'application/json', '{}'],
  ])('is refused where a part of %s %s would not be read', async (method, path, type, body) => {
    const before = await auditLines();
    const { status, text } = await send(method, path, { ...json, 'content-type': type }, body);
    expect([status, text]).toEqual([400, expect.stringContaining('"bad_input"')]);
    expect(await auditLines()).toEqual(before);
  });

  it.each([
    ['line break', 'a\nb'],
    ['escape sequence', 'a\u001b[2K'],
    ['C1 control', 'a\u009b2K'],
    ['mark that reverses the text', 'a\u202eb'],
    ['separator of lines', 'a\u2028b'],
    ['lot of text', 'x'.repeat(201)],
  ])('takes no reason and no label with a %s', async (_, text) => {
    const terms = { label: 'x', permissions: ['users:read'] };
    expect((await change('/api/keys', { ...terms, reason: text })).status).toBe(400);
    expect((await change('/api/keys', { ...terms, label: text })).status).toBe(400);
  });
});

describe('keys', () => {
  type Made = { readonly key: { readonly id: string } };
  const create = async (label: string) =>
    JSON.parse((await change('/api/keys', { label, permissions: ['users:read'] })).text) as Made;

  it('keep a label as the text that it is', async () => {
    const label = '<script>alert(1)</script>';
    const { key } = await create(label);
    const shown = await send('GET', `/api/keys/${key.id}`, bearer(VIEWER));
    expect(JSON.parse(shown.text)).toMatchObject({ key: { label } });
  });

  it('are imported only as an export has them, and never in the place of another key', async () => {
    const { key } = await create('of somebody else');
    const exported = JSON.parse((await change('/api/key-export', {})).text) as {
      pepper: string;
      keys: Record<string, unknown>[];
    };
    const record = exported.keys.find(({ id }) => id === key.id) ?? {};
    const [hash] = record['hashes'] as unknown[];
    const put = (keys: readonly object[], pepper = exported.pepper) =>
      change('/api/key-import', { pepper, keys });
    const fresh = { ...record, id: 'zzzzzzzzzzzz' };
    const refused = [
      { ...fresh, label: 'a\u001b[2J' },
      { ...fresh, permissions: ['everything'] },
      { ...fresh, addresses: ['everywhere'], version: 2 },
      { ...fresh, hashes: [{ hash: 'none' }] },
      { ...fresh, hashes: Array.from({ length: 11 }, () => hash) },
      { ...fresh, id: '../../x' },
      { ...fresh, version: 9 },
    ];
    for (const one of refused) expect((await put([one])).status).toBe(400);
    expect((await put(Array.from({ length: 1_001 }, () => fresh))).status).toBe(400);
    expect((await put([{ ...fresh, padding: 'x'.repeat(2_100_000) }])).status).toBe(400);
    expect((await put([fresh], 'another')).status).toBe(409);
    expect((await send('GET', '/api/keys/zzzzzzzzzzzz', bearer(VIEWER))).status).toBe(404);
    const stolen = await put([{ ...record, label: 'mine now', permissions: ['products:read'] }]);
    expect(JSON.parse(stolen.text)).toMatchObject({ imported: 0, skipped: [key.id] });
    const kept = await send('GET', `/api/keys/${key.id}`, bearer(VIEWER));
    expect(JSON.parse(kept.text)).toMatchObject({ key: { label: 'of somebody else' } });
  });

  it('are imported without what is nested so deep that it could not be written again', async () => {
    await create('x');
    const exported = JSON.parse((await change('/api/key-export', {})).text) as {
      pepper: string;
      keys: object[];
    };
    const record = { ...exported.keys[0], id: 'yyyyyyyyyyyy', padding: 'deep' };
    const text = JSON.stringify({ pepper: exported.pepper, keys: [record] });
    const deep = '['.repeat(900_000) + ']'.repeat(900_000);
    const { status, text: answer } = await send(
      'POST',
      '/api/key-import',
      json,
      text.replace('"deep"', deep),
    );
    expect([status, answer]).toEqual([200, expect.stringContaining('"imported":1')]);
  });

  it('that are rotated sixty times at once have two secrets, and each rotation its line of the audit', async () => {
    const { key } = await create('x');
    const rotations = Array.from({ length: 60 }, () => change(`/api/keys/${key.id}/rotate`, {}));
    const answers = await Promise.all(rotations);
    expect(answers.filter(({ status }) => status !== 200)).toEqual([]);
    const shown = await send('GET', `/api/keys/${key.id}`, bearer(VIEWER));
    expect(JSON.parse(shown.text)).toMatchObject({ key: { secrets: 2 } });
    const lines = (await auditLines()).filter(
      (line) => line.includes('keys.rotate') && line.includes(key.id),
    );
    expect(lines).toHaveLength(60);
  });
});
