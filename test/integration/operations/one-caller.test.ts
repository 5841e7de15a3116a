import { startSourceGateway, type SourceGateway } from '../../support/gateway/start-gateway.ts';
import {
  fragileSource,
  fragileUsers,
  startFragileUpstream,
} from '../../support/upstream/fragile-upstream.ts';
import { type ScriptedUpstream, serving, startUpstream } from '../../support/upstream/scripted-upstream.ts';
import { endAfterTest } from '../../support/jest/lifetime.ts';

let upstream: ScriptedUpstream;
let gateway: SourceGateway;

const CALLS = 20;

async function start(net = ''): Promise<void> {
  upstream = endAfterTest(await startFragileUpstream());
  gateway = endAfterTest(
    await startSourceGateway(fragileSource('fragile', upstream.origin, `breaker: { open: 60s }, ${net}`)),
  );
}

/** Asks for so many users whose ids the source fails at: 500. */
async function askOddly(count: number): Promise<ReadonlySet<number>> {
  const statuses = new Set<number>();
  for (let n = 0; n < count; n += 1) statuses.add((await gateway.get(`/v1/users/user_a~27${n}`)).status);
  return statuses;
}

async function askWell(): Promise<readonly number[]> {
  const paths = [...fragileUsers.map((id) => `/v1/users/${id}`), '/v1/users', '/v1/products?category=Toys'];
  return Promise.all(paths.map(async (path) => (await gateway.get(path)).status));
}

const codeOf = async (path: string) =>
  ((await (await gateway.get(path)).json()) as { error?: { code: string } }).error?.code;

describe('the breaker of a source that fails at the odd values of one caller', () => {
  it('stays closed for others, even where nobody has asked anything else yet', async () => {
    await start();
    expect(await askOddly(10 * CALLS)).toEqual(new Set([502]));
    expect(new Set(await askWell())).toEqual(new Set([200]));
    expect(await gateway.counted('portico_breaker_state', 'source="fragile"')).toBe(0);
  });

  it('asks the source one question of its own in the time that the breaker would be open', async () => {
    await start();
    await askOddly(10 * CALLS);
    expect(upstream.requests.filter(({ path }) => path === '/users')).toHaveLength(1);
  });

  it('opens where the source is dead, and only one question is asked of it', async () => {
    await start();
    upstream.become(serving(() => ({ status: 500, body: {} })));
    const codes: unknown[] = [];
    for (let n = 0; n < CALLS + 5; n += 1) codes.push(await codeOf('/v1/users/user_ada'));
    expect(codes.slice(0, CALLS)).toEqual(Array(CALLS).fill('upstream_error'));
    expect(codes.at(-1)).toBe('upstream_unavailable');
  });

  it('opens where the source dies among the odd values', async () => {
    await start();
    await askOddly(5);
    expect(new Set(await askWell())).toEqual(new Set([200]));
    await upstream.down();
    for (let n = 0; n < 2 * CALLS; n += 1) await codeOf(`/v1/users/user_x${n}`);
    expect(await codeOf('/v1/users/user_ada')).toBe('upstream_unavailable');
    await upstream.up();
  });

  it('leaves no host out that answers the health probe', async () => {
    const other = endAfterTest(await startUpstream());
    await start(`otherUrls: ['${other.origin}'], outliers: { failures: 3 }`);
    other.become(serving(() => ({ status: 500, body: {} })));
    await askOddly(4 * CALLS);
    const ejected = (host: ScriptedUpstream) =>
      gateway.counted('portico_host_events_total', `host="127.0.0.1:${host.port}"`, 'event="ejected"');
    expect(await ejected(upstream)).toBe(0);
    expect(await ejected(other)).toBeGreaterThan(0);
  });
});
