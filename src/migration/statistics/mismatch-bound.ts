// Exact confidence bounds (Clopper and Pearson) on the share of questions that both sources answer differently, because a gate
// must know how sure a small count is.

/** The chance that a bound is wrong. All bounds are one-sided, with 95 % confidence. */
const DOUBT = 0.05;

/** Lanczos' coefficients for g = 7, good to 15 digits. */
const LANCZOS = [
  0.9999999999998099, 676.5203681218851, -1259.1392167224028, 771.3234287776531, -176.6150291621406,
  12.507343278686905, -0.13857109526572012, 9.984369578019572e-6, 1.5056327351493116e-7,
];

/** The logarithm of the gamma function, for x of at least 1. */
function logGamma(x: number): number {
  const sum = LANCZOS.reduce((all, coefficient, index) =>
    index === 0 ? coefficient : all + coefficient / (x - 1 + index),
  );
  const base = x + 6.5;
  return 0.5 * Math.log(2 * Math.PI) + (x - 0.5) * Math.log(base) - base + Math.log(sum);
}

/** The continued fraction of the incomplete beta function, by Lentz' method (Numerical Recipes, 6.4). */
function betaFraction(x: number, a: number, b: number): number {
  // The method divides by these values, so none of them may be 0.
  const nonZero = (value: number) => (Math.abs(value) < 1e-300 ? 1e-300 : value);
  let c = 1;
  let d = 1 / nonZero(1 - ((a + b) * x) / (a + 1));
  let result = d;
  for (let m = 1; m <= 10_000; m += 1) {
    const even = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1 / nonZero(1 + even * d);
    c = nonZero(1 + even / c);
    result *= d * c;
    const odd = (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / nonZero(1 + odd * d);
    c = nonZero(1 + odd / c);
    result *= d * c;
    if (Math.abs(d * c - 1) < 1e-15) break;
  }
  return result;
}

/** The regularised incomplete beta function. */
function incompleteBeta(x: number, a: number, b: number): number {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  const front = Math.exp(logGamma(a + b) - logGamma(a) - logGamma(b) + a * Math.log(x) + b * Math.log1p(-x));
  return x < (a + 1) / (a + b + 2)
    ? (front * betaFraction(x, a, b)) / a
    : 1 - (front * betaFraction(1 - x, b, a)) / b;
}

/** The probability of at most `hits` among `keys` if the true share is `share`. */
function atMost(hits: number, keys: number, share: number): number {
  return hits >= keys ? 1 : incompleteBeta(1 - share, keys - hits, hits + 1);
}

/** The smallest share for which `isAbove` is true; `isAbove` must be true for all larger shares. */
function bisect(isAbove: (share: number) => boolean): number {
  let [low, high] = [0, 1];
  for (let round = 0; round < 60; round += 1) {
    const middle = (low + high) / 2;
    if (isAbove(middle)) high = middle;
    else low = middle;
  }
  return high;
}

/** Whether the true share of mismatches is at most `share`, with 95 % confidence (Clopper and Pearson, one-sided). */
export function isShareAtMost(share: number, keys: number, mismatches: number): boolean {
  return keys > 0 && atMost(mismatches, keys, share) <= DOUBT;
}

/** The largest true share of mismatches that is still plausible; 1 if nothing was compared. */
export function upperBound(keys: number, mismatches: number): number {
  return keys === 0 ? 1 : bisect((share) => isShareAtMost(share, keys, mismatches));
}

/** The smallest true share of mismatches that is still plausible. */
export function lowerBound(keys: number, mismatches: number): number {
  if (mismatches === 0) return 0;
  return bisect((share) => 1 - atMost(mismatches - 1, keys, share) > DOUBT);
}

/** How many distinct keys are needed to prove a share of at most `share` if `mismatches` of them differ; Infinity for 0. */
export function keysNeeded(share: number, mismatches: number): number {
  if (share <= 0) return Infinity;
  let [low, high] = [mismatches, Math.max(1, 2 * mismatches)];
  while (!isShareAtMost(share, high, mismatches)) [low, high] = [high, high * 2];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (isShareAtMost(share, middle, mismatches)) high = middle;
    else low = middle;
  }
  return high;
}

/** A share as text in percent, rounded to `digits` significant digits. */
export const shareInPercent = (share: number, digits = 3) => `${Number((share * 100).toPrecision(digits))} %`;
