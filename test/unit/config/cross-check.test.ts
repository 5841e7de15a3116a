import { readFileSync } from 'node:fs';
import { problemText } from '../../../src/config/yaml/problem.ts';
import { changed, gatewayText, loadTexts, sourceTexts } from '../../support/gateway/config-texts.ts';

function problemsOf(gateway: string, sources = sourceTexts): string[] {
  return loadTexts({ gateway, sources }).problems.map(problemText);
}

const withKeys = (...keys: string[]) =>
  gatewayText.replace(/( +pepper:.*\n)/, `$1    keys: [${keys.join(', ')}]\n`);

const route = (name: string, path: string) =>
  `  - { name: ${name}, path: ${path}, upstream: 'http://127.0.0.1:1', permission: null }\n`;

describe('what parts of a configuration must agree on', () => {
  it('a resource names a source that there is', () => {
    expect(problemsOf(changed(gatewayText, 'source: crm', 'source: crmm'))).toEqual([
      expect.stringMatching(
        /^portico\.yaml:\d+:13: resources\.users\.source: no source is named "crmm"\n {4}hint: sources: catalog, crm, people$/,
      ),
    ]);
  });

  it('a resource names a source that describes it', () => {
    expect(problemsOf(changed(gatewayText, 'source: crm', 'source: catalog'))).toEqual([
      expect.stringContaining(
        'the source "catalog" does not describe users\n    hint: add resources.users to catalog.yaml',
      ),
    ]);
  });

  it('a source whose file has problems of its own is not reported as unknown as well', () => {
    const broken = {
      ...sourceTexts,
      'crm.yaml': changed(sourceTexts['crm.yaml']!, 'timeout: 5s', 'timeout: x'),
    };
    const found = problemsOf(gatewayText, broken);
    expect(found).toHaveLength(1);
    expect(found[0]).toContain('crm.yaml:10:12: net.timeout');
  });

  it('sources have different names', () => {
    const twins = { ...sourceTexts, 'crm2.yaml': sourceTexts['crm.yaml']! };
    expect(problemsOf(gatewayText, twins)).toEqual([
      'crm2.yaml:6:7: name: the name "crm" is taken by crm.yaml\n    hint: give each source a name of its own',
    ]);
  });

  it('tiers that are named exist', () => {
    expect(problemsOf(changed(gatewayText, '    standard: {', '    steady: {'))).toEqual([
      expect.stringContaining(
        'limits.anonymousTier: no tier is named "standard", which it is if nothing is written\n    hint: write anonymousTier: steady; tiers: steady, roomy',
      ),
    ]);
  });

  it('the tier of a key exists, and is found in its place', () => {
    expect(problemsOf(withKeys(`{ id: abcdef, hash: ${'a'.repeat(43)}, tier: gold }`))).toEqual([
      expect.stringMatching(
        /^portico\.yaml:\d+:\d+: auth\.apiKeys\.keys\[0\]\.tier: no tier is named "gold"/,
      ),
    ]);
  });

  it('the windows of a tier have different lengths, however they are written', () => {
    const windows = (text: string) => problemsOf(changed(gatewayText, '20 per 1s, 600 per 60s', text));
    expect(windows('20 per 1s, 600 per 60s, 500 per 1m')).toEqual([
      expect.stringMatching(
        /^portico\.yaml:\d+:\d+: limits\.tiers\.standard\.windows\[2\]: an earlier window of this tier is 60 s long too\n {4}hint: keep the one that admits fewer requests$/,
      ),
    ]);
    expect(windows('20 per 1s, 20 per 1s')).toHaveLength(1);
    expect(windows('20 per 1s, 20 per 2s')).toEqual([]);
  });

  it('keys have ids and hashes of their own', () => {
    const key = (id: string, hash: string) => `{ id: ${id}, hash: ${hash.repeat(43)} }`;
    expect(problemsOf(withKeys(key('abcdef', 'a'), key('ghijkl', 'b'), key('abcdef', 'c')))).toEqual([
      expect.stringMatching(
        /^portico\.yaml:\d+:\d+: auth\.apiKeys\.keys\[2\]\.id: the id "abcdef" is taken\n {4}hint: give each key an id of its own$/,
      ),
    ]);
    expect(problemsOf(withKeys(key('abcdef', 'a'), key('ghijkl', 'b'), key('mnopqr', 'b')))).toEqual([
      expect.stringMatching(
        /^portico\.yaml:\d+:\d+: auth\.apiKeys\.keys\[2\]\.hash: the key "ghijkl" has the same hash\n {4}hint: give each caller a key of its own$/,
      ),
    ]);
    expect(problemsOf(withKeys(key('abcdef', 'a'), key('abcdef', 'a')))).toHaveLength(2);
    expect(problemsOf(withKeys(key('abcdef', 'a'), key('ghijkl', 'b')))).toEqual([]);
  });

  it('a resource can be read by somebody', () => {
    const nobody = gatewayText.replace(/ {2}apiKeys:\n(.*\n)*?limits:/, '  {}\nlimits:');
    expect(problemsOf(nobody)).toEqual(
      ['users', 'products'].map((name) =>
        expect.stringContaining(`resources.${name}: no caller can read it`),
      ),
    );
  });

  it('a pepper is long enough to be one', () => {
    const short = gatewayText.replace(/pepper: .*/, 'pepper: too-short');
    expect(problemsOf(short)).toEqual([
      expect.stringMatching(
        /auth\.apiKeys\.pepper: the pepper has fewer than 16 characters\n {4}hint: openssl rand/,
      ),
    ]);
    expect(problemsOf(short).join()).not.toContain('too-short');
  });

  it('Redis is in one place, and entered as that place is', () => {
    const redis = (text: string) => problemsOf(changed(gatewayText, '  url: ${REDIS_URL:-}', text));
    expect(
      redis('  url: redis://a\n  cluster: ["a:1"]\n  sentinel: { name: m, nodes: ["[::1]:1"] }'),
    ).toEqual([
      expect.stringContaining('redis.cluster: redis.url already names the Redis'),
      expect.stringContaining('redis.sentinel: redis.url already names the Redis'),
    ]);
    expect(redis('  url: redis://a\n  password: x\n  tls: {}')).toEqual([
      expect.stringContaining('hint: write it into the URL: redis://user:password@host:6379'),
      expect.stringContaining('hint: write rediss:// instead of redis://'),
    ]);
    expect(redis('  cluster: ["a"]')).toEqual([expect.stringContaining('expected a host and a port')]);
    expect(redis('  cluster: ["a:1", "b:65535"]\n  username: u\n  password: x\n  tls: {}')).toEqual([]);
  });

  it('several workers have a Redis', () => {
    const workers = (text: string, redis = '') =>
      problemsOf(
        changed(changed(gatewayText, '${WORKERS:-1}', text), '  url: ${REDIS_URL:-}', redis || '  prefix: p'),
      );
    expect(workers('3')).toEqual([
      expect.stringMatching(
        /^portico\.yaml:8:\d+: workers: 3 workers without Redis would each grant .*\n {4}hint: name a Redis/,
      ),
    ]);
    expect(workers('3', '  url: redis://a')).toEqual([]);
    expect(workers('3', '  cluster: ["a:1"]')).toEqual([]);
    expect(workers('auto')).toEqual([]);
    expect(workers('0')).toEqual([expect.stringContaining('workers: must be at least 1')]);
  });

  it('pass-through routes leave /v1 to the contract', () => {
    for (const path of ['/v1', '/v1/orders'])
      expect(problemsOf(gatewayText + route('more', path))).toEqual([
        expect.stringContaining('passthrough[1].path: the paths below /v1 belong to the contract'),
      ]);
    expect(problemsOf(gatewayText + route('more', '/v10'))).toEqual([]);
  });

  it('pass-through routes have names and paths of their own', () => {
    expect(problemsOf(gatewayText + route('orders', '/other'))).toEqual([
      expect.stringContaining('passthrough[1].name: the name "orders" is taken'),
    ]);
    expect(problemsOf(gatewayText + route('more', '/legacy/orders'))).toEqual([
      expect.stringContaining(
        'passthrough[1].path: never reached: routes are chosen by path, and "orders" has the same\n    hint: give each route a path of its own, or name all methods in one: methods: [GET, HEAD, POST]',
      ),
    ]);
    expect(problemsOf(gatewayText + route('more', '/legacy/orders/deeper'))).toEqual([]);
  });
});

describe('a pass-through route and a resource of the contract', () => {
  const contract = `${readFileSync(new URL('../../../config/contract.yaml', import.meta.url), 'utf8')}
  orders:
    singular: order
    id: { prefix: ord }
    fields: { placed_on: { kind: date } }
`;
  const found = (gateway: string) => loadTexts({ gateway, contract }).problems.map(problemText);

  it('have no permission in common, because every key for the route could read the resource', () => {
    expect(found(gatewayText)).toEqual([
      expect.stringMatching(
        /passthrough\[0\]\.permission: orders:read is the permission to read orders: .*\n {4}hint: resources\.orders: \{ …, permission: orders\.v1:read \}; or permission: orders:call here/,
      ),
    ]);
  });

  it('may have the permission of the other if the resource has one of its own', () => {
    const own = '  orders: { source: crm, permission: orders.v1:read }\n  products:\n';
    expect(found(changed(gatewayText, '  products:\n', own))).toEqual([
      expect.stringContaining('the source "crm" does not describe orders'),
    ]);
  });
});

describe('a gateway file whose shape is wrong', () => {
  it('is told all problems of its shape at once, and nothing that may only follow from them', () => {
    let text = changed(gatewayText, '[200 per 1s', '[200 per second');
    text = changed(text, 'source: crm', 'source: crmm');
    text = changed(text, 'upstream: ${ORDERS_URL:-http://127.0.0.1:7103}', 'upstream: nowhere');
    expect(problemsOf(text)).toEqual([
      expect.stringContaining('limits.tiers.roomy.windows[0]: '),
      expect.stringContaining('passthrough[0].upstream: '),
    ]);
  });

  it.each([
    ['portico: 2', 2],
    ['- portico', 1],
    ['resources: 1', 2],
  ])('%s has so many problems: %d', (text, count) => expect(problemsOf(text)).toHaveLength(count));
});

describe('notes', () => {
  const { 'people.yaml': _people, ...used } = sourceTexts;
  const notesOf = (gateway: string, sources = used) =>
    loadTexts({ gateway, sources }).config.notes.map(problemText);

  it('tell of methods that a longer path hides', () => {
    const below = route('deeper', '/legacy/orders/archive');
    expect(notesOf(gatewayText + below)).toEqual([
      expect.stringMatching(
        /^portico\.yaml:\d+:\d+: passthrough\[1\]\.methods: POST \/legacy\/orders\/archive is answered 405: the longest path decides, so "orders" does not get the request\n/,
      ),
    ]);
    expect(notesOf(gatewayText + route('deeper', '/legacy/ordersarchive'))).toEqual([]);
  });

  it('tell of a source that serves no resource', () => {
    const text = gatewayText.replace(/ {2}products:\n.*\n.*\n/, '');
    expect(notesOf(text)).toEqual([
      expect.stringMatching(/^catalog\.yaml:\d+:\d+: resources\.products: these products are not served\n/),
    ]);
  });

  it('tell of a source that could serve what another one serves, as the shipped people.yaml', () => {
    expect(notesOf(gatewayText)).toEqual([]);
    expect(notesOf(gatewayText, sourceTexts)).toEqual([
      expect.stringMatching(
        /^people\.yaml:\d+:\d+: resources\.users: users are served from "crm"\n {4}hint: say migration: \{ to: people \} under resources\.users of the gateway file to move them, see config\/docs\/migrate\.md$/,
      ),
    ]);
  });
});
