/** When a source last answered which question well: the breaker asks whether one question fails, or the source. */
export type LastSuccesses = {
  add(question: string): void;
  /** When it last answered any question well, by the monotonic clock in ms; -Infinity: never. */
  readonly lastMs: number;
  /** When it last answered another question than this one well. */
  lastOtherThan(question: string): number;
};

type Answered = { readonly question: string; atMs: number };

/** Creates it empty. It keeps the last two different questions, so however many there are, it needs no more memory. */
export function createLastSuccesses(monotonic: () => number): LastSuccesses {
  let last: Answered | undefined;
  let before: Answered | undefined;
  return {
    add(question) {
      if (last?.question === question) last.atMs = monotonic();
      else [last, before] = [{ question, atMs: monotonic() }, last];
    },
    get lastMs() {
      return last?.atMs ?? -Infinity;
    },
    lastOtherThan(question) {
      return (last?.question === question ? before?.atMs : last?.atMs) ?? -Infinity;
    },
  };
}
