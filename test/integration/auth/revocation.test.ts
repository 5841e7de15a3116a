import { mintKey, revokeKey, rotateKey } from '../../../src/pipeline/stages/authentication/key-changes.ts';
import { bearerCall } from '../../support/pipeline/call.ts';
import { openAdmission, PEPPER } from '../../support/gateway/admission.ts';
import { createManualClock } from '../../support/time/manual-clock.ts';
import { useRedis } from '../../support/redis/redis-server.ts';
import { startForEach } from '../../support/jest/lifetime.ts';

const terms = { label: 'CRM', permissions: ['users:read'], tier: 'standard' };

describe('two gateways on one Redis', () => {
  const shared = useRedis();
  const clock = createManualClock();
  const open = () => openAdmission({ ...shared, clock });
  const gates = startForEach(() => Promise.all([open(), open()]));

  const statuses = (key: string) => Promise.all(gates.map((gate) => gate.statusOf(bearerCall(key))));
  const mint = () => mintKey(PEPPER, clock.now(), terms);

  it('both accept a key that was stored through one', async () => {
    const { key, record } = mint();
    expect(await gates[0].store.create(record)).toBe(true);
    expect(await statuses(key)).toEqual([200, 200]);
  });

  it('both accept a new key within a second, even where it was asked for before it existed', async () => {
    const { key, record } = mint();
    expect(await statuses(key)).toEqual([401, 401]);
    await gates[0].store.create(record);
    clock.advance(999);
    expect(await statuses(key)).toEqual([200, 200]);
  });

  it('both refuse within a second a key that was revoked through one', async () => {
    const { key, record } = mint();
    await gates[0].store.create(record);
    expect(await statuses(key)).toEqual([200, 200]);
    await revokeKey(gates[0].store, record.id, clock.now());
    clock.advance(999);
    expect(await statuses(key)).toEqual([401, 401]);
  });

  it('refuse a revoked key within a second under constant use', async () => {
    const [gate] = gates;
    const { key, record } = mint();
    await gate.store.create(record);
    expect(await gate.statusOf(bearerCall(key))).toBe(200);
    await revokeKey(gate.store, record.id, clock.now());
    const revokedAt = clock.monotonic();
    while ((await gate.statusOf(bearerCall(key))) === 200) clock.advance(30);
    expect(clock.monotonic() - revokedAt).toBeLessThan(1_000);
    expect(await gate.statusOf(bearerCall(key))).toBe(401);
  });

  it('accept both secrets of a rotated key until the overlap ends, then only the new one', async () => {
    const { key: old, record } = mint();
    await gates[0].store.create(record);
    expect(await statuses(old)).toEqual([200, 200]);
    const { key } = await rotateKey(gates[0].store, record.id, PEPPER, clock.now(), 60_000);
    expect(key).not.toBe(old);
    clock.advance(999);
    expect([...(await statuses(old)), ...(await statuses(key))]).toEqual([200, 200, 200, 200]);
    clock.advance(60_000 - 999);
    expect([...(await statuses(old)), ...(await statuses(key))]).toEqual([401, 401, 200, 200]);
  });

  it('refuse a key at the moment it expires', async () => {
    const { key, record } = mintKey(PEPPER, clock.now(), { ...terms, expiresInMs: 300 });
    await gates[0].store.create(record);
    expect(await statuses(key)).toEqual([200, 200]);
    clock.advance(300);
    expect(await statuses(key)).toEqual([401, 401]);
  });

  it('count one caller together, whichever gateway it asks', async () => {
    const limits = { tiers: { standard: { windows: ['10 per 60s', '500 per 1h'] } } };
    const limited = await Promise.all([1, 2].map(() => openAdmission({ ...shared, clock, limits })));
    gates.push(...limited);
    const { key, record } = mint();
    await gates[0].store.create(record);
    const calls = Array.from({ length: 30 }, (_, index) => limited[index % 2]!.statusOf(bearerCall(key)));
    const answers = await Promise.all(calls);
    expect(answers.filter((status) => status === 200)).toHaveLength(10);
    expect(answers.filter((status) => status === 429)).toHaveLength(20);
  });

  it('answer 503 to a key whose record is damaged, and never accept it', async () => {
    const [gate] = gates;
    const { key, record } = mint();
    await gate.store.create(record);
    const name = (await gate.redis.client.keys(`${shared.prefix}*${record.id}`))[0]!;
    const whole = (await gate.redis.client.get(name))!;
    for (const damaged of [
      '',
      'null',
      whole.slice(0, -1),
      whole.replace('"version":1', '"version":9'),
      '{"id":1}',
    ]) {
      await gate.redis.client.set(name, damaged);
      clock.advance(1_000);
      expect(await statuses(key)).toEqual([503, 503]);
    }
    await gate.redis.client.del(name);
    await gate.redis.client.rpush(name, whole);
    clock.advance(1_000);
    expect(await statuses(key)).toEqual([503, 503]);
  });
});
