import { distance } from 'fastest-levenshtein';

/** The candidate most like a mistyped word; `undefined` if none is close. */
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
