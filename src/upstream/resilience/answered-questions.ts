/** Knows when a source last gave a good answer to another question than a given one. */
export type AnsweredQuestions = {
  add(question: string): void;
  /** By the monotonic clock; -Infinity: never. */
  lastOtherThan(question: string): number;
};

type Answered = { readonly question: string; atMs: number };

/** Creates it empty. It keeps the last two different questions, so however many there are, it needs no more memory. */
export function createAnsweredQuestions(monotonic: () => number): AnsweredQuestions {
  let last: Answered | undefined;
  let before: Answered | undefined;
  return {
    add(question) {
      if (last?.question === question) last.atMs = monotonic();
      else [last, before] = [{ question, atMs: monotonic() }, last];
    },
    lastOtherThan(question) {
      return (last?.question === question ? before?.atMs : last?.atMs) ?? -Infinity;
    },
  };
}
