/** The work that a component does in the background, such as renewing a stale answer. The component ends it when it closes. */
export type BackgroundTasks = ReturnType<typeof createBackgroundTasks>;

/** Creates an empty set of background tasks. */
export function createBackgroundTasks() {
  const closing = new AbortController();
  const underWay = new Set<Promise<void>>();

  function track<T>(work: Promise<T>): Promise<T> {
    const end = () => void underWay.delete(ended);
    const ended: Promise<void> = work.then(end, end);
    underWay.add(ended);
    return work;
  }

  return {
    /** Starts work that nobody waits for. A failure is ignored. */
    run(work: (signal: AbortSignal) => Promise<unknown>): void {
      track(work(closing.signal)).catch(() => undefined);
    },
    /** Does work that a caller waits for, until the caller's signal aborts or the owner closes. */
    within: <T>(signal: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T> =>
      track(work(AbortSignal.any([signal, closing.signal]))),
    /** Aborts the tasks and waits until they have ended. */
    async close(): Promise<void> {
      closing.abort(new DOMException('the gateway is closing', 'AbortError'));
      while (underWay.size > 0) await Promise.all(underWay);
    },
  };
}
