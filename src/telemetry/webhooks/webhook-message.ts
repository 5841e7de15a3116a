import { createHash, createHmac, randomUUID } from 'node:crypto';
import type { GatewayWebhook, WebhookEventType } from '../../config/schema/telemetry.ts';
import { conditionOfEvent } from '../conditions/conditions.ts';

/** An event that operators want to know at once. */
export type WebhookEvent = {
  readonly type: WebhookEventType;
  /** What it is about, such as `breaker:crm`: events of one subject arrive in their order. */
  readonly subject: string;
  /** Numbers, names and the words of operators; never a secret, nor a value of a record. */
  readonly data: Readonly<Record<string, unknown>>;
  /** Several processes may report the same event: with the same key, their receiver gets the same `webhook-id`. */
  readonly key?: string;
};

/** An event as it is sent: the same bytes and the same id at each attempt. */
export type WebhookMessage = { readonly id: string; readonly body: string };

/** Makes the message of an event. */
export function messageOf({ type, data, key }: WebhookEvent, instance: string, now: number): WebhookMessage {
  const id = key === undefined ? randomUUID() : createHash('sha256').update(key).digest('base64url');
  const about = { condition: conditionOfEvent(type), ...data, ...(key === undefined ? { instance } : {}) };
  return {
    id: `msg_${id}`,
    body: JSON.stringify({ type, timestamp: new Date(now).toISOString(), data: about }),
  };
}

/** The headers of Standard Webhooks: with them, the receiver can check the sender and recognise a message that comes twice. */
export function signedHeaders(
  { secret }: Pick<GatewayWebhook, 'secret'>,
  { id, body }: WebhookMessage,
  now: number,
): Readonly<Record<string, string>> {
  const text = secret.reveal();
  const key = text.startsWith('whsec_') ? Buffer.from(text.slice(6), 'base64') : Buffer.from(text);
  const seconds = Math.floor(now / 1_000);
  const signature = createHmac('sha256', key).update(`${id}.${seconds}.${body}`).digest('base64');
  return {
    'Content-Type': 'application/json',
    'webhook-id': id,
    'webhook-timestamp': String(seconds),
    'webhook-signature': `v1,${signature}`,
  };
}
