import { distance } from 'fastest-levenshtein';

/** The candidate that is most similar to a mistyped word, for "did you mean …?"; `undefined` if none is similar. */
export function closest(word: string, candidates: readonly string[]): string | undefined {
  const near = candidates
    .map((candidate) => ({ candidate, cost: distance(word.toLowerCase(), candidate.toLowerCase()) }))
    .filter(
      ({ candidate, cost }) =>
        cost <= (candidate.length < 4 ? 1 : Math.max(2, Math.floor(candidate.length / 3))),
    )
    .sort((a, b) => a.cost - b.cost);
  return near[0]?.candidate;
}
