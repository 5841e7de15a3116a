import { type ScriptedUpstream, startUpstream } from '../../support/upstream/scripted-upstream.ts';
import { connectRaw, type RawAnswer, request } from '../../support/client/raw-client.ts';
import { KEY, type Stack, startStack } from '../../support/gateway/stack.ts';
import { endAfterTest } from '../../support/jest/lifetime.ts';

/** So many calls open a breaker, more than go out at once. */
const CALLS = 6;

let upstream: ScriptedUpstream;
let stack: Stack;

/** A gateway in front of users that hang; its callers wait for much less than a call may take. */
async function startHanging(deadline: number) {
  upstream = endAfterTest(await startUpstream(() => undefined));
  stack = endAfterTest(
    await startStack({
      upstream: upstream.origin,
      configure({ resources }, sources) {
        if (resources.users !== undefined) resources.users.deadline = deadline;
        for (const { net } of sources) {
          net.concurrency = 2;
          net.timeout = 60_000;
          Object.assign(net.breaker, { calls: CALLS, open: 600_000, window: 600_000 });
        }
      },
    }),
  );
}

let lastId = 0;

async function ask() {
  const client = await connectRaw(stack.port);
  lastId += 1;
  client.send(request('GET', `/v1/users/user_${lastId}`, [`X-API-Key: ${KEY}`]));
  return client;
}

const codeOf = ({ body }: RawAnswer) =>
  (JSON.parse(body.toString()) as { error: { code: string } }).error.code;
const breakerLines = () => stack.log.filter((line) => line.includes('"breaker":"open"'));

describe("a source that hangs longer than its callers' deadlines", () => {
  it('opens the breaker once enough callers have waited or queued until their deadline', async () => {
    await startHanging(200);
    const clients = await Promise.all(Array.from({ length: CALLS }, ask));
    const codes = await Promise.all(clients.map(async (client) => codeOf(await client.answer())));
    // Those that queued for the two places may have had no time left to be asked for: then others are.
    expect(new Set(codes)).toEqual(new Set(['upstream_timeout']));
    for (;;) {
      const client = await ask();
      const code = codeOf(await client.answer());
      client.close();
      if (code === 'upstream_unavailable') break;
      expect(code).toBe('upstream_timeout');
    }
    expect(breakerLines()).toHaveLength(1);
    for (const client of clients) client.close();
  });

  it('does not open the breaker by clients that leave before their deadline', async () => {
    await startHanging(600_000);
    for (let round = 0; round < CALLS; round += 1) {
      const clients = await Promise.all([ask(), ask()]);
      await upstream.connected(2 * (round + 1));
      for (const client of clients) client.close();
      await upstream.disconnected();
    }
    const client = await ask();
    await upstream.connected(2 * CALLS + 1);
    client.close();
    expect(breakerLines()).toEqual([]);
  });
});

describe('a source whose calls may take longer than a scan', () => {
  it('is 504 upstream_timeout where it hangs: a larger budget would not help', async () => {
    upstream = endAfterTest(await startUpstream(() => undefined));
    stack = endAfterTest(
      await startStack({
        upstream: upstream.origin,
        configure(_config, sources) {
          for (const { net, budget } of sources) {
            net.timeout = 60_000;
            budget.time = 200;
          }
        },
      }),
    );
    for (const path of ['/v1/users?sort=name', '/v1/products?min_price=1']) {
      const response = await stack.get(path);
      const { error } = (await response.json()) as { error: { code: string } };
      expect([response.status, error.code]).toEqual([504, 'upstream_timeout']);
    }
  });
});
