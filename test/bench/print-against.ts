// The lines that the paired bench prints: this checkout against other commits, with the interval of each ratio.

import type { AgainstResult, Comparison } from './against.ts';
import type { MedianInterval } from './paired.ts';

function comparisonLines({ commit, variant, measures }: Comparison): readonly string[] {
  const line = (name: string, ratio: MedianInterval, values: string) =>
    `${name.padEnd(31)}${ratio.median.toFixed(3).padStart(6)}  ${`${ratio.low.toFixed(3)}–${ratio.high.toFixed(3)}`.padEnd(14)}${values}`;
  const rows = Object.entries(measures).flatMap(([name, { rate, cpu, instructions, medians }]) => {
    const [that, here] = medians;
    const rates = `${that.rate.toFixed(0)} → ${here.rate.toFixed(0)} requests/s`;
    const costs = `${that.cpuPerRequest.toFixed(0)} → ${here.cpuPerRequest.toFixed(0)} µs`;
    const [before = 0, after = 0] = medians.map((sample) => (sample.instructionsPerRequest ?? 0) / 1_000);
    const counts = `${before.toFixed(0)} → ${after.toFixed(0)} thousand`;
    return [
      line(`${name}, rate`, rate, rates),
      line(`${name}, CPU per request`, cpu, costs),
      ...(instructions === undefined ? [] : [line(`${name}, instructions`, instructions, counts)]),
    ];
  });
  return ['', `${commit} → ${variant}`, ...rows];
}

/** The lines that are printed of all comparisons. */
export function againstLines({ rounds, seconds, comparisons }: AgainstResult): readonly string[] {
  return [
    `${String(rounds)} rounds of ${String(seconds)} s; a ratio above 1 says that this checkout is better`,
    '(rate, of the core that all share: this / that; CPU and instructions per request: that / this; the median over the rounds, its 95 % interval)',
    ...comparisons.flatMap(comparisonLines),
  ];
}
