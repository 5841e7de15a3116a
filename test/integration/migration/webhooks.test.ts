import { createHmac } from 'node:crypto';
import { systemClock } from '../../../src/kernel/clock.ts';
import { Secret } from '../../../src/kernel/secret.ts';
import { createWebhooks } from '../../../src/migration/notify/webhooks.ts';
import { eventually } from '../../support/time/eventually.ts';

import { serving, startUpstream, type UpstreamRequest } from '../../support/upstream/scripted-upstream.ts';

const closing: (() => unknown)[] = [];
const event = {
  type: 'migration.held',
  resource: 'users',
  position: 'ramp:5',
  rev: 7,
  reason: 'slow',
} as const;

afterEach(async () => {
  await Promise.all(closing.splice(0).map((close) => close()));
});

/** Webhooks to a receiver that answers these in turn, then 204. */
async function open(...statuses: readonly number[]) {
  const received: UpstreamRequest[] = [];
  const left = [...statuses];
  const warned: unknown[] = [];
  const receiver = await startUpstream(
    serving((request) => {
      received.push(request);
      return { status: left.shift() ?? 204, body: {} };
    }),
  );
  const webhooks = createWebhooks({
    clock: systemClock,
    log: { warn: (fields: unknown) => void warned.push(fields) },
    wait: () => Promise.resolve(),
  });
  closing.push(() => webhooks.close());
  closing.push(() => receiver.close());
  webhooks.send({ url: `${receiver.origin}/hook`, secret: new Secret('of the test') }, event);
  return { received, warned };
}

describe('a webhook', () => {
  test('is signed, so that its receiver knows who has sent it', async () => {
    const { received } = await open();
    const { method, path, headers, body } = await eventually(() => received[0]);
    expect([method, path]).toEqual(['POST', '/hook']);
    const text = body;
    const signed = `${String(headers['webhook-id'])}.${String(headers['webhook-timestamp'])}.${text}`;
    expect(headers['webhook-signature']).toBe(
      `v1,${createHmac('sha256', 'of the test').update(signed).digest('base64')}`,
    );
    expect(JSON.parse(text)).toMatchObject({
      type: 'migration.held',
      data: { resource: 'users', position: 'ramp:5', rev: 7, reason: 'slow' },
    });
  });

  test('is sent again under the same id where it was not taken', async () => {
    const { received } = await open(500, 503);
    await eventually(() => received.length === 3);
    expect(new Set(received.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
  });

  test('that nobody takes is a warning, after four attempts', async () => {
    const { received, warned } = await open(500, 500, 500, 500, 500);
    await eventually(() => warned.length === 1);
    expect(received).toHaveLength(4);
    expect(warned).toEqual([
      expect.objectContaining({ type: 'migration.held', problem: 'answered with status 500' }),
    ]);
  });
});
