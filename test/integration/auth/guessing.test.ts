import { Redis } from 'ioredis';
import { mintKey } from '../../../src/pipeline/stages/authentication/key-changes.ts';
import { newApiKey, newKeyId, parseApiKey } from '../../../src/pipeline/stages/authentication/api-key.ts';
import { bearerCall, createCall } from '../../support/pipeline/call.ts';
import { openAdmission, PEPPER } from '../../support/gateway/admission.ts';
import { createManualClock } from '../../support/time/manual-clock.ts';
import { startRedis } from '../../support/redis/redis-server.ts';
import { startForEach } from '../../support/jest/lifetime.ts';

const limits = { failedCredentials: '20 per 1h', tiers: { standard: { windows: ['100000 per 60s'] } } };

describe('a client that guesses keys', () => {
  // A Redis that nobody else uses, because its commands are counted.
  const server = startForEach(startRedis);
  const counter = startForEach(() => new Redis(server.url));
  const gates = startForEach(async () => {
    // Time stands still, so that nothing known is looked up again.
    const settings = { url: server.url, prefix: 'portico:', limits, clock: createManualClock() };
    return [await openAdmission(settings), await openAdmission(settings)];
  });

  const guess = () => bearerCall(newApiKey(newKeyId()));
  const addressOf = (n: number) => ({ request: { address: `10.0.${n >> 8}.${n & 255}` } });

  /** How often Redis was asked for keys (GET), and was told of failures or limits (one script). */
  async function asked() {
    const stats = await counter.info('commandstats');
    const calls = (command: string) =>
      Number(new RegExp(`cmdstat_${command}:calls=(\\d+)`).exec(stats)?.[1] ?? 0);
    return { lookups: calls('get'), scripts: calls('evalsha') + calls('eval') };
  }

  async function storedKey(): Promise<string> {
    const terms = { label: '', permissions: ['users:read'], tier: 'standard' };
    const { key, record } = mintKey(PEPPER, Date.now(), terms);
    await gates[0]!.store.create(record);
    return key;
  }

  it('is answered 429 on all gateways once one address has failed too often, at little cost to Redis, while a known caller is served', async () => {
    const key = await storedKey();
    for (const gate of gates) expect(await gate.statusOf(bearerCall(key))).toBe(200);

    const answers: number[] = [];
    for (let round = 0; round < 200; round += 1) answers.push(await gates[round % 2]!.statusOf(guess()));
    const tried = answers.filter((status) => status === 401).length;
    expect(answers.filter((status) => status === 429)).toHaveLength(200 - tried);
    // Each gateway learns from a failure of its own that the window is spent.
    expect(tried).toBeGreaterThanOrEqual(20);
    expect(tried).toBeLessThanOrEqual(22);

    const before = await asked();
    for (let round = 0; round < 1_000; round += 1)
      expect(await gates[round % 2]!.statusOf(guess())).toBe(429);
    expect(await asked()).toEqual(before);
    for (const gate of gates) expect(await gate.statusOf(bearerCall(key))).toBe(200);
  });

  it('blocks the whole IPv6 /64 of its address, and no other address', async () => {
    const from = (address: string) =>
      gates[0]!.statusOf(bearerCall(newApiKey(newKeyId()), { request: { address } }));
    for (let round = 0; round < 20; round += 1)
      expect(await from(`2001:db8:0:1::${round.toString(16)}`)).toBe(401);
    expect(await from('2001:db8:0:1:ffff::1')).toBe(429);
    expect(await from('2001:db8:0:2::1')).toBe(401);
  });

  it('costs one look-up in Redis for one id from many addresses, and its owner nothing', async () => {
    const [gate] = gates;
    const key = await storedKey();
    const id = parseApiKey(key)!.id;
    const before = await asked();
    const answers: number[] = [];
    for (let n = 0; n < 500; n += 1)
      answers.push(await gate!.statusOf(bearerCall(newApiKey(id), addressOf(n))));
    expect(answers).toEqual([...Array<number>(20).fill(401), ...Array<number>(480).fill(429)]);
    const { lookups, scripts } = await asked();
    expect([lookups - before.lookups, scripts - before.scripts]).toEqual([1, 20]);
    expect(await gate!.statusOf(bearerCall(key, addressOf(0)))).toBe(200);
    expect((await asked()).lookups).toBe(lookups);
  });

  it('costs a bounded number of Redis commands for new ids from ever new addresses', async () => {
    const [gate] = gates;
    const key = await storedKey();
    expect(await gate!.statusOf(bearerCall(key))).toBe(200);
    const before = await asked();
    const answers: number[] = [];
    for (let n = 0; n < 2_000; n += 1)
      answers.push(await gate!.statusOf(bearerCall(newApiKey(newKeyId()), addressOf(n))));
    expect(answers.filter((status) => status === 401)).toHaveLength(1_000);
    expect(answers.filter((status) => status === 429)).toHaveLength(1_000);
    const { lookups, scripts } = await asked();
    expect([lookups - before.lookups, scripts - before.scripts]).toEqual([1_000, 1_000]);
    expect(await gate!.statusOf(bearerCall(key))).toBe(200);
  });

  it('causes no Redis command by a key whose checksum is wrong', async () => {
    const key = newApiKey(newKeyId());
    const mistyped = key.slice(0, -1) + (key.endsWith('0') ? '1' : '0');
    const { lookups: before } = await asked();
    for (const request of [{ authorization: [`Bearer ${mistyped}`] }, { apiKey: [mistyped] }]) {
      expect(await gates[0]!.statusOf(createCall({ request }))).toBe(401);
    }
    expect((await asked()).lookups).toBe(before);
  });
});
