import type { ReportProblem } from '../config/problem.ts';

/** A location in a source file. What is compiled from the file reports there what is wrong with it. */
export type SpecLocation = {
  /** Reports a problem here, with a hint how to mend it. */
  report(message: string, hint?: string): void;
  /** The location to which keys lead from here. */
  at(...keys: readonly PropertyKey[]): SpecLocation;
};

/** The location at a path of keys of the file whose problems `report` takes. */
export function locationIn(report: ReportProblem, path: readonly PropertyKey[] = []): SpecLocation {
  return {
    report: (message, hint) => report(path, message, hint),
    at: (...keys) => locationIn(report, [...path, ...keys]),
  };
}

/** For a file that has been checked already: its problems are not reported again. */
export const CHECKED = locationIn(() => undefined);
