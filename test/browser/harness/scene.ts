import { sampleCredentials } from '../../../src/cli/demo/serve.ts';
import { generateUsers, type SampleUser } from '../../../src/cli/demo/data/generate-users.ts';
import { createPeopleService } from '../../../src/cli/demo/people-service.ts';
import { createUsersService } from '../../../src/cli/demo/users-service.ts';
import type { FaultBench } from '../../faults/harness/bench.ts';
import type { FaultGateway, GatewayOptions } from '../../faults/harness/gateway.ts';
import { type ScriptedUpstream, serving, startUpstream } from '../../support/upstream/scripted-upstream.ts';

/** The tokens of the operator's listener. No output may hold one. */
export const TOKENS = {
  operator: 'a-token-of-ada-the-operator',
  viewer: 'a-token-of-bob-the-viewer',
  second: 'a-token-of-cyd-an-operator',
};

export type Role = keyof typeof TOKENS;

/** A gateway under faults on a Redis of its own: users who move, a catalogue that fails, a route. */
export type Scene = {
  readonly gateway: FaultGateway;
  /** The catalogue. It answers 500 to everything until it becomes another. */
  readonly catalog: ScriptedUpstream;
  /** Asks the public API, as a caller with a key. */
  readonly ask: (path: string) => Promise<number>;
  /** Sends requests as callers do: good ones, refused ones, and some to the source that fails. */
  readonly sendTraffic: () => Promise<void>;
  /** Asks the operator's API, as a program. */
  readonly api: <Value = unknown>(
    path: string,
    options?: { readonly role?: Role; readonly body?: object },
  ) => Promise<Value>;
  /** Moves the users into their ramp, past the gate. */
  readonly rampUsers: (percent: number) => Promise<void>;
};

export type SceneOptions = Pick<GatewayOptions, 'config'> & {
  readonly users?: readonly SampleUser[];
  /** The users as the new store has them; the same as at the old one by default. */
  readonly people?: readonly Pick<SampleUser, 'truth'>[];
  /** Variables in place of those of the scene, such as the addresses of other upstreams. */
  readonly env?: Readonly<Record<string, string>>;
  /** Whether the listener has tokens; it has. */
  readonly hasTokens?: boolean;
};

const FORCED = { force: true, reason: 'the rows of the browser need it' };

/** The requests of one round, with the key or without. */
const ROUND: readonly (readonly [path: string, hasKey: boolean])[] = [
  ...Array.from({ length: 6 }, () => ['/v1/users?limit=5', true] as const),
  ['/v1/users?sort=name', true],
  ['/v1/users?page=2&limit=5', true],
  ['/v1/users/user_3', true],
  ['/v1/users/user_99999', true],
  ['/v1/users?page=none', true],
  ['/v1/users', false],
  ['/v1/nothing', true],
  ['/legacy/orders', true],
  ['/v1/products?limit=5', true],
  ['/v1/products?category=Toys', true],
  ['/v1/products?page=2', true],
];

/** Starts the scene. */
export async function openScene(bench: FaultBench, options: SceneOptions = {}): Promise<Scene> {
  const { hasTokens = true, users = generateUsers({ seed: 1, count: 40 }) } = options;
  const { people: moved = users } = options;
  const redis = await bench.redis();
  const catalog = bench.own(await startUpstream(serving(() => ({ status: 500, body: { fault: 'DOWN' } }))));
  const crm = bench.own(createUsersService({ users, credentials: sampleCredentials.users }));
  const people = bench.own(
    createPeopleService({ users: moved, credentials: sampleCredentials.people, isClean: true }),
  );
  const tokens = [
    { name: 'ada', role: 'operator', token: TOKENS.operator },
    { name: 'bob', role: 'viewer', token: TOKENS.viewer },
    { name: 'cyd', role: 'operator', token: TOKENS.second },
  ];
  const own = {
    redis: { url: redis.url },
    admin: { token: '', tokens: hasTokens ? tokens : [] },
    resources: { users: { migration: { to: 'people' } } },
  };
  const gateway = await bench.gateway({
    config: { ...own, ...options.config },
    env: {
      CATALOG_URL: catalog.origin,
      USERS_URL: (await crm.listen()).url,
      USERS_USER: sampleCredentials.users.user,
      USERS_PASSWORD: sampleCredentials.users.password,
      PEOPLE_URL: (await people.listen()).url,
      PEOPLE_TOKEN: sampleCredentials.people.token,
      ...options.env,
    },
    ...(hasTokens && { adminToken: TOKENS.viewer }),
  });

  async function api<Value>(path: string, { role = 'operator', body }: { role?: Role; body?: object } = {}) {
    const response = await fetch(`${gateway.adminUrl}/api/${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { authorization: `Bearer ${TOKENS[role]}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return (await response.json()) as Value;
  }

  async function ask(path: string, hasKey = true): Promise<number> {
    const headers = hasKey ? { 'x-api-key': gateway.configuredKey } : {};
    const answer = await fetch(gateway.url + path, { headers });
    await answer.arrayBuffer();
    return answer.status;
  }

  return {
    ...{ gateway, catalog, api },
    ask: (path) => ask(path),
    async sendTraffic() {
      for (const [path, hasKey] of ROUND) await ask(path, hasKey);
    },
    async rampUsers(percent) {
      await api('migrations/users/tasks', { body: { task: 'create' } });
      await bench.until(
        async () => {
          const { stage } = await api<{ stage: string }>('migrations/users');
          return (
            stage !== 'legacy' ||
            (await api('migrations/users/stage', { body: { stage: 'shadow', ...FORCED } }).then(
              () => true,
              () => false,
            ))
          );
        },
        30_000,
        200,
      );
      for (const step of [{ stage: 'ramp', percent }])
        await api('migrations/users/stage', { body: { ...step, ...FORCED } });
    },
  };
}

/** The id of the request that has failed and took the longest at its source: its trace has the most to tell. */
export async function failedRequest({ api }: Scene): Promise<string> {
  const { requests } = await api<{ requests: { requestId: string; upstreamMs: number }[] }>(
    'requests?status=5xx',
  );
  return requests.toSorted((a, b) => b.upstreamMs - a.upstreamMs)[0]?.requestId ?? 'none';
}

/** The id of the incident of the catalogue, which fails: it opens five seconds after the first failure. */
export async function openIncident(bench: FaultBench, { api, ask }: Scene): Promise<string> {
  let id: string | undefined;
  await bench.until(
    async () => {
      await ask('/v1/products?limit=1');
      const { incidents } = await api<{ incidents: { id: string; subject: string; state: string }[] }>(
        'incidents',
      );
      id = incidents.find(({ subject, state }) => subject === 'catalog' && state === 'open')?.id;
      return id !== undefined;
    },
    30_000,
    500,
  );
  return id ?? 'none';
}
