// Sends events, such as an opened breaker, to the operators' webhook receivers, with retries and in order.

import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { GatewayWebhook, WebhookEventType } from '../../config/schema/telemetry.ts';
import { createBackgroundTasks } from '../../kernel/background-tasks.ts';
import type { Clock } from '../../kernel/clock.ts';
import { createSemaphore, type Semaphore } from '../../kernel/semaphore.ts';
import { messageOf, signedHeaders, type WebhookEvent, type WebhookMessage } from './webhook-message.ts';

/** The result of an attempt to deliver an event. `dead`: the event was not taken, and is not sent again. */
export type WebhookOutcome = 'delivered' | 'retried' | 'dead';

/** Sends events to their receivers in the background. */
export type Webhooks = ReturnType<typeof createWebhooks>;

/**
 * What the sender of webhooks needs. It calls `targets` for each event. By default an attempt may take 5 seconds
 * (`timeoutMs`), and five more attempts follow within about eleven minutes (`retriesMs`).
 */
export type WebhooksDeps = {
  /** The receivers of the configuration in force. */
  readonly targets: () => readonly GatewayWebhook[];
  /** Posts a text to an address. Resolves with the status; rejects if there was no answer. */
  readonly post: (
    url: string,
    headers: Readonly<Record<string, string>>,
    body: string,
    signal: AbortSignal,
  ) => Promise<number>;
  readonly clock: Pick<Clock, 'now'>;
  readonly log: Pick<Logger, 'warn'>;
  /** The name of this process; each process reports its own breakers and reloads. */
  readonly instance: string;
  /** Counts an attempt for the metrics; `receiver` is the host of the receiver. */
  readonly count: (event: WebhookEventType, outcome: WebhookOutcome, receiver: string) => void;
  /** About how many milliseconds to wait before each further attempt. */
  readonly retriesMs?: readonly number[];
  readonly timeoutMs?: number;
};

/** One event on its way to one receiver. */
type Delivery = {
  readonly target: GatewayWebhook;
  readonly event: WebhookEvent;
  readonly message: WebhookMessage;
};

const TIMEOUT_MS = 5_000;
/** The pauses before further attempts; a receiver that is down for ten minutes misses nothing. */
const RETRIES_MS = [1_000, 5_000, 30_000, 120_000, 480_000];
/** The random part of a pause, so that not all gateways ask a receiver at once when it comes back. */
const JITTER = 0.2;
/** How many events may wait for all receivers together. */
const WAITING_MAX = 10_000;
/** How many attempts to one receiver may run at the same time. */
const AT_ONCE = 8;
/** How often the log says at most that events are dead. */
const WARN_MS = 60_000;
/** The status with which a receiver says that it no longer wants events. */
const GONE = 410;

/** The host of a receiver. The rest of its address is never shown, because it may hold a secret. */
const hostOf = ({ target }: Pick<Delivery, 'target'>) => URL.parse(target.url)?.host ?? '';

/** Creates the function that logs dead events, once a minute with their number. */
function createDeadLetterLog({ clock, log }: Pick<WebhooksDeps, 'clock' | 'log'>) {
  let [dead, warnedAt] = [0, -Infinity];
  return ({ event: { type, subject, data } }: Delivery, problem: string): void => {
    dead += 1;
    if (clock.now() - warnedAt < WARN_MS) return;
    log.warn({ type, subject, ...data, problem, dead }, 'nobody has taken a webhook');
    [dead, warnedAt] = [0, clock.now()];
  };
}

/** Creates the function that attempts a delivery once. It resolves with the problem, or with `undefined` on success. */
function createAttempt({ post, clock, timeoutMs = TIMEOUT_MS }: WebhooksDeps) {
  const semaphores = new Map<string, Semaphore>();
  return ({ target, message }: Delivery, closing: AbortSignal): Promise<string | undefined> => {
    const semaphore = semaphores.get(target.url) ?? createSemaphore(AT_ONCE);
    semaphores.set(target.url, semaphore);
    return semaphore.run(async () => {
      closing.throwIfAborted();
      const headers = signedHeaders(target, message, clock.now());
      const signal = AbortSignal.any([closing, AbortSignal.timeout(timeoutMs)]);
      try {
        const status = await post(target.url, headers, message.body, signal);
        return status >= 200 && status < 300 ? undefined : `answered with status ${status}`;
      } catch (error) {
        closing.throwIfAborted();
        return signal.aborted
          ? `no answer within ${timeoutMs} ms`
          : String((error as { code?: unknown }).code ?? error);
      }
    });
  };
}

/** Creates the function that delivers with retries. It resolves with the last problem, or with `undefined` on success. */
function createDeliver(deps: WebhooksDeps) {
  const { count, retriesMs = RETRIES_MS } = deps;
  const attempt = createAttempt(deps);

  return async function deliver(delivery: Delivery, closing: AbortSignal): Promise<string | undefined> {
    const { type } = delivery.event;
    const receiver = hostOf(delivery);
    let problem = await attempt(delivery, closing);
    for (const ms of retriesMs) {
      if (problem === undefined || problem.endsWith(` ${GONE}`)) break;
      count(type, 'retried', receiver);
      await sleep(ms * (1 + JITTER * (2 * Math.random() - 1)), undefined, { signal: closing, ref: false });
      problem = await attempt(delivery, closing);
    }
    if (problem === undefined) count(type, 'delivered', receiver);
    return problem;
  };
}

/** Creates queues by key. The items of a queue are processed one after another; queues do not wait for each other. */
function createQueues<T>(work: (item: T, closing: AbortSignal) => Promise<void>) {
  const tasks = createBackgroundTasks();
  const queues = new Map<string, T[]>();
  let waiting = 0;

  async function workOff(key: string, queue: T[], closing: AbortSignal): Promise<void> {
    for (let next = queue[0]; next !== undefined; next = queue[0]) {
      await work(next, closing);
      queue.shift();
      waiting -= 1;
    }
    queues.delete(key);
  }

  return {
    waiting: () => waiting,
    add(key: string, item: T): void {
      waiting += 1;
      const queue = queues.get(key);
      if (queue !== undefined) {
        queue.push(item);
        return;
      }
      const begun = [item];
      queues.set(key, begun);
      tasks.run((closing) => workOff(key, begun, closing));
    },
    close: () => tasks.close(),
  };
}

/**
 * Creates the sender of events. A receiver gets the events of one subject one after another. Each event is attempted for
 * about ten minutes; then it counts as dead and is logged.
 */
export function createWebhooks(deps: WebhooksDeps) {
  const { targets, clock, log, instance, count } = deps;
  const deliver = createDeliver(deps);
  const logDead = createDeadLetterLog(deps);
  /** A queue for each receiver and subject. */
  const queues = createQueues<Delivery>(async (delivery, closing) => {
    const problem = await deliver(delivery, closing);
    if (problem !== undefined) die(delivery, problem);
  });

  function die(delivery: Delivery, problem: string): void {
    count(delivery.event.type, 'dead', hostOf(delivery));
    logDead(delivery, problem);
  }

  function send(delivery: Delivery): void {
    if (queues.waiting() >= WAITING_MAX) die(delivery, `${WAITING_MAX} others wait`);
    else queues.add(`${delivery.target.url} ${delivery.event.subject}`, delivery);
  }

  return {
    /** Sends an event to every configured receiver that wants events of its type. */
    tell: (event: WebhookEvent): void => {
      const wanted = targets().filter(({ events }) => events.includes(event.type));
      if (wanted.length === 0) return;
      const message = messageOf(event, instance, clock.now());
      for (const target of wanted) send({ target, event, message });
    },
    /** How many events have not been delivered yet. */
    waiting: queues.waiting,
    /** Drops the events that are not delivered yet, and stops. */
    async close(): Promise<void> {
      const waiting = queues.waiting();
      if (waiting > 0) log.warn({ waiting }, 'webhooks were not delivered before the end of the process');
      await queues.close();
    },
  };
}
