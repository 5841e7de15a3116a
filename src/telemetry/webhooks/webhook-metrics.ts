import { Counter, type Registry } from 'prom-client';
import { webhookEvents, type WebhookEventType } from '../../config/schema/telemetry.ts';
import { registerGauge } from '../metrics/metric-factories.ts';
import type { WebhookOutcome } from './webhooks.ts';

/** Registers the metrics of webhooks: events by the outcome of their delivery, and how many wait. */
export function createWebhookMetrics(registry: Registry) {
  let waiting = () => 0;
  const events = new Counter({
    name: 'portico_webhooks_total',
    help: 'Events for receivers of webhooks: delivered; retried, an attempt failed; dead, nobody has taken it in ten minutes, or too many waited.',
    labelNames: ['event', 'outcome', 'receiver'],
    registers: [registry],
  });
  // Before an event no receiver is known; its series is created at the first attempt, minutes before the event can be dead.
  for (const event of webhookEvents) events.labels(event, 'dead', '').inc(0);
  const help = 'Events that a receiver of webhooks has not taken yet.';
  registerGauge(
    { registry },
    { name: 'portico_webhooks_waiting', help, labelNames: [], read: () => [[[], waiting()]] },
  );
  return {
    webhook: (event: WebhookEventType, outcome: WebhookOutcome, receiver: string): void => {
      // Prometheus sees no increase if a series begins with 1, so the first dead event would raise no alert.
      events.labels(event, 'dead', receiver).inc(0);
      events.labels(event, outcome, receiver).inc();
    },
    /** Sets the function that tells at each scrape how many events wait. */
    watchWebhooks: (next: () => number) => void (waiting = next),
  };
}
