// Connects the resilience of a source (retries, breakers, pauses) with the log, the metrics and the webhooks.
// `resilience/resilience.ts` itself knows none of these.

import type { Logger } from 'pino';
import type { SourceSpec } from '../config/schema/source.ts';
import type { Clock } from '../kernel/clock.ts';
import type { BreakerState } from './resilience/breaker.ts';
import type { WebhookEvent } from '../telemetry/webhooks/webhook-message.ts';
import { createResilience, type Resilience, type ResilienceDeps } from './resilience/resilience.ts';

/** The metrics about the state of sources. */
export type ResilienceMetrics = {
  /** `undefined`: this breaker has gone. After a reload, a source has several until the calls of the earlier ones are over. */
  breakerState(source: string, state: BreakerState | undefined, breaker: object): unknown;
  /** An event between Portico and a source, such as `retry_sent`. */
  sourceEvent(source: string, event: string): void;
  /** An event of one of a source's hosts: `ejected`, `unhealthy` or `healthy`. */
  hostEvent(source: string, host: string, event: string): void;
};

/**
 * What the resilience of a source needs. After a time-out, a call is retried only if `deadlineMs` leaves time for another one. A
 * call that its caller has ended counts against the source if it took long enough, measured by `patienceMs` and `net.timeout`.
 */
export type SourceResilienceDeps = Pick<ResilienceDeps, 'askHealthProbe'> & {
  readonly clock: Clock;
  readonly log: Pick<Logger, 'info' | 'warn'>;
  readonly metrics: ResilienceMetrics;
  /** Tells receivers of webhooks that a breaker has opened or closed; absent: there are none. */
  readonly tell?: ((event: WebhookEvent) => void) | undefined;
  /** The shortest deadline of the callers of this source, milliseconds. */
  readonly deadlineMs: number;
  /** The shortest time that anybody waits for one exchange, milliseconds. */
  readonly patienceMs: number;
};

/** The log line of each change of the breaker; it is written once, however many calls are refused. */
const BREAKER_LINES = {
  open: 'the source fails; no call goes out until one call has shown that it is well',
  half_open: 'one call shows whether the source is well',
  closed: 'the source is well again',
} satisfies Record<BreakerState, string>;

/** The log lines of the breaker of one shape of question, which is an operation and the names of its parameters. */
const QUESTION_LINES = {
  open: 'questions of this shape hang while the source is well; none goes out until one is answered',
  half_open: 'one question of this shape shows whether the source answers it',
  closed: 'the source answers questions of this shape again',
} satisfies Record<BreakerState, string>;

/** Creates the function that sends a webhook when a breaker opens and when it closes again, but not for each trial in between. */
function createBreakerNotice(source: string, tell: SourceResilienceDeps['tell']) {
  let isOpen = false;
  return (state: BreakerState): void => {
    if (state === 'half_open' || (state === 'open') === isOpen) return;
    isOpen = state === 'open';
    tell?.({
      type: isOpen ? 'breaker.opened' : 'breaker.closed',
      subject: `breaker:${source}`,
      data: { source },
    });
  };
}

/** Creates the resilience of a source. Its changes go to the log, the metrics and the webhooks. */
export function createSourceResilience(
  { name: source, net }: Pick<SourceSpec, 'name' | 'net'>,
  { clock, log, metrics, tell, deadlineMs, patienceMs, askHealthProbe }: SourceResilienceDeps,
): Resilience {
  const notice = createBreakerNotice(source, tell);
  const breaker = {};
  let isClosed = false;
  metrics.breakerState(source, 'closed', breaker);
  const resilience = createResilience(net, {
    monotonic: clock.monotonic,
    random: Math.random,
    deadlineMs,
    patienceMs,
    askHealthProbe,
    on: {
      breaker(state) {
        if (!isClosed) metrics.breakerState(source, state, breaker);
        metrics.sourceEvent(source, `breaker_${state}`);
        notice(state);
        log[state === 'open' ? 'warn' : 'info']({ source, breaker: state }, BREAKER_LINES[state]);
      },
      question(question, state) {
        metrics.sourceEvent(source, `question_breaker_${state}`);
        log[state === 'open' ? 'warn' : 'info']({ source, question, breaker: state }, QUESTION_LINES[state]);
      },
      retry: (result) => metrics.sourceEvent(source, `retry_${result}`),
      paused(seconds) {
        metrics.sourceEvent(source, 'paused');
        log.warn({ source, seconds }, 'the source asked for a pause; no call goes out before it is over');
      },
      host({ name: host }, event) {
        metrics.hostEvent(source, host, event);
        log[event === 'healthy' ? 'info' : 'warn']({ source, host }, `a host of the source is ${event}`);
      },
    },
  });
  function close(): void {
    isClosed = true;
    metrics.breakerState(source, undefined, breaker);
  }
  return { ...resilience, close };
}
