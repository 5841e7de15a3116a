// Remembers since when and how often limits refuse each caller, and for a while when that has ended.

/**
 * The refusals of a caller by its limits. `since`, `last`: when the first and the last request was refused, in milliseconds since the
 * epoch. `limited`: how many were, of how many `requests` from the first to the last.
 */
export type Refusals = { readonly since: number; last: number; limited: number; requests: number };

type Run = Refusals & { readonly from: number; isTold: boolean };

/**
 * How long ended refusals are kept, after the last one. It is told for ten minutes after the last one in any process
 * (`caller-conditions.ts`), and until then no process may forget its part of the counts.
 */
const ENDED_KEPT_MS = 660_000;

/** Creates the memory of refusals, which is empty. */
export function createRefusals() {
  /** The refusals of each caller since a minute in which it was well; `from`: its requests before them. */
  const runs = new Map<string, Run>();
  const ended = new Map<string, Run>();
  return {
    /** Notes that a request of a caller was refused; `requests`: how many it has sent with it. */
    note(id: string, requests: number, at: number): void {
      const first = { since: at, last: at, limited: 0, requests: 1, from: requests - 1, isTold: false };
      const run = runs.get(id) ?? first;
      run.last = at;
      run.limited += 1;
      run.requests = requests - run.from;
      runs.set(id, run);
    },
    of: (id: string): Refusals | undefined => runs.get(id),
    forget: (id: string): void => void runs.delete(id),
    /** Ends the refusals of callers that are well again, and returns the ended ones. What began before `wellSince` was too few. */
    end(ill: ReadonlySet<string>, wellSince: number, now: number): readonly (readonly [string, Refusals])[] {
      for (const [id, run] of runs) {
        run.isTold ||= ill.has(id);
        if (ill.has(id)) ended.delete(id);
        else if (run.isTold || run.since < wellSince) runs.delete(id);
        if (run.isTold && !ill.has(id)) ended.set(id, run);
      }
      for (const [id, { last }] of ended) if (now - last > ENDED_KEPT_MS) ended.delete(id);
      return [...ended];
    },
  };
}
