import { Session } from 'node:inspector/promises';
import { compileReader } from '../../../src/source/adapter/read/read-reply.ts';
import { compileOutcomes } from '../../../src/source/adapter/read/outcome.ts';
import { chooseSources } from '../../../src/source/compile-sources.ts';
import { loadTexts } from '../../support/gateway/config-texts.ts';
import { runGateway } from '../../support/gateway/running-gateway.ts';
import { type ScriptedUpstream, serving, startUpstream } from '../../support/upstream/scripted-upstream.ts';

const gatewayText = `
portico: 1
listen: { host: 127.0.0.1, port: 0, drain: 0ms }
admin: { port: 0 }
limits: { tiers: { standard: { windows: [1000000 per 1s] } } }
resources:
  users: { source: shop, public: true, deadline: 60s, cache: { fresh: 0s, notFound: 0s } }
`;
const sourceText = (origin: string) => `
source: 1
name: shop
net: { baseUrl: '${origin}', timeout: 60s }
outcomes: [{ status: 200, is: ok }]
resources:
  users:
    id: { kind: number }
    list:
      request: { path: /users, query: { from: '{offset}', n: '{limit}' } }
      window: { kind: offset, sizeMax: 100 }
      total: { at: hits }
      items: rows
      order: id
      map: { id: id, name: n, email: null, created_at: null }
    get:
      request: { path: '/users/{id}' }
      item: ''
      map: { id: id, name: n, email: null, created_at: null, profile.bio: null, profile.location: null, profile.avatar_url: null }
`;

/** How often each function of the gateway is called while `work` runs, as V8 counts it, by the function's name. */
async function callsDuring(work: () => Promise<void>): Promise<ReadonlyMap<string, number>> {
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true });
  try {
    await work();
    const { result } = await session.post('Profiler.takePreciseCoverage');
    const functions = result
      .filter(({ url }) => url.includes('/src/source/adapter/'))
      .flatMap((one) => one.functions);
    return new Map(functions.map(({ functionName, ranges }) => [functionName, ranges[0]?.count ?? 0]));
  } finally {
    await session.post('Profiler.stopPreciseCoverage');
    session.disconnect();
  }
}

let upstream: ScriptedUpstream;
beforeAll(async () => {
  upstream = await startUpstream(
    serving(({ id }) => ({
      body: Number.isNaN(id) ? { hits: 1, rows: [{ id: 1, n: 'Ada' }] } : { id, n: 'Ada' },
    })),
  );
});
afterAll(() => upstream.close());

it('a gateway that has read its files, started and answered has compiled its source once', async () => {
  const statuses: number[] = [];
  const calls = await callsDuring(async () => {
    const sources = { 'shop.yaml': sourceText(upstream.origin) };
    const { config, compiled } = loadTexts({ gateway: gatewayText, sources });
    const gateway = await runGateway(config.gateway!, chooseSources(config.gateway!, compiled));
    for (const path of ['/v1/users', '/v1/users/user_1'])
      statuses.push((await fetch(gateway.url + path)).status);
    await gateway.close();
  });
  expect(statuses).toEqual([200, 200]);
  expect(calls.get(compileOutcomes.name)).toBe(1);
  // One reader for the list, and one for single records.
  expect(calls.get(compileReader.name)).toBe(2);
});
