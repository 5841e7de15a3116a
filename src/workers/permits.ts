/** What workers and their primary tell each other of the calls that a source takes at once. */
export type PermitMessage =
  /** A worker's: one more is wanted. */
  | { readonly kind: 'permit-want'; readonly source: string }
  /** A worker's: so many are given back. */
  | { readonly kind: 'permit-back'; readonly source: string; readonly count: number }
  /** The primary's: one more is given. */
  | { readonly kind: 'permit'; readonly source: string }
  /** The primary's: another worker wants one. `firm`: it has fewer, so it goes before those who wait here. */
  | { readonly kind: 'permit-recall'; readonly source: string; readonly firm: boolean };

/**
 * The calls that sources take at once, shared out among workers by their primary. A worker keeps what it was given
 * until another is short, so that calls cost no message while no worker needs all. There are never more out than
 * configured.
 */
export type Permits = {
  /** Takes over how many calls each source takes at once. Where that is fewer, it waits for what is out. */
  configure(totals: ReadonlyMap<string, number>): void;
  handle(worker: number, message: PermitMessage): void;
  /** A worker has died, and its calls with it. */
  gone(worker: number): void;
};

type Pool = {
  total: number;
  /** How many each worker has. */
  readonly held: Map<number, number>;
  /** Workers that want one more, in the order in which they came. */
  readonly wanting: Set<number>;
};

/** Creates the permits; `send` reaches a worker. */
export function createPermits(send: (worker: number, message: PermitMessage) => void): Permits {
  const pools = new Map<string, Pool>();

  function poolOf(source: string): Pool {
    const pool = pools.get(source) ?? { total: 1, held: new Map(), wanting: new Set() };
    pools.set(source, pool);
    return pool;
  }

  function shareOut(source: string): void {
    const { total, held, wanting } = poolOf(source);
    let free = total - [...held.values()].reduce((sum, count) => sum + count, 0);
    for (const worker of wanting) {
      if (free <= 0) break;
      free -= 1;
      wanting.delete(worker);
      held.set(worker, (held.get(worker) ?? 0) + 1);
      send(worker, { kind: 'permit', source });
    }
    const poorest = Math.min(...[...wanting].map((worker) => held.get(worker) ?? 0));
    for (const [worker, count] of held)
      if (count > 0 && (free < 0 || poorest !== Infinity))
        send(worker, { kind: 'permit-recall', source, firm: free < 0 || count > poorest });
  }

  return {
    configure(totals) {
      for (const [source, total] of totals) {
        poolOf(source).total = total;
        shareOut(source);
      }
    },
    handle(worker, message) {
      const { held, wanting } = poolOf(message.source);
      if (message.kind === 'permit-want') wanting.add(worker);
      if (message.kind === 'permit-back')
        held.set(worker, Math.max(0, (held.get(worker) ?? 0) - message.count));
      shareOut(message.source);
    },
    gone(worker) {
      for (const [source, { held, wanting }] of pools) {
        wanting.delete(worker);
        if (held.delete(worker)) shareOut(source);
      }
    },
  };
}
