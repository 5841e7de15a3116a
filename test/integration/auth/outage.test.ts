import { mintKey } from '../../../src/pipeline/stages/authentication/key-changes.ts';
import { newApiKey, newKeyId } from '../../../src/pipeline/stages/authentication/api-key.ts';
import { bearerCall } from '../../support/pipeline/call.ts';
import { type RunningAdmission, openAdmission, PEPPER, storeKey } from '../../support/gateway/admission.ts';
import { createManualClock } from '../../support/time/manual-clock.ts';
import { startRedis } from '../../support/redis/redis-server.ts';
import { PATIENCE_MS } from '../../support/gateway/generous-timeouts.ts';
import { endAfterTest, startForEach } from '../../support/jest/lifetime.ts';

const limits = {
  tiers: {
    open: { windows: ['5 per 60s'] },
    closed: { windows: ['5 per 60s'], onStoreFailure: 'closed' },
    trial: { windows: ['5 per 60s'], onStoreFailure: 'closed', dryRun: true },
    standard: { windows: ['1000 per 1s'] },
  },
};

/** How long a command may take where Redis hangs in the end: before that, a busy machine must not look like it. */
const HUNG_MS = 2_000;

describe('while Redis fails', () => {
  let gate: RunningAdmission;

  const settings = () => ({
    url: server.url,
    prefix: 'portico:',
    clock,
    limits,
  });

  const server = startForEach(startRedis);
  const clock = startForEach(createManualClock);
  beforeEach(async () => {
    gate = await openAdmission(settings());
  });
  /** Has the gate wait for Redis no longer than it must where that hangs. */
  async function reopenWithShortTimeout(): Promise<void> {
    await gate.close();
    gate = await openAdmission({ ...settings(), commandTimeoutMs: HUNG_MS });
  }
  afterEach(async () => {
    await gate.close();
  });

  async function newKey(tier: string): Promise<string> {
    const { key, record } = mintKey(PEPPER, clock.now(), { label: '', permissions: ['users:read'], tier });
    await storeKey(settings(), record);
    return key;
  }

  const ask = (key: string) => gate.statusOf(bearerCall(key));
  const stranger = () => newApiKey(newKeyId());
  const down = () => new Promise((resolve) => gate.redis.client.once('close', resolve));

  it.each<[string, () => Promise<void>]>([
    ['killed', () => Promise.all([down(), server.kill()]).then(() => undefined)],
    ['hung', () => server.pause()],
  ])(
    '%s: serves the keys it knows for a minute, answers 503 for all others, never 401',
    async (how, fail) => {
      if (how === 'hung') await reopenWithShortTimeout();
      const key = await newKey('standard');
      expect(await ask(key)).toBe(200);
      await fail();
      for (const passed of [0, 500, 1_000, 58_499]) {
        clock.advance(passed);
        expect(await ask(key)).toBe(200);
        expect(await ask(stranger())).toBe(503);
      }
      clock.advance(2);
      expect(await ask(key)).toBe(503);
      expect(gate.metricEvents.filter((words) => words.includes('refused'))).toEqual([]);
    },
  );

  it('answers while Redis hangs', async () => {
    await reopenWithShortTimeout();
    const key = await newKey('standard');
    await ask(key);
    await server.pause();
    clock.advance(1_000);
    expect(await ask(key)).toBe(200);
  });

  it('uses Redis again once it is back', async () => {
    const key = await newKey('standard');
    await Promise.all([down(), server.kill()]);
    expect(await ask(stranger())).toBe(503);
    await server.restart();
    expect(await gate.redis.untilReady(PATIENCE_MS)).toBe(true);
    // The restarted Redis is empty: the key is gone, and that is now known.
    clock.advance(1_000);
    expect(await ask(key)).toBe(401);
    expect(await ask(await newKey('standard'))).toBe(200);
    expect(gate.metricEvents).toContain('standard admitted redis');
  });

  it('works again after Redis has hung for a while', async () => {
    await reopenWithShortTimeout();
    const key = await newKey('standard');
    await ask(key);
    await server.pause();
    expect(await ask(stranger())).toBe(503);
    server.resume();
    const unknown = stranger();
    while ((await ask(unknown)) === 503) expect(await gate.redis.untilReady(PATIENCE_MS)).toBe(true);
    expect(await ask(unknown)).toBe(401);
    expect(await ask(key)).toBe(200);
  });

  it('keeps a local share of an open limit, and answers 503 for a closed one', async () => {
    const [open, closed] = [await newKey('open'), await newKey('closed')];
    expect([await ask(open), await ask(closed)]).toEqual([200, 200]);
    await Promise.all([down(), server.kill()]);
    const answers = [];
    for (let round = 0; round < 8; round += 1) answers.push(await ask(open));
    expect(answers).toEqual([200, 200, 200, 200, 200, 429, 429, 429]);
    expect(await ask(closed)).toBe(503);
    expect(gate.metricEvents).toContain('open admitted local');
    expect(gate.metricEvents).toContain('closed unavailable unavailable');
  });

  it('refuses nothing in a dry run, even where the limit fails closed, and reports what it would refuse', async () => {
    const trial = await newKey('trial');
    expect(await ask(trial)).toBe(200);
    await Promise.all([down(), server.kill()]);
    for (let round = 0; round < 8; round += 1) expect(await ask(trial)).toBe(200);
    expect(gate.metricEvents.filter((words) => words === 'trial would_refuse unavailable')).toHaveLength(8);
  });

  it('warns once per outage, however many requests there are, and logs its end', async () => {
    for (const outage of [1, 2]) {
      await Promise.all([down(), server.kill()]);
      await Promise.all(Array.from({ length: 200 }, () => ask(stranger())));
      await server.restart();
      expect(await gate.redis.untilReady(PATIENCE_MS)).toBe(true);
      expect(gate.log.filter((line) => line.includes('out of reach'))).toHaveLength(outage);
      expect(gate.log.filter((line) => line.includes('Redis is back'))).toHaveLength(outage);
    }
  });

  it('starts without Redis, and uses it once it is there', async () => {
    await server.kill();
    const early = endAfterTest(await openAdmission({ ...settings(), waitForRedis: false }));
    expect(await early.redis.untilReady(200)).toBe(false);
    expect(await early.statusOf(bearerCall(stranger()))).toBe(503);
    await server.restart();
    expect(await early.redis.untilReady(PATIENCE_MS)).toBe(true);
    expect(await early.statusOf(bearerCall(stranger()))).toBe(401);
  });
});
