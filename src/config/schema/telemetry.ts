// The schemas of `telemetry` and `webhooks` in the gateway file: what is reported to other systems, and where.

import * as z from 'zod';
import {
  addedHeaderName,
  headerSecret,
  httpUrl,
  integer,
  secret,
  share,
  timeLimit,
} from './elements/scalars.ts';

const traces = z.strictObject({
  endpoint: httpUrl.describe(
    'Where spans are sent, by OTLP over HTTP in protobuf: the whole address, such as http://collector:4318/v1/traces.',
  ),
  headers: z
    .record(addedHeaderName, headerSecret)
    .default({})
    .describe('Headers for the collector, such as its credential.'),
  ratio: share
    .default(0.01)
    .describe(
      'The share of requests that are recorded, 0 to 1. A caller with a credential whose `traceparent` says so decides for its own requests; without a credential, the flag does not count.',
    ),
  service: z
    .string()
    .min(1)
    .max(80)
    .default('portico')
    .describe('`service.name`: what the gateway is called in traces.'),
  timeout: timeLimit
    .default(5_000)
    .describe(
      'The longest that the collector may take for a batch, retries included; the end of the process waits 2 s at most.',
    ),
  queueMax: integer(1, 100_000)
    .default(2_048)
    .describe('Spans that may wait for the collector, in each worker; those beyond are dropped and counted.'),
  tls: z
    .strictObject({ ca: z.string().describe('The authority that signed the certificate of the collector.') })
    .optional()
    .describe('A PEM text, such as ${file:/run/secrets/ca.pem}: a private authority.'),
});

/** What the gateway reports besides log and metrics. */
export const telemetry = z.strictObject({
  traces: traces
    .optional()
    .describe(
      'Absent: no spans. `traceparent` and `tracestate` are passed on to sources and pass-through upstreams in any case.',
    ),
});

/** `telemetry.traces` with its defaults: `ratio` from 0 to 1, `timeout` in milliseconds, `queueMax` in spans per worker. */
export type TracesConfig = z.infer<typeof traces>;

/** The types of the events that a gateway sends by webhook. */
export const webhookEvents = [
  'breaker.opened',
  'breaker.closed',
  'config.refused',
  'field.lost',
  'field.restored',
  'incident.opened',
  'incident.worsened',
  'incident.ended',
  'key.expiring',
  'migration.gate_ready',
  'migration.stepped',
  'migration.held',
  'migration.rolled_back',
  'migration.transient',
  'migration.finished',
] as const;

/** The `type` of a webhook message. A receiver names the types that it wants in `events`. */
export type WebhookEventType = (typeof webhookEvents)[number];

/** One receiver of events. */
const gatewayWebhook = z.strictObject({
  url: httpUrl.describe('Where messages are sent, as JSON.'),
  secret: secret.describe(
    'What each message is signed with (Standard Webhooks), such as `${WEBHOOK_SECRET}`.',
  ),
  events: z
    .array(z.enum(webhookEvents))
    .min(1)
    .default([...webhookEvents])
    .describe('The types of events that it receives; all by default.'),
});

/** All receivers of events. */
export const webhooks = z
  .array(gatewayWebhook)
  .max(10)
  .default([])
  .describe(
    'Receivers of events about incidents, breakers, fields that records suddenly lack, refused reloads, keys that end soon and migrations.',
  );

/** One receiver of webhooks: its address, the secret for signatures, and the types of events. */
export type GatewayWebhook = z.infer<typeof gatewayWebhook>;
