import { Counter, Gauge, type Registry } from 'prom-client';
import { webhookEvents, type WebhookEventType } from '../../config/schema/telemetry.ts';
import type { WebhookOutcome } from './webhooks.ts';

/** Registers what became of webhooks. */
export function createWebhookMetrics(registry: Registry) {
  const registers = [registry];
  let waiting = () => 0;
  const events = new Counter({
    name: 'portico_webhooks_total',
    help: 'Events for receivers of webhooks: delivered; retried, an attempt failed; dead, nobody has taken it in ten minutes, or too many waited.',
    labelNames: ['event', 'outcome'],
    registers,
  });
  // A rise from nothing is none for Prometheus: the first dead event would raise no alert.
  for (const event of webhookEvents) events.labels(event, 'dead').inc(0);
  new Gauge({
    name: 'portico_webhooks_waiting',
    help: 'Events that a receiver of webhooks has not taken yet.',
    registers,
    collect() {
      this.set(waiting());
    },
  });
  return {
    webhook: (event: WebhookEventType, outcome: WebhookOutcome) => events.labels(event, outcome).inc(),
    /** Reports at each scrape how many events wait. */
    watchWebhooks: (next: () => number) => void (waiting = next),
  };
}
