import {
  type MintedKey,
  mintKey,
  rotateKey,
} from '../../../src/pipeline/stages/authentication/key-changes.ts';
import { newApiKey, newKeyId } from '../../../src/pipeline/stages/authentication/api-key.ts';
import { bearerCall, createCall } from '../../support/pipeline/call.ts';
import { openAdmission, PEPPER } from '../../support/gateway/admission.ts';
import { readRedisValue } from '../../support/redis/read-value.ts';
import { startRedis } from '../../support/redis/redis-server.ts';
import { eventually } from '../../support/time/eventually.ts';

const secretOf = (key: string) => key.split('_')[2]!;

describe('a secret', () => {
  it('is never stored in Redis, logged or put into the metrics, whether it is accepted or refused', async () => {
    const server = await startRedis('--requirepass', 'canary-redis-password');
    const url = server.url.replace('redis://', 'redis://:canary-redis-password@');
    const gate = await openAdmission({
      url,
      prefix: 'portico:',
      limits: { tiers: { standard: { windows: ['3 per 60s'] } } },
    });
    const minted: MintedKey = mintKey(PEPPER, Date.now(), { label: '', permissions: [], tier: 'standard' });
    await gate.store.create(minted.record);
    const rotated = await rotateKey(gate.store, minted.record.id, PEPPER, Date.now(), 60_000);
    const credentials = [
      minted.key,
      rotated.key,
      newApiKey(newKeyId()),
      'canary-company-key',
      'eyJcanary.eyJ.canary',
    ];
    for (const credential of credentials) {
      for (let round = 0; round < 5; round += 1) await gate.statusOf(bearerCall(credential));
      await gate.statusOf(createCall({ request: { apiKey: [credential] } }));
    }

    const client = gate.redis.client;
    const names = await client.keys('*');
    const values = await Promise.all(names.map((name) => readRedisValue(client, name)));
    await server.kill();
    for (const credential of credentials) await gate.statusOf(bearerCall(credential));
    await gate.close();

    // Wrong password: the commonest way for one to end up in a log.
    await server.restart();
    const locked = await openAdmission({
      url: url.replace('password@', 'password-2@'),
      prefix: '',
      waitForRedis: false,
    });
    await eventually(() => locked.log.join().includes('WRONGPASS'));
    await locked.close();
    await server.stop();

    const written = [...names, ...values, ...gate.log, ...gate.metricEvents, ...locked.log].join('\n');
    expect(names.length).toBeGreaterThan(2);
    for (const secret of [
      PEPPER.reveal(),
      secretOf(minted.key),
      secretOf(rotated.key),
      secretOf(credentials[2]!),
      'canary',
    ]) {
      expect(written).not.toContain(secret);
    }
  });
});
