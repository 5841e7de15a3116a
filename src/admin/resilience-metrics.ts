import { Gauge, type Registry } from 'prom-client';
import { createCounter } from './counters.ts';

/** How sources are, as the metrics have it. */
export type ResilienceMetrics = {
  /** Whether a source is asked: `closed`, `half_open` or `open`, as it is from now on. */
  readonly breakerState: (source: string, state: keyof typeof STATES) => void;
  /** Something that happened between Portico and a source. */
  readonly sourceEvent: (source: string, event: string) => void;
  /** Something that happened to one of a source's hosts. */
  readonly hostEvent: (source: string, host: string, event: string) => void;
};

const STATES = { closed: 0, half_open: 1, open: 2 };

/** Registers what is told of sources, their breakers and their hosts. */
export function createResilienceMetrics(registry: Registry): ResilienceMetrics {
  const state = new Gauge({
    name: 'portico_breaker_state',
    help: 'State of the circuit breaker of a source: 0 closed, 1 half open (one call tries), 2 open (no call is made).',
    labelNames: ['source'],
    registers: [registry],
  });
  const events = createCounter(registry, {
    name: 'portico_source_events_total',
    help: 'State changes of the breaker of a source, its retries, and pauses that it asked for.',
    labelNames: ['source', 'event'],
  });
  const hostEvents = createCounter(registry, {
    name: 'portico_host_events_total',
    help: 'Hosts of a source: ejected after failures in a row; sick or sound by a health check.',
    labelNames: ['source', 'host', 'event'],
  });
  return {
    breakerState: (source, next) => state.labels(source).set(STATES[next]),
    sourceEvent: (source, event) => events(source, event).add(),
    hostEvent: (source, host, event) => hostEvents(source, host, event).add(),
  };
}
