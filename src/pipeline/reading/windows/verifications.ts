// Extra calls check claims that an answer depends on but does not show. Their results are remembered here, so that they stay
// few.

import type { PlanFailure } from './plan-failure.ts';
import { GatewayError } from '../../../kernel/errors/fault.ts';
import { createBackgroundTasks } from '../../../kernel/background-tasks.ts';
import { resultWithin } from '../../../kernel/result-within.ts';
import { createSingleFlight } from '../../../kernel/single-flight.ts';
import { createBorderKeys } from './border-keys.ts';
import { createBoundedMap } from '../../../store/memory/bounded-map.ts';

/** Remembers for a minute which claims of one resource were checked by extra calls, so that these calls stay few. */
export type Verifications = ReturnType<typeof createVerifications>;

/** How long a success is remembered. It is short, because a source may change at any time. */
const KNOWN_MS = 60_000;
const KNOWN_MAX = 1_000;
/** How long an answer waits for work that it does not need. */
const WAIT_MS = 1_000;

/** Creates the verifications of one resource of one source. */
export function createVerifications(waitMs = WAIT_MS) {
  const tasks = createBackgroundTasks();
  const known = createBoundedMap<object>(KNOWN_MAX, () => 1);
  const flights = createSingleFlight<PlanFailure | undefined>();
  /** Whether the check `name` succeeded within the last minute. */
  const isKnown = (name: string) => known.get(name) !== undefined;
  /** Remembers that the check `name` succeeded. */
  const know = (name: string) => known.set(name, {}, KNOWN_MS);
  return {
    isKnown,
    know,
    /** Does work that no answer needs. Resolves after a second at most; the work then goes on in the background. */
    async attempt(work: (signal: AbortSignal) => Promise<unknown>): Promise<void> {
      const ended = new Promise((resolve) => {
        tasks.run((signal) => work(signal).finally(() => resolve(undefined)));
      });
      await resultWithin(waitMs, ended);
    },
    /** Ends the work in the background. */
    close: () => tasks.close(),
    /** The last known total of the list without filters; `undefined` if this process has not read it. */
    wholeTotal: undefined as number | undefined,
    /** The sort keys at the borders of pages. */
    borderKeys: createBorderKeys(),
    /** Makes a check unless it is known. Callers at the same time share its calls. A failure is not remembered. */
    async once(
      name: string,
      signal: AbortSignal,
      verify: (shared: AbortSignal) => Promise<PlanFailure | undefined>,
    ): Promise<PlanFailure | undefined> {
      if (isKnown(name)) return undefined;
      return flights.run(name, signal, async (shared) => {
        const failure = await verify(shared);
        if (failure === undefined) know(name);
        return failure;
      });
    },
  };
}

/** The result of extra calls; `undefined` if the source fails, because that proves nothing. Rethrows other errors. */
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
