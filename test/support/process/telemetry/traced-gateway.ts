import { keyEntry } from '../../../../src/cli/serve/serve-embedded.ts';
import { passthroughRoute } from '../../../../src/config/schema/passthrough.ts';
import { telemetry } from '../../../../src/config/schema/telemetry.ts';
import { Secret } from '../../../../src/kernel/secret.ts';
import { newApiKey, newKeyId } from '../../../../src/pipeline/stages/authentication/api-key.ts';
import { type SourceGateway, startSourceGateway } from '../../gateway/start-gateway.ts';
import { type ScriptedUpstream, serving, startUpstream } from '../../upstream/scripted-upstream.ts';
import { type Collector, startCollector } from './collector.ts';

const sourceText = (url: string) => `source: 1
name: crm
net: { baseUrl: '${url}', retries: { max: 0 } }
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
      map: { id: no, name: name, email: name, created_at: null }
    get:
      request: { path: '/users/{id}' }
      item: ''
      map: { id: no, name: name, email: name, created_at: null, profile.bio: null, profile.location: null, profile.avatar_url: null }
`;

/** A gateway with a source and a public route of the same upstream, and a collector of its spans. */
export type Traced = {
  upstream: ScriptedUpstream;
  collector: Collector;
  gateway: SourceGateway;
  key: string;
};

const started: Traced[] = [];

/** Ends all that was started. */
export async function stopTraced(): Promise<void> {
  for (const { gateway, upstream, collector } of started.splice(0)) {
    await gateway.close();
    await upstream.close();
    await collector.close();
  }
}

/** Starts one. `ratio`: of what is recorded; `fresh`: seconds that answers are kept. */
export async function startTraced({ ratio = 0, fresh = 0, traces = true } = {}): Promise<Traced> {
  const rows = [{ no: 1, name: 'Ada' }];
  const upstream = await startUpstream(
    serving(({ path }) => ({ body: path === '/users' ? { total: 1, rows } : rows[0] })),
  );
  const collector = await startCollector();
  const key = newApiKey(newKeyId());
  const gateway = await startSourceGateway(sourceText(upstream.origin), (config) => {
    const pepper = new Secret('a-pepper-for-this-test');
    const entry = keyEntry(key, pepper, {
      id: 'tester',
      label: '',
      permissions: ['users:read'],
      tier: 'standard',
    });
    config.auth.apiKeys = { pepper, keys: [entry] };
    Object.assign(config.resources.users ?? {}, { public: false });
    if (config.resources.users !== undefined) config.resources.users.cache.fresh = fresh;
    const { endpoint } = collector;
    const headers = { 'X-Collector-Key': 'a-collector-key' };
    if (traces) config.telemetry = telemetry.parse({ traces: { endpoint, ratio, headers, timeout: '1s' } });
    const route = {
      name: 'orders',
      path: '/orders',
      permission: null,
      upstream: upstream.origin,
      stripPath: true,
    };
    config.passthrough.push(passthroughRoute.parse(route));
  });
  const traced = { upstream, collector, gateway, key };
  started.push(traced);
  return traced;
}

/** Asks, and reads the answer to its end. */
export async function askTraced(
  { gateway, key }: Traced,
  path: string,
  headers: Record<string, string> = {},
) {
  const credential = path.startsWith('/v1') ? { 'X-API-Key': key } : {};
  const answer = await fetch(gateway.url + path, { headers: { ...credential, ...headers } });
  await answer.arrayBuffer();
  return answer;
}

/** The `traceparent` of each request that the upstream got. */
export const sentOf = ({ upstream }: Traced) =>
  upstream.requests.map(({ headers }) => headers['traceparent'] as string);
/** The log line of a request. */
export const lineOf = ({ gateway }: Traced, requestId: string | null) =>
  gateway.log
    .map((line) => JSON.parse(line) as Record<string, unknown>)
    .find((line) => line['requestId'] === requestId);
