import { createHmac } from 'node:crypto';
import { webhookEvents } from '../../../src/config/schema/telemetry.ts';
import { systemClock } from '../../../src/kernel/clock.ts';
import { Secret } from '../../../src/kernel/secret.ts';
import { openWebhooks } from '../../../src/gateway/reload/open-webhooks.ts';
import type { WebhookEvent } from '../../../src/telemetry/webhooks/webhook-message.ts';
import { eventually } from '../../support/time/eventually.ts';
import { serving, startUpstream, type UpstreamRequest } from '../../support/upstream/scripted-upstream.ts';
import { endAfterTest } from '../../support/jest/lifetime.ts';

const held = (subject: string, number = 0): WebhookEvent => {
  return { type: 'migration.held', subject, data: { number, reason: 'slow' } };
};

/** Webhooks to a receiver whose answers have the statuses that `statusOf` gives them; `undefined`: it hangs. */
async function open(statusOf: (request: UpstreamRequest) => number | undefined, events = [...webhookEvents]) {
  const received: UpstreamRequest[] = [];
  const warned: unknown[] = [];
  const counts: Record<string, number> = {};
  let waiting = () => 0;
  const receiver = await startUpstream(
    serving((request) => {
      received.push(request);
      const status = statusOf(request);
      return status === undefined ? undefined : { status, body: {} };
    }),
  );
  endAfterTest(receiver);
  const webhooks = endAfterTest(
    openWebhooks({
      targets: () => [{ url: `${receiver.origin}/hook`, secret: new Secret('of the test'), events }],
      clock: systemClock,
      instance: 'host:1',
      log: { warn: (fields: unknown) => void warned.push(fields) },
      metrics: {
        webhook: (_event, outcome) => void (counts[outcome] = (counts[outcome] ?? 0) + 1),
        watchWebhooks: (next) => void (waiting = next),
      },
      ...{ retriesMs: [1, 1, 1], timeoutMs: 300 },
    }),
  );
  const numbers = () =>
    received.map(({ body }) => (JSON.parse(body) as { data: { number: number } }).data.number);
  return { ...webhooks, received, warned, counts, numbers, waiting: () => waiting() };
}

describe('a webhook', () => {
  test('is signed, so that its receiver knows who has sent it', async () => {
    const { received, tell } = await open(() => 204);
    tell(held('migration:users'));
    const { method, path, headers, body } = await eventually(() => received[0]);
    expect([method, path]).toEqual(['POST', '/hook']);
    const signed = `${String(headers['webhook-id'])}.${String(headers['webhook-timestamp'])}.${body}`;
    const signature = createHmac('sha256', 'of the test').update(signed).digest('base64');
    expect(headers['webhook-signature']).toBe(`v1,${signature}`);
    const data = { number: 0, reason: 'slow', instance: 'host:1' };
    expect(JSON.parse(body)).toEqual({ type: 'migration.held', timestamp: expect.any(String), data });
  });

  test('is sent again under the same id where it was not taken', async () => {
    const { received, tell, counts } = await open(({ number }) => (number < 3 ? 503 : 200));
    tell(held('migration:users'));
    await eventually(() => counts['delivered'] === 1);
    expect(new Set(received.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
    expect(counts).toEqual({ retried: 2, delivered: 1 });
  });

  test('that nobody takes is counted as dead and is a warning, and the next one of its subject is sent', async () => {
    const { tell, counts, warned, numbers } = await open(({ number }) => (number <= 4 ? 500 : 200));
    tell(held('migration:users', 1));
    tell(held('migration:users', 2));
    await eventually(() => counts['delivered'] === 1);
    expect(numbers()).toEqual([1, 1, 1, 1, 2]);
    expect(counts).toEqual({ retried: 3, dead: 1, delivered: 1 });
    expect(warned).toEqual([
      expect.objectContaining({ type: 'migration.held', problem: 'answered with status 500', dead: 1 }),
    ]);
  });

  test('is not sent again to a receiver that wants nothing any more', async () => {
    const { tell, counts } = await open(() => 410);
    tell(held('migration:users'));
    await eventually(() => counts['dead'] === 1);
    expect(counts).toEqual({ dead: 1 });
  });

  test('that hangs holds up its own subject alone', async () => {
    const { tell, numbers, counts } = await open(({ body }) =>
      body.includes('"number":1,') ? undefined : 200,
    );
    tell(held('breaker:crm', 1));
    tell(held('breaker:crm', 3));
    tell(held('breaker:catalog', 2));
    await eventually(() => counts['delivered'] === 2);
    expect(numbers().slice(0, 2).sort()).toEqual([1, 2]);
    expect(numbers().at(-1)).toBe(3);
    expect(counts).toEqual({ retried: 3, dead: 1, delivered: 2 });
  });

  test('beyond ten thousand that wait is counted as dead at once', async () => {
    const { tell, counts, waiting } = await open(() => undefined);
    for (let number = 0; number < 10_002; number += 1) tell(held('migration:users', number));
    expect([counts['dead'], waiting()]).toEqual([2, 10_000]);
  });

  test('goes to those alone who want events of its type', async () => {
    const { tell, counts, numbers } = await open(() => 200, ['breaker.opened']);
    tell(held('migration:users', 1));
    tell({ type: 'breaker.opened', subject: 'breaker:crm', data: { number: 3 } });
    await eventually(() => counts['delivered'] === 1);
    expect(numbers()).toEqual([3]);
  });

  test('of what all processes see alike is the same message of each', async () => {
    const { tell, received } = await open(() => 200);
    const event: WebhookEvent = { type: 'key.expiring', subject: 'key:a', data: { id: 'a' }, key: 'a 2026' };
    tell(event);
    tell(event);
    await eventually(() => received.length === 2);
    expect(new Set(received.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
    expect(JSON.parse(received[0]!.body)).toMatchObject({ data: { id: 'a' } });
  });
});
