import { setTimeout as sleep } from 'node:timers/promises';
import type { SourceSpec } from '../config/schema/source.ts';
import { GatewayError } from '../errors/fault.ts';
import type { Priority } from '../kernel/upstream-call.ts';
import { createBulkhead, type Share } from './bulkhead/bulkhead.ts';
import type { CallAttempt } from './resilience/call-attempt.ts';
import { watchHealth } from './resilience/health.ts';
import type { Resilience } from './resilience/resilience.ts';
import type { TakeToken } from './bulkhead/token-pacer.ts';

/** The calls that a request caused, for its log line. */
export type Usage = { upstreamCalls: number; upstreamMs: number };

/** One call, before its host is chosen. */
export type GuardedCall = {
  readonly signal: AbortSignal;
  readonly priority: Priority;
  /** Calls with the same affinity stay at one of several hosts. */
  readonly affinity: object;
  /** Whether the request may be sent twice. */
  readonly isSafe: boolean;
  /** Equal for calls that ask the upstream the same. */
  readonly question: string;
  /** Counts the exchanges; absent: they are not counted. */
  readonly usage?: Usage;
};

/** What one exchange of a call needs of it. */
export type ExchangedCall = Pick<GuardedCall, 'signal' | 'priority' | 'usage'>;

/** How an exchange is done at a base URL, and what its result says about the upstream. */
export type ExchangeSteps<R> = {
  readonly send: (base: string) => Promise<R>;
  readonly statusOf: (result: R) => number;
  /** The reason of the call's abort, if it may say something about the upstream. */
  readonly abandonReason?: () => unknown;
};

/** One attempt of a call. */
export type GuardedTry = Pick<CallAttempt, 'finish'> & {
  /** Waits for a slot, then runs one exchange. After a success, `finish` must report how the reply was read. */
  exchange<R>(steps: ExchangeSteps<R>): Promise<R>;
};

/** An upstream behind its bulkhead, circuit breaker, retries, hosts and health checks. */
export type GuardedClient = {
  /**
   * Runs a call, and retries it if that is safe and may help.
   * @throws GatewayError `upstream_unavailable` while the upstream must not be called, `overloaded` without a free slot
   * @throws unknown what `once` throws, and the signal's reason
   */
  run<T>(call: GuardedCall, once: (attempt: GuardedTry) => Promise<T>): Promise<T>;
  /** Runs a call at a host once it has a slot, whatever the breaker says, which does not learn its outcome. */
  runAt<T>(base: string, call: ExchangedCall, once: (attempt: GuardedTry) => Promise<T>): Promise<T>;
  /** Running and waiting calls. */
  readonly load: { readonly active: number; readonly waiting: number };
  close(): void;
};

export type GuardedClientDeps = {
  /** Called after every exchange; `outcome` is a status class such as `2xx`, an error code or `cancelled`. */
  readonly onExchange: (outcome: string, seconds: number) => void;
  /** Takes a token for one call; absent: the rate is not limited. */
  readonly takeToken?: TakeToken | undefined;
  /** This process's share of `net.concurrency`; absent: all of it. */
  readonly share?: Share | undefined;
  /** Absent: every call is sent once, to `net.baseUrl`. */
  readonly resilience?: Resilience | undefined;
};

/** Creates the guarded client of one upstream. Sources and pass-through routes send their calls through it. */
export function createGuardedClient(
  net: SourceSpec['net'],
  { onExchange, takeToken, share, resilience }: GuardedClientDeps,
): GuardedClient {
  const { concurrency, queue, requestsPerSecond: perSecond } = net;
  const bulkhead = createBulkhead({ concurrency, share, queue, takeToken, perSecond });
  const checks = resilience && watchHealth(net, resilience.hosts);
  const plainAttempt = (base: string): CallAttempt => ({
    start: () => base,
    finish: () => undefined,
    retryDelayMs: () => undefined,
  });

  /** Runs and measures one exchange. A failure finishes the attempt. */
  async function exchange<R>(
    { signal, usage }: ExchangedCall,
    attempt: CallAttempt,
    { send, statusOf, abandonReason = () => signal.reason as unknown }: ExchangeSteps<R>,
  ): Promise<R> {
    const base = attempt.start();
    const startMs = performance.now();
    let outcome = 'cancelled';
    try {
      const result = await send(base);
      outcome = `${Math.floor(statusOf(result) / 100)}xx`;
      return result;
    } catch (error) {
      if (error instanceof GatewayError) outcome = error.code;
      attempt.finish(signal.aborted ? abandonReason() : error, signal.aborted);
      throw error;
    } finally {
      const ms = performance.now() - startMs;
      if (usage !== undefined) {
        usage.upstreamCalls += 1;
        usage.upstreamMs += ms;
      }
      onExchange(outcome, ms / 1_000);
    }
  }

  function guardedTry(call: ExchangedCall, attempt: CallAttempt): GuardedTry {
    return {
      finish: (error, isAbandoned) => attempt.finish(error, isAbandoned),
      exchange: (steps) => bulkhead.run(call.priority, call.signal, () => exchange(call, attempt, steps)),
    };
  }

  return {
    runAt: (base, call, once) => once(guardedTry(call, plainAttempt(base))),
    async run(call, once) {
      const { signal } = call;
      const attempt = resilience?.begin(call) ?? plainAttempt(net.baseUrl);
      const guarded = guardedTry(call, attempt);
      for (;;) {
        // Checked before the call waits for a slot, and by `start` again once it has one.
        resilience?.check();
        try {
          return await once(guarded);
        } catch (error) {
          const delayMs = signal.aborted ? undefined : attempt.retryDelayMs(error);
          if (delayMs === undefined) throw error;
          await sleep(delayMs);
          signal.throwIfAborted();
        }
      }
    },
    get load() {
      return { active: bulkhead.active, waiting: bulkhead.waiting };
    },
    close: () => checks?.close(),
  };
}
