import { serving, startUpstream } from '../support/upstream/scripted-upstream.ts';
import { crmCard } from '../support/upstream/scripts.ts';
import { eventually } from '../support/time/eventually.ts';
import { checkedFetch } from '../support/client/openapi-check.ts';
import { type GatewayProcess, startGatewayProcess } from '../support/gateway/gateway-process.ts';
import { startRedis } from '../support/redis/redis-server.ts';
import { copyConfig } from '../support/gateway/config-copy.ts';
import { startForAll } from '../support/jest/lifetime.ts';

const FRESH_MS = 1_000;
const REVALIDATE_MS = 1_000;
const IF_ERROR_MS = 3_000;

/** The user service with a first name for everybody. */
const naming = (given: string) => serving(({ query }) => ({ body: crmCard(query, given) }));

type Answer = {
  readonly status: number;
  readonly age: number;
  readonly cacheStatus: string | null;
  /** A user's name, or the code of an error. */
  readonly said: string;
  /** Between these moments it was made, milliseconds since the epoch. */
  readonly from: number;
  readonly to: number;
};

async function ask({ url }: GatewayProcess): Promise<Answer> {
  const from = Date.now();
  const response = await checkedFetch(`${url}/v1/users/user_7`, {});
  const body = (await response.json()) as { data?: { name: string }; error?: { code: string } };
  return {
    status: response.status,
    age: Number(response.headers.get('age')),
    cacheStatus: response.headers.get('cache-status'),
    said: body.data?.name ?? body.error?.code ?? '',
    from,
    to: Date.now(),
  };
}

/** Asks again and again until the gateway has nothing more to give. */
async function askUntilError(gateway: GatewayProcess): Promise<readonly Answer[]> {
  const answers: Answer[] = [];
  async function isOver(): Promise<boolean> {
    const answer = await ask(gateway);
    answers.push(answer);
    return answer.status !== 200;
  }
  await eventually(isOver, { everyMs: 40 });
  return answers;
}

function askUntilServed(gateway: GatewayProcess): Promise<Answer> {
  return eventually(async () => {
    const answer = await ask(gateway);
    if (answer.status === 200) return answer;
    expect([answer.status, answer.said]).toEqual([503, 'upstream_unavailable']);
    return undefined;
  });
}

const users = startForAll(() => startUpstream(naming('Old')));
const redis = startForAll(startRedis);
const config = startForAll(copyConfig);
beforeAll(() => {
  // A busy machine must not look like a Redis that has gone.
  config.useGenerousTimeouts();
  const cache = 'fresh: 1s, staleWhileRevalidate: 1s, staleIfError: 3s';
  config.edit('portico.yaml', 'source: crm\n', 'source: crm\n    public: true\n');
  config.edit('portico.yaml', 'cache: { fresh: 10s,', `cache: { ${cache},`);
  // The service is asked again as soon as it is back.
  config.edit('sources/crm.yaml', 'concurrency: 8', 'concurrency: 8\n  breaker: { open: 20ms }');
  config.edit('portico.yaml', '20 per 1s, 600 per 60s', '100000 per 60s');
  config.edit('portico.yaml', 'resources:', 'cache: { jitter: 0 }\n\nresources:');
});
const gateways = startForAll(() => {
  const env = { USERS_URL: users.origin };
  const onRedis = { ...env, REDIS_URL: redis.url };
  return Promise.all([env, onRedis, onRedis].map((own) => startGatewayProcess(own, config.file)));
});

describe('a user service that dies after it has answered', () => {
  let first: readonly Answer[];
  let since: readonly (readonly Answer[])[];
  let back: readonly Answer[];
  beforeAll(async () => {
    const [alone, reader, other] = gateways as [GatewayProcess, GatewayProcess, GatewayProcess];
    const [kept, shared] = await Promise.all([ask(alone), ask(reader)]);
    // What the reader has brought, the other process on its Redis has, too.
    first = [kept, shared, shared];
    await users.down();
    since = await Promise.all([alone, reader, other].map(askUntilError));
    users.become(naming('New'));
    await users.up();
    // The breaker lets somebody look again in a moment.
    back = await Promise.all(gateways.map(askUntilServed));
  });

  it.each([
    ['alone', 0],
    ['on Redis', 1],
    ['on Redis, by a process that never reached the service', 2],
  ])('is replaced by stale answers, %s, until the stated second, and by 503 afterwards', (_, at) => {
    const { from: storedFrom, to: storedTo } = first[at] as Answer;
    const answers = since[at] ?? [];
    expect(first[at]).toMatchObject({ status: 200, said: 'Old X', cacheStatus: 'portico; fwd=miss' });
    expect(answers.map(({ cacheStatus }) => cacheStatus)).toContain('portico; fwd=stale');
    for (const answer of answers) {
      // How old the record was at least, and at most, when the answer was made.
      const [least, most] = [answer.from - storedTo, answer.to - storedFrom];
      if (answer.status === 200) {
        expect(answer.said).toBe('Old X');
        expect(least).toBeLessThan(FRESH_MS + Math.max(REVALIDATE_MS, IF_ERROR_MS));
        expect(answer.age).toBeGreaterThanOrEqual(Math.floor(least / 1_000));
        expect(answer.age).toBeLessThanOrEqual(Math.floor(most / 1_000));
        if (most < FRESH_MS) expect(answer.cacheStatus).toBe('portico; hit');
        if (least >= FRESH_MS) expect(answer.cacheStatus).toBe('portico; fwd=stale');
      } else {
        expect([answer.status, answer.said]).toEqual([503, 'upstream_unavailable']);
        expect(most).toBeGreaterThanOrEqual(FRESH_MS + Math.max(REVALIDATE_MS, IF_ERROR_MS));
      }
    }
  });

  it('is called again once it is back', () => {
    for (const answer of back) expect(answer).toMatchObject({ status: 200, said: 'New X' });
    expect(back[0]).toMatchObject({ cacheStatus: 'portico; fwd=miss', age: 0 });
  });
});
