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
    help: 'Whether a source is asked: 0 it is, 1 one call tries, 2 it is not.',
    labelNames: ['source'],
    registers: [registry],
  });
  const events = createCounter(registry, {
    name: 'portico_source_events_total',
    help: 'Changes of the breaker, retries and pauses of a source.',
    labelNames: ['source', 'event'],
  });
  const hostEvents = createCounter(registry, {
    name: 'portico_host_events_total',
    help: 'Hosts of a source that were ejected, or found sick or sound.',
    labelNames: ['source', 'host', 'event'],
  });
  return {
    breakerState: (source, next) => state.labels(source).set(STATES[next]),
    sourceEvent: (source, event) => events(source, event).add(),
    hostEvent: (source, host, event) => hostEvents(source, host, event).add(),
  };
}
