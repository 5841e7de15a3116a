import { setTimeout as delay } from 'node:timers/promises';
import type { PlanFailure } from './plan-failure.ts';
import { GatewayError } from '../../../kernel/errors/fault.ts';
import { createBackgroundTasks } from '../../../kernel/background-tasks.ts';
import { createSingleFlight } from '../../../kernel/single-flight.ts';
import { type BorderKeys, createBorderKeys } from './border-keys.ts';
import { createBoundedMap } from '../../../store/memory/bounded-map.ts';

/** Remembers for a while which claims of one resource were verified with a call that no answer needed. */
export type Verifications = {
  /** Whether this was verified, and need not be again for now. */
  isKnown(name: string): boolean;
  know(name: string): void;
  /** Verifies this unless it is known; callers at the same time share the calls. A failure is not remembered. */
  once(
    name: string,
    signal: AbortSignal,
    verify: (shared: AbortSignal) => Promise<PlanFailure | undefined>,
  ): Promise<PlanFailure | undefined>;
  /** Does work that an answer can do without. The answer waits for a moment; then the work goes on behind it. */
  attempt(work: (signal: AbortSignal) => Promise<unknown>): Promise<void>;
  /** The last total of the list without filters; `undefined` if this process has not seen it. */
  wholeTotal: number | undefined;
  /** The sort keys at the borders of pages. */
  readonly borderKeys: BorderKeys;
  /** Ends the work behind answers. */
  close(): Promise<void>;
};

/** A source may change at any time, so nothing is known for long. */
const KNOWN_MS = 60_000;
const KNOWN_MAX = 1_000;
/** A caller waits this long for what the answer can do without. */
const WAIT_MS = 1_000;

/** Creates the verifications of one resource of one source; nothing is known. */
export function createVerifications(waitMs = WAIT_MS): Verifications {
  const tasks = createBackgroundTasks();
  const known = createBoundedMap<object>(KNOWN_MAX, () => 1);
  const flights = createSingleFlight<PlanFailure | undefined>();
  const isKnown = (name: string) => known.get(name) !== undefined;
  const know = (name: string) => known.set(name, {}, KNOWN_MS);
  return {
    isKnown,
    know,
    async attempt(work) {
      const ended = new Promise((resolve) => {
        tasks.run((signal) => work(signal).finally(() => resolve(undefined)));
      });
      await Promise.race([ended, delay(waitMs, undefined, { ref: false })]);
    },
    close: () => tasks.close(),
    wholeTotal: undefined,
    borderKeys: createBorderKeys(),
    async once(name, signal, verify) {
      if (isKnown(name)) return undefined;
      return flights.run(name, signal, async (shared) => {
        const failure = await verify(shared);
        if (failure === undefined) know(name);
        return failure;
      });
    },
  };
}

/** The result of calls that no answer needs; `undefined` if the source fails, because that proves nothing. */
export async function undefinedIfFailed<T>(
  { signal }: { readonly signal: AbortSignal },
  work: () => Promise<T>,
): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof GatewayError) || signal.aborted) throw error;
    return undefined;
  }
}
