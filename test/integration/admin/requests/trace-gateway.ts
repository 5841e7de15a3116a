import { setTimeout as delay } from 'node:timers/promises';
import type { ActionValue } from '../../../../src/admin/api/action-table.ts';
import { Secret } from '../../../../src/kernel/secret.ts';
import { hashApiKey, newApiKey } from '../../../../src/pipeline/stages/authentication/api-key.ts';
import { type ConfigCopy, copyConfig } from '../../../support/gateway/config-copy.ts';
import { type GatewayProcess, startGatewayProcess } from '../../../support/gateway/gateway-process.ts';
import { type Stack, startStack } from '../../../support/gateway/stack.ts';
import { type RedisServer, startRedis } from '../../../support/redis/redis-server.ts';
import { eventually } from '../../../support/time/eventually.ts';
import {
  type Answer,
  type ScriptedUpstream,
  serving,
  startUpstream,
} from '../../../support/upstream/scripted-upstream.ts';
import { crmCard, crmList } from '../../../support/upstream/scripts.ts';
import { startForAll } from '../../../support/jest/lifetime.ts';

export type Told = ActionValue<'request'>;
export type Listed = ActionValue<'requests'>;

const PEPPER = 'a-pepper-of-these-requests';
export const OPERATOR = 'the-token-of-the-operator';
export const VIEWER = 'the-token-of-the-viewer';
/** What stands in records, queries and headers, and nowhere else. */
export const VALUES = {
  record: 'Zaunkoenig',
  query: 'zaunkoenig.query@example.org',
  header: 'zaunkoenig-header',
};
const SLOW_MS = 300;
export const keys = { few: newApiKey('requestsfew0'), roomy: newApiKey('requestsroom') };
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

export let redis: RedisServer;
let upstream: ScriptedUpstream;
export let config: ConfigCopy;
export let gateway: GatewayProcess;
export let other: Stack;
/** The variables of the gateway. */
export const env = () => ({
  ...{ USERS_URL: upstream.origin, CATALOG_URL: upstream.origin, REDIS_URL: redis.url },
  PORTICO_KEY_PEPPER: PEPPER,
});
/** Starts the gateways, Redis and the services for the tests of a file: modules live longer than one file. */
export function useTraceGateway(): void {
  redis = startForAll(startRedis);
  upstream = startForAll(() => startUpstream(serving(answer)));
  config = startForAll(writeConfig);
  gateway = startForAll(() => startGatewayProcess(env(), config.file, OPERATOR));
  other = startForAll(() => startStack({ redis: { url: redis.url, prefix: 'portico:' } }));
}

/** Asks the listener of operators. */
export async function ask(
  path: string,
  init: RequestInit & { token?: string } = {},
  base = gateway.adminUrl,
) {
  const { token = VIEWER, ...rest } = init;
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const response = await fetch(base + path, { ...rest, headers: base === gateway.adminUrl ? headers : {} });
  return { status: response.status, body: (await response.json()) as never };
}

/** Asks the gateway for data, and gives the id of the request. */
export async function get(path: string, key: string = keys.roomy): Promise<string> {
  const headers = { authorization: `Bearer ${key}`, 'x-hidden': VALUES.header };
  const response = await fetch(gateway.url + path, { headers });
  await response.text();
  return response.headers.get('x-request-id')!;
}

/** The trace of a request. It waits until the gateway has it. */
export async function traceOf(id: string, base = gateway.adminUrl): Promise<Told> {
  return eventually(
    async (): Promise<Told | undefined> => {
      const { status, body } = await ask(`/api/requests/${id}`, {}, base);
      return status === 200 ? body : undefined;
    },
    { withinMs: 30_000 },
  );
}
