// The primary's end of the permits by which workers share `net.concurrency` of a source (`permit-quota.ts` is the other end).

/** The messages by which a primary divides the concurrent calls of a source among its workers. */
export type PermitMessage =
  /** From a worker, which wants one more permit. */
  | { readonly kind: 'permit-want'; readonly source: string }
  /** From a worker, which returns `count` permits. */
  | { readonly kind: 'permit-back'; readonly source: string; readonly count: number }
  /** From the primary, which grants one more permit. */
  | { readonly kind: 'permit'; readonly source: string }
  /**
   * From the primary, because another worker wants a permit. `firm`: the other worker has fewer permits, so the worker must
   * return a permit before it serves its own waiting calls.
   */
  | { readonly kind: 'permit-recall'; readonly source: string; readonly firm: boolean };

type SourcePermits = {
  total: number;
  /** How many permits each worker has. */
  readonly held: Map<number, number>;
  /** The workers that want one more permit; the first comes first. */
  readonly waiting: Set<number>;
};

/**
 * Creates the pool: a semaphore that processes share. Each source allows a number of concurrent calls, which the primary divides
 * among its workers. A worker keeps its permits until another worker needs one, so calls cost no message while there are enough.
 * There are never more permits out than configured. `send` sends a message to a worker.
 */
export function createPermitPool(send: (worker: number, message: PermitMessage) => void) {
  const sources = new Map<string, SourcePermits>();

  function permitsOf(source: string): SourcePermits {
    const permits = sources.get(source) ?? { total: 1, held: new Map(), waiting: new Set() };
    sources.set(source, permits);
    return permits;
  }

  function distribute(source: string): void {
    const { total, held, waiting } = permitsOf(source);
    let free = total - [...held.values()].reduce((sum, count) => sum + count, 0);
    for (const worker of waiting) {
      if (free <= 0) break;
      free -= 1;
      waiting.delete(worker);
      held.set(worker, (held.get(worker) ?? 0) + 1);
      send(worker, { kind: 'permit', source });
    }
    const fewest = Math.min(...[...waiting].map((worker) => held.get(worker) ?? 0));
    for (const [worker, count] of held)
      if (count > 0 && (free < 0 || fewest !== Infinity))
        send(worker, { kind: 'permit-recall', source, firm: free < 0 || count > fewest });
  }

  return {
    /** Sets how many concurrent calls each source allows. If there are fewer than before, permits are recalled. */
    configure(totals: ReadonlyMap<string, number>): void {
      for (const [source, total] of totals) {
        permitsOf(source).total = total;
        distribute(source);
      }
    },
    /** Handles a message of a worker. */
    handle(worker: number, message: PermitMessage): void {
      const { held, waiting } = permitsOf(message.source);
      if (message.kind === 'permit-want') waiting.add(worker);
      if (message.kind === 'permit-back')
        held.set(worker, Math.max(0, (held.get(worker) ?? 0) - message.count));
      distribute(message.source);
    },
    /** Takes back the permits of a worker that has ended, because its calls have ended, too. */
    workerEnded(worker: number): void {
      for (const [source, { held, waiting }] of sources) {
        waiting.delete(worker);
        if (held.delete(worker)) distribute(source);
      }
    },
  };
}
