/** Work that several callers share. When the last caller leaves, the work is aborted with the reason of that caller. */
type Flight<T> = { readonly promise: Promise<T>; readonly controller: AbortController; waiters: number };

/** Single flight: at most one piece of work per key at a time, shared by all callers of the key. */
export type SingleFlight<T> = ReturnType<typeof createSingleFlight<T>>;

/** Creates a single flight with no work in progress. */
export function createSingleFlight<T>() {
  const flights = new Map<string, Flight<T>>();

  function start(key: string, work: (signal: AbortSignal) => Promise<T>): Flight<T> {
    const controller = new AbortController();
    const working = work(controller.signal);
    async function fly(): Promise<T> {
      try {
        return await working;
      } finally {
        if (flights.get(key)?.controller === controller) flights.delete(key);
      }
    }
    const flight: Flight<T> = { promise: fly(), controller, waiters: 0 };
    flights.set(key, flight);
    return flight;
  }

  function leave(key: string, flight: Flight<T>, reason: unknown): void {
    flight.waiters -= 1;
    if (flight.waiters > 0) return;
    // No caller must join work that is being cancelled.
    if (flights.get(key) === flight) flights.delete(key);
    flight.controller.abort(reason);
  }

  function wait(key: string, flight: Flight<T>, signal: AbortSignal): Promise<T> {
    flight.waiters += 1;
    return new Promise((resolve, reject) => {
      const gone = () => {
        reject(signal.reason as Error);
        leave(key, flight, signal.reason);
      };
      signal.addEventListener('abort', gone, { once: true });
      const stay = () => signal.removeEventListener('abort', gone);
      flight.promise.then(stay, stay);
      flight.promise.then(resolve, reject);
    });
  }

  return {
    /**
     * Joins the work in progress for `key`, or starts it. The promise rejects with the signal's reason once the caller's
     * own signal aborts; the work continues while other callers wait for it.
     */
    run(key: string, signal: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
      if (signal.aborted) return Promise.reject(signal.reason as Error);
      return wait(key, flights.get(key) ?? start(key, work), signal);
    },
    /** Whether work for `key` is in progress, so that `run` would join it. */
    has: (key: string): boolean => flights.has(key),
    /** The number of keys with work in progress. */
    get size(): number {
      return flights.size;
    },
  };
}
