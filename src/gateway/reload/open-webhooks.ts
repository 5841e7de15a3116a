import { createTransport } from '../../source/client/transport/transport.ts';
import type { createWebhookMetrics } from '../../telemetry/webhooks/webhook-metrics.ts';
import { createWebhooks, type Webhooks, type WebhooksDeps } from '../../telemetry/webhooks/webhooks.ts';

const BYTES_MAX = 64 * 1024;
const CONNECT_MS = 2_000;

/**
 * Opens the webhooks of a process, with their own connections. A connection may take 2 seconds, and an answer of more than
 * 64 KiB counts as no answer.
 */
export function openWebhooks({
  metrics,
  ...deps
}: Omit<WebhooksDeps, 'post' | 'count'> & {
  readonly metrics: ReturnType<typeof createWebhookMetrics>;
}): Webhooks {
  const net = { bytesMax: BYTES_MAX, connectTimeout: CONNECT_MS, headers: {}, tls: undefined };
  const transport = createTransport(net);
  const webhooks = createWebhooks({
    ...deps,
    count: metrics.webhook,
    async post(url, headers, body, signal) {
      const { status } = await transport.send({ method: 'POST', url, headers, body, signal });
      return status;
    },
  });
  metrics.watchWebhooks(webhooks.waiting);
  return {
    ...webhooks,
    async close() {
      await webhooks.close();
      transport.close();
    },
  };
}
