import type { WebhookEventType } from '../../config/schema/telemetry.ts';

/** Something that operators want to know at once. */
export type WebhookEvent = {
  readonly type: WebhookEventType;
  /** What it is about, such as `breaker:crm`: events of one subject arrive in their order. */
  readonly subject: string;
  /** Figures, names and the words of operators; never a secret, nor a value of a record. */
  readonly data: Readonly<Record<string, unknown>>;
  /** What several processes know alike has the same key everywhere, and its receiver sees the same `webhook-id`. */
  readonly key?: string;
};
