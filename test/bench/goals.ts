import type { Ratio } from './side-by-side.ts';

/** What a ratio must be at least; it is measured with a group of the bench. */
type Goal = {
  readonly group: string;
  readonly ratio: string;
  readonly atLeast: number;
  readonly aim: number;
};

/** Instructions of an answer, of the rival to ours: the group, the ratio, what it must be, and what is aimed at. */
const ROWS = [
  ['hot', 'hotToExpressFloor', 0.75, 0.85],
  ['hot', 'hotToFastify', 2, 2.5],
  ['hotMounted', 'hotMounted', 0.95, 1],
  ['miss', 'missToExpress', 1.5, 2],
  ['miss', 'missToFastify', 1.1, 1.3],
  ['miss', 'missToLura', 1.1, 1.3],
  ['passthrough', 'passthroughToExpress', 1.3, 1.5],
  ['passthrough', 'passthroughToFastify', 1, 1.2],
  ['passthrough', 'passthroughToBareProxy', 0.92, 1],
] as const;
const GOALS = ROWS.map(([group, ratio, atLeast, aim]): Goal => ({ group, ratio, atLeast, aim }));

/** Whether a ratio has a goal. */
export const hasGoal = (ratio: string): boolean => GOALS.some((goal) => goal.ratio === ratio);

/** A goal, and what the run says of it. */
export type JudgedGoal = Goal & { readonly verdict: 'met' | 'missed' | 'not judged' };

/**
 * Judges the goals of the groups that were asked for, by instructions, because CPU time says how busy a machine is. A goal
 * whose instructions were not counted is not judged, whatever its CPU is.
 */
export function judgeGoals(
  groups: ReadonlySet<string>,
  instructions: Readonly<Record<string, Ratio>>,
): readonly JudgedGoal[] {
  return GOALS.filter(({ group }) => groups.has(group)).map((one) => {
    // A round without an answer has no ratio either.
    const measured = instructions[one.ratio]?.median ?? Number.NaN;
    const verdict = measured >= one.atLeast ? 'met' : 'missed';
    return { ...one, verdict: Number.isNaN(measured) ? 'not judged' : verdict };
  });
}

/** What the process ends with: 1 if a goal is missed, otherwise 3 if one is not judged, otherwise 0. */
export function exitCodeOf(goals: readonly JudgedGoal[]): 0 | 1 | 3 {
  if (goals.some(({ verdict }) => verdict === 'missed')) return 1;
  return goals.some(({ verdict }) => verdict === 'not judged') ? 3 : 0;
}
