import { Secret } from '../../../src/kernel/secret.ts';
import { hashApiKey } from '../../../src/pipeline/stages/authentication/api-key.ts';
import type { LocalGateway } from '../gateway/running-gateway.ts';
import { startGateway } from '../gateway/start-gateway.ts';
import { type Answer, type ScriptedUpstream, serving, startUpstream } from '../upstream/scripted-upstream.ts';

const PEPPER = 'a-pepper-of-the-tests-only';

/** A key that may choose the source, and one that may not. */
export const KEYS = { tester: 'a-key-that-may-choose', ana: 'a-key-that-may-read-only' };

const sourceText = (name: string, origin: string) => `source: 1
name: ${name}
net: { baseUrl: '${origin}', timeout: 2s }
outcomes:
  - { on: get, status: 404, is: not_found }
  - { status: 200, is: ok }
resources:
  users:
    id: { kind: number }
    list:
      request: { path: /users, query: { from: '{offset}', n: '{limit}' } }
      window: { kind: offset, sizeMax: 10 }
      items: users
      total: { at: total }
      order: id
      orderIs: documented
      map: { id: no, name: name, email: null, created_at: null }
    get:
      request: { path: '/users/{id}' }
      item: ''
      map: { id: no, name: name, email: null, created_at: null, profile.bio: null, profile.location: null, profile.avatar_url: null }
`;

function keyEntry(id: string, text: string, permissions: string): string {
  const hash = hashApiKey(new Secret(PEPPER), text);
  return `{ id: ${id}, hash: ${hash}, permissions: [${permissions}] }`;
}

const gatewayText = (users: string, passthrough: string) => `auth:
  apiKeys:
    pepper: ${PEPPER}
    keys:
      - ${keyEntry('tester', KEYS.tester, "users:read, 'migration:override'")}
      - ${keyEntry('anaana', KEYS.ana, 'users:read')}
resources:
  users: ${users}
passthrough:
  - { name: orders, path: /orders, methods: [GET], upstream: '${passthrough}', permission: users:read }
`;

/** Two services with the same three users, and gateways in front of them. */
export type MigratingServices = {
  readonly legacy: ScriptedUpstream;
  readonly next: ScriptedUpstream;
  /** Starts a gateway whose file says this of the users, such as `{ source: crm }`. */
  start(users: string): Promise<LocalGateway>;
  close(): Promise<void>;
};

/** What a service answers that works: users 1 to 3. */
export function answerOf(path: string): Answer {
  const users = [1, 2, 3].map((no) => ({ no, name: `Name ${no}` }));
  if (path === '/users') return { body: { users, total: 3 } };
  return {
    status: 404,
    body: {},
    ...users.filter(({ no }) => path === `/users/${no}`).map((body) => ({ status: 200, body }))[0],
  };
}

/** Starts both services; everything ends with `close`. */
export async function startMigratingServices(): Promise<MigratingServices> {
  const works = serving(({ path }) => answerOf(path));
  const [legacy, next] = await Promise.all([startUpstream(works), startUpstream(works)]);
  const running: LocalGateway[] = [];
  return {
    legacy,
    next,
    async start(users) {
      const sources = {
        'crm.yaml': sourceText('crm', legacy.origin),
        'people.yaml': sourceText('people', next.origin),
      };
      const gateway = await startGateway({ sources, config: gatewayText(users, legacy.origin) });
      running.push(gateway);
      return gateway;
    },
    async close() {
      await Promise.all(running.map((gateway) => gateway.close()));
      await Promise.all([legacy.close(), next.close()]);
    },
  };
}
