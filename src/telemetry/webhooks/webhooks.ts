import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { GatewayWebhook, WebhookEventType } from '../../config/schema/telemetry.ts';
import { createBackgroundTasks } from '../../kernel/background-tasks.ts';
import type { Clock } from '../../kernel/clock.ts';
import { createSemaphore, type Semaphore } from '../../kernel/semaphore.ts';
import { messageOf, signedHeaders, type WebhookEvent, type WebhookMessage } from './webhook-message.ts';

/** The result of an attempt to deliver an event. `dead`: nobody has taken it, and it is not sent again. */
export type WebhookOutcome = 'delivered' | 'retried' | 'dead';

/** Sends events to their receivers. Nobody waits for it. */
export type Webhooks = ReturnType<typeof createWebhooks>;

/**
 * `targets` is asked for each event. An attempt may take 5 seconds, and five more follow within about eleven minutes,
 * unless `timeoutMs` and `retriesMs` say otherwise.
 */
export type WebhooksDeps = {
  /** The receivers of the configuration in force. */
  readonly targets: () => readonly GatewayWebhook[];
  /** Posts a text to an address. Resolves with the status; rejects where there was no answer. */
  readonly post: (
    url: string,
    headers: Readonly<Record<string, string>>,
    body: string,
    signal: AbortSignal,
  ) => Promise<number>;
  readonly clock: Pick<Clock, 'now'>;
  readonly log: Pick<Logger, 'warn'>;
  /** The name of this process. Each process reports its own breakers, and the reloads that it was asked for. */
  readonly instance: string;
  /** `receiver`: its host. */
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
/** A receiver that is away for ten minutes misses nothing. */
const RETRIES_MS = [1_000, 5_000, 30_000, 120_000, 480_000];
/** The random part of a pause, so that not all gateways ask a receiver at once when it comes back. */
const JITTER = 0.2;
/** Events that may wait, of all receivers. */
const WAITING_MAX = 10_000;
/** Attempts at once, to one receiver. */
const AT_ONCE = 8;
/** The log says at most this often that receivers take nothing. */
const WARN_MS = 60_000;
/** The status by which a receiver says that it wants nothing more. */
const GONE = 410;

/** The host of a receiver: the rest of its address may hold a secret. */
const hostOf = ({ target }: Pick<Delivery, 'target'>) => URL.parse(target.url)?.host ?? '';

/** Makes the function that logs dead events: once a minute, with their number. */
function createDeadLetterLog({ clock, log }: Pick<WebhooksDeps, 'clock' | 'log'>) {
  let [dead, warnedAt] = [0, -Infinity];
  return ({ event: { type, subject, data } }: Delivery, problem: string): void => {
    dead += 1;
    if (clock.now() - warnedAt < WARN_MS) return;
    log.warn({ type, subject, ...data, problem, dead }, 'nobody has taken a webhook');
    [dead, warnedAt] = [0, clock.now()];
  };
}

/** Makes the function that attempts a delivery once. It resolves with the problem, or with `undefined` on success. */
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

/** Makes the function that delivers with retries. It resolves with the last problem, or with `undefined` on success. */
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

/** Queues by key: the items of one queue are processed one after the other, and queues do not wait for each other. */
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
 * Creates the sender of events. A receiver gets the events of one subject one after the other. Each is attempted for about
 * ten minutes; then it is dead: counted and logged.
 */
export function createWebhooks(deps: WebhooksDeps) {
  const { targets, clock, log, instance, count } = deps;
  const deliver = createDeliver(deps);
  const logDead = createDeadLetterLog(deps);
  /** By receiver and subject. */
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
    /** Sends an event to every receiver of the configuration that wants it. */
    tell: (event: WebhookEvent): void => {
      const wanted = targets().filter(({ events }) => events.includes(event.type));
      if (wanted.length === 0) return;
      const message = messageOf(event, instance, clock.now());
      for (const target of wanted) send({ target, event, message });
    },
    /** How many events have not been delivered yet. */
    waiting: queues.waiting,
    /** Drops the events that are not delivered yet. */
    async close(): Promise<void> {
      const waiting = queues.waiting();
      if (waiting > 0) log.warn({ waiting }, 'webhooks were not delivered before the end of the process');
      await queues.close();
    },
  };
}
