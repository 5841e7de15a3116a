// Makes the messages of webhooks: the body, the id and the signed headers of Standard Webhooks.

import { createHash, createHmac, randomUUID } from 'node:crypto';
import type { GatewayWebhook, WebhookEventType } from '../../config/schema/telemetry.ts';
import { conditionOfEvent } from '../conditions/conditions.ts';

/** An event that operators want to know at once. */
export type WebhookEvent = {
  readonly type: WebhookEventType;
  /** What the event is about, such as `breaker:crm`. Events with the same subject arrive in their order. */
  readonly subject: string;
  /** Numbers, names and texts of operators; never a secret or a value of a record. */
  readonly data: Readonly<Record<string, unknown>>;
  /** If several processes report the same event with the same key, the receiver gets the same `webhook-id` from all. */
  readonly key?: string;
};

/** An event as it is sent. Each attempt has the same id and the same bytes of the body. */
export type WebhookMessage = { readonly id: string; readonly body: string };

/** Makes the message of an event. `instance`: the name of this process; `now`: ms since the epoch. */
export function messageOf({ type, data, key }: WebhookEvent, instance: string, now: number): WebhookMessage {
  const id = key === undefined ? randomUUID() : createHash('sha256').update(key).digest('base64url');
  const about = { condition: conditionOfEvent(type), ...data, ...(key === undefined ? { instance } : {}) };
  return {
    id: `msg_${id}`,
    body: JSON.stringify({ type, timestamp: new Date(now).toISOString(), data: about }),
  };
}

/** The headers of Standard Webhooks, by which the receiver can check the sender and recognise a repeated message. */
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
