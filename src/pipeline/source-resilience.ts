import type { Logger } from 'pino';
import type { SourceSpec } from '../config/schema/source.ts';
import type { Clock } from '../kernel/clock.ts';
import type { BreakerState } from '../upstream/breaker.ts';
import { createResilience, type Resilience } from '../upstream/resilience.ts';

/** What the metrics are told about how sources are. */
export type ResilienceMetrics = {
  /** Whether a source is asked, as it is from now on. */
  breakerState(source: string, state: BreakerState): void;
  /** Something that happened between Portico and a source, such as `retry_sent`. */
  sourceEvent(source: string, event: string): void;
  /** Something that happened to one of a source's hosts. */
  hostEvent(source: string, host: string, event: string): void;
};

export type SourceResilienceDeps = {
  readonly clock: Clock;
  readonly log: Pick<Logger, 'info' | 'warn'>;
  readonly metrics: ResilienceMetrics;
  /** How long callers wait for an answer from this source, the least patient of them. */
  readonly deadlineMs: number;
  /** The least time that anybody waits for one call of it. */
  readonly patienceMs: number;
};

/** What a change of the breaker is called in the log: one line for each, however many calls it meets. */
const BREAKER_LINES = {
  open: 'the source fails; it is not asked until one call has shown that it is well',
  half_open: 'one call shows how the source is',
  closed: 'the source is well again',
} satisfies Record<BreakerState, string>;

/** Creates what is known of a source, and has its changes told to log and metrics. */
export function createSourceResilience(
  { name: source, net }: Pick<SourceSpec, 'name' | 'net'>,
  { clock, log, metrics, deadlineMs, patienceMs }: SourceResilienceDeps,
): Resilience {
  metrics.breakerState(source, 'closed');
  return createResilience(net, {
    monotonic: () => clock.monotonic(),
    random: Math.random,
    deadlineMs,
    patienceMs,
    on: {
      breaker(state) {
        metrics.breakerState(source, state);
        metrics.sourceEvent(source, `breaker_${state}`);
        log[state === 'open' ? 'warn' : 'info']({ source, breaker: state }, BREAKER_LINES[state]);
      },
      retry: (result) => metrics.sourceEvent(source, `retry_${result}`),
      paused(seconds) {
        metrics.sourceEvent(source, 'paused');
        log.warn({ source, seconds }, 'the source asked not to be asked for a while, and is not');
      },
      host({ name: host }, event) {
        metrics.hostEvent(source, host, event);
        log[event === 'sound' ? 'info' : 'warn']({ source, host }, `a host of the source is ${event}`);
      },
    },
  });
}
