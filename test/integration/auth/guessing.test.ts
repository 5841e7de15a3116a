import { mintKey } from '../../../src/cli/key-changes.ts';
import { newApiKey, newKeyId } from '../../../src/policy/api-key.ts';
import { bearerCall, createCall } from '../../support/call.ts';
import { type Gate, openGate, PEPPER } from '../../support/gate.ts';
import { type RedisServer, startRedis } from '../../support/redis.ts';

const limits = { failedCredentials: '20 per 60s', tiers: { standard: { windows: ['100000 per 60s'] } } };

describe('guessing keys from one address', () => {
  let server: RedisServer;
  let gates: Gate[] = [];

  beforeEach(async () => {
    // A Redis that nobody else uses, because its commands are counted.
    server = await startRedis();
    const settings = { url: server.url, prefix: 'portico:', limits };
    gates = [await openGate(settings), await openGate(settings)];
  });
  afterEach(async () => {
    await Promise.all(gates.map((gate) => gate.close()));
    await server.stop();
  });

  const guess = () => bearerCall(newApiKey(newKeyId()));

  /** How many GETs Redis has run. */
  async function lookups(): Promise<number> {
    const stats = await gates[0]!.redis.client.info('commandstats');
    return Number(/cmdstat_get:calls=(\d+)/.exec(stats)?.[1] ?? 0);
  }

  it('is cut off over all gateways together, at little cost to Redis, while a known caller is served', async () => {
    const { key, record } = mintKey(PEPPER, Date.now(), {
      label: '',
      permissions: ['users:read'],
      tier: 'standard',
    });
    await gates[0]!.store.create(record);
    for (const gate of gates) expect(await gate.statusOf(bearerCall(key))).toBe(200);

    const answers: number[] = [];
    for (let round = 0; round < 200; round += 1) answers.push(await gates[round % 2]!.statusOf(guess()));
    const tried = answers.filter((status) => status === 401).length;
    expect(answers.filter((status) => status === 429)).toHaveLength(200 - tried);
    // Each gateway learns from a failure of its own that the window is spent.
    expect(tried).toBeGreaterThanOrEqual(20);
    expect(tried).toBeLessThanOrEqual(22);

    const before = await lookups();
    for (let round = 0; round < 1_000; round += 1)
      expect(await gates[round % 2]!.statusOf(guess())).toBe(429);
    // What remains are the checks of the known key.
    expect((await lookups()) - before).toBeLessThan(20);
    for (const gate of gates) expect(await gate.statusOf(bearerCall(key))).toBe(200);
  });

  it('does not spread to the rest of the internet, but does to the rest of an IPv6 customer', async () => {
    const from = (address: string) =>
      gates[0]!.statusOf(bearerCall(newApiKey(newKeyId()), { request: { address } }));
    for (let round = 0; round < 20; round += 1)
      expect(await from(`2001:db8:0:1::${round.toString(16)}`)).toBe(401);
    expect(await from('2001:db8:0:1:ffff::1')).toBe(429);
    expect(await from('2001:db8:0:2::1')).toBe(401);
  });

  it('never asks Redis about a key whose checksum fails', async () => {
    const key = newApiKey(newKeyId());
    const mistyped = key.slice(0, -1) + (key.endsWith('0') ? '1' : '0');
    const before = await lookups();
    for (const request of [{ authorization: [`Bearer ${mistyped}`] }, { apiKey: [mistyped] }]) {
      expect(await gates[0]!.statusOf(createCall({ request }))).toBe(401);
    }
    // Two GETs are the limiter's, inside its script.
    expect((await lookups()) - before).toBeLessThanOrEqual(2);
  });
});
