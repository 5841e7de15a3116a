// Compares one server with some rivals, by CPU or by instructions, and notes the ratios; goals.ts judges them.

import { hasGoal } from './goals.ts';
import type { BenchResult } from './print-result.ts';
import type { Load } from './rounds.ts';
import { compareSideBySide, type Measured, type Server } from './side-by-side.ts';
import { compareCounted, type Counting } from './valgrind.ts';

/** How servers are compared, and where that is noted. */
type Comparing = {
  readonly rounds: number;
  readonly load: Load;
  readonly result: BenchResult;
  readonly counting?: Counting | undefined;
};

/** Rivals by the name of the ratio to each. */
export type Rivals = Readonly<Record<string, Server>>;

/** Compares a server with some rivals, and adds what was measured to the result. In Valgrind, these are the rivals of a goal. */
export async function compare(
  { rounds, load, result, counting }: Comparing,
  ours: Server,
  rivals: Rivals,
): Promise<void> {
  const { name } = ours.target;
  const ratios = Object.keys(rivals).filter((ratio) => counting === undefined || hasGoal(ratio));
  if (ratios.length === 0) return;
  const servers = ratios.flatMap((ratio) => rivals[ratio] ?? []);
  const compared = await (counting === undefined
    ? compareSideBySide(ours, servers, rounds, load)
    : compareCounted(ours, servers, rounds, load, counting));
  for (const [index, ratio] of ratios.entries()) {
    const found = compared[index];
    if (found === undefined) continue;
    if (found.ratio !== undefined) result.ratios[ratio] = found.ratio;
    if (found.instructions !== undefined) result.instructionRatios[ratio] = found.instructions;
    addMeasured(result, name, found.ours);
    addMeasured(result, found.rival, found.theirs);
  }
}

/** What a result holds before anything is measured. */
export const nothingMeasured = () => ({
  ratios: {},
  instructionRatios: {},
  rates: {},
  costs: {},
  instructions: {},
});

function addMeasured(result: BenchResult, name: string, measured: Measured): void {
  for (const kind of ['rates', 'costs', 'instructions'] as const)
    result[kind][name] = [...(result[kind][name] ?? []), ...measured[kind]];
}
