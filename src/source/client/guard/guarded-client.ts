// Sends the calls to one upstream (a source or a pass-through route), and protects it and its callers by a bulkhead, breakers
// and retries.

import { setTimeout as sleep } from 'node:timers/promises';
import type { SourceSpec } from '../../../config/schema/source.ts';
import { blameUpstream } from '../../../kernel/errors/fault.ts';
import { timed } from '../../../telemetry/requests/request-timings.ts';
import { createBulkhead, type Quota } from '../bulkhead/bulkhead.ts';
import {
  countedOnce,
  countRead,
  createExchange,
  type ExchangedCall,
  type ExchangeSteps,
  type OnExchange,
  type MeasuredAttempt,
  measuredAttempt,
} from './exchange.ts';
import type { CallAttempt } from '../../resilience/call-attempt.ts';
import { watchHealth } from './health.ts';
import type { Resilience } from '../../resilience/resilience.ts';
import { type TakeToken, waitForToken } from '../bulkhead/token-pacer.ts';

/** One call, before its host is chosen. */
export type GuardedCall = ExchangedCall & {
  /** Calls with the same affinity stay at one of several hosts. */
  readonly affinity: object;
  /** Whether the request may be sent twice. */
  readonly isSafe: boolean;
  /** Equal for calls that ask the upstream the same. */
  readonly question: string;
};

/** One attempt of a call; a retry is another attempt. */
export type GuardedTry = Pick<CallAttempt, 'finish'> & {
  /** Waits for a slot, then runs one exchange. After a success, `finish` must report how the reply was read. */
  exchange<R>(steps: ExchangeSteps<R>): Promise<R>;
};

/** Sends calls to an upstream behind its bulkhead, circuit breaker, retries, choice of hosts and health checks. */
export type GuardedClient = {
  /**
   * Runs a call. `once` makes one attempt, and is called again if a retry is safe and may help.
   * @throws GatewayError `upstream_unavailable` while the upstream must not be called, `overloaded` without a free slot
   * @throws unknown what `once` throws, and the signal's reason
   */
  run<T>(call: GuardedCall, once: (attempt: GuardedTry) => Promise<T>): Promise<T>;
  /** Runs a call at one host once it has a slot. The breaker neither prevents the call nor learns its outcome. */
  runAt<T>(base: string, call: ExchangedCall, once: (attempt: GuardedTry) => Promise<T>): Promise<T>;
  /**
   * The same without a slot, once the rate limit allows it. It is for the health probe, which must not wait behind other calls.
   */
  runBeside<T>(base: string, call: ExchangedCall, once: (attempt: GuardedTry) => Promise<T>): Promise<T>;
  /** The numbers of running and waiting calls, and how many may run. */
  readonly load: { readonly active: number; readonly waiting: number; readonly allowed: number };
  close(): void;
};

/** What a guarded client needs. Commands such as `doctor` give no `resilience`, so that they see each failure as it is. */
export type GuardedClientDeps = {
  /** The name of the upstream in the log; absent: its failures name none. */
  readonly name?: string | undefined;
  /** Called for every exchange once its reply is read, and for every call that the breaker or a pause prevents. */
  readonly onExchange: OnExchange;
  /** Takes a token for one call; absent: the rate is not limited. */
  readonly takeToken?: TakeToken | undefined;
  /** This process's quota of `net.concurrency`; absent: all of it. */
  readonly quota?: Quota | undefined;
  /** Breakers, retries and hosts; absent: every call is sent once, to `net.baseUrl`. */
  readonly resilience?: Resilience | undefined;
};

function closeParts(...parts: readonly ({ readonly close?: () => void } | undefined)[]): void {
  for (const part of parts) part?.close?.();
}

/** Creates the guarded client of one upstream. Sources and pass-through routes send their calls through it. */
export function createGuardedClient(
  net: SourceSpec['net'],
  { name, onExchange, takeToken, quota, resilience }: GuardedClientDeps,
): GuardedClient {
  const { concurrency, queue, requestsPerSecond: perSecond } = net;
  const bulkhead = createBulkhead({
    ...{ concurrency, quota, queue, takeToken, perSecond },
    // Pass only this function on, because the bulkhead may outlive a reload and would keep more in memory.
    isSilent: resilience?.isSilent,
  });
  const checks = resilience && watchHealth(net, resilience.hosts);
  const exchange = createExchange(name, onExchange);
  const plainAttempt = (base: string): CallAttempt => ({
    start: () => base,
    finish: () => undefined,
    retryDelayMs: () => undefined,
  });

  function guardedTry(call: ExchangedCall, measured: MeasuredAttempt): GuardedTry {
    return {
      finish: (error, isAbandoned) => measured.attempt.finish(error, isAbandoned),
      exchange: (steps) => bulkhead.run(call, () => exchange(call, measured, steps)),
    };
  }

  /** Names the upstream in an error, for the log, and the host if one was called. */
  function named(error: unknown, base: string | undefined): unknown {
    if (name !== undefined) blameUpstream(error, name, base);
    return error;
  }

  function checkOpen({ usage }: GuardedCall): void {
    try {
      resilience?.check(usage?.query);
    } catch (error) {
      onExchange('not_sent', 'not_asked');
      throw named(error, undefined);
    }
  }

  return {
    runAt(base, call, once) {
      const measured = measuredAttempt(plainAttempt(base));
      return countedOnce(measured, onExchange, call.signal, once(guardedTry(call, measured)));
    },
    async runBeside(base, call, once) {
      await waitForToken(takeToken);
      const measured = measuredAttempt(plainAttempt(base));
      const guarded = guardedTry(call, measured);
      const beside: GuardedTry = { ...guarded, exchange: (steps) => exchange(call, measured, steps) };
      return countedOnce(measured, onExchange, call.signal, once(beside));
    },
    async run(call, once) {
      const { signal } = call;
      const attempt = resilience?.begin(call) ?? plainAttempt(net.baseUrl);
      const measured = measuredAttempt(attempt);
      const guarded = guardedTry(call, measured);
      for (;;) {
        // Checked before the call waits for a slot, and by `start` again once it has one.
        checkOpen(call);
        try {
          const value = await once(guarded);
          countRead(measured, onExchange, signal);
          return value;
        } catch (error) {
          countRead(measured, onExchange, signal, error);
          const delayMs = signal.aborted ? undefined : attempt.retryDelayMs(error);
          if (delayMs === undefined) throw named(error, measured.base);
          await timed(call.timings, 'backoff', sleep(delayMs));
          signal.throwIfAborted();
        }
      }
    },
    get load() {
      return { active: bulkhead.active, waiting: bulkhead.waiting, allowed: quota?.size ?? concurrency };
    },
    close: () => closeParts(checks, resilience),
  };
}
