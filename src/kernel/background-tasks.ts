/** Everything that somebody has under way and that must end when he closes. */
export type Errands = {
  /** Does something that nobody waits for; where it fails, nobody hears of it. */
  run(work: (signal: AbortSignal) => Promise<unknown>): void;
  /** Does something for a caller, until the caller's signal aborts or everything is closed. */
  within<T>(signal: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T>;
  /** Aborts what is under way, and waits until it has ended. */
  close(): Promise<void>;
};

/** Creates a set of errands, empty so far. */
export function createErrands(): Errands {
  const closing = new AbortController();
  const underWay = new Set<Promise<void>>();

  function track<T>(work: Promise<T>): Promise<T> {
    const end = () => void underWay.delete(ended);
    const ended: Promise<void> = work.then(end, end);
    underWay.add(ended);
    return work;
  }

  return {
    run(work) {
      track(work(closing.signal)).catch(() => undefined);
    },
    within: (signal, work) => track(work(AbortSignal.any([signal, closing.signal]))),
    async close() {
      closing.abort(new DOMException('the gateway is closing', 'AbortError'));
      while (underWay.size > 0) await Promise.all(underWay);
    },
  };
}
