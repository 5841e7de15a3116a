// The place in a source file at which a compiler of the file reports problems. Each part of the file is compiled with its own.

import type { ReportProblem } from '../../../config/yaml/problem.ts';

/** A location in a source file, at which compilers report problems. */
export type SpecLocation = {
  /** Reports a problem here, with a hint what to change. */
  report(message: string, hint?: string): void;
  /** The location below this one, by keys. */
  at(...keys: readonly PropertyKey[]): SpecLocation;
};

/** The location at a path of keys of a file; `report` receives its problems. */
export function locationIn(report: ReportProblem, path: readonly PropertyKey[] = []): SpecLocation {
  return {
    report: (message, hint) => report(path, message, hint),
    at: (...keys) => locationIn(report, [...path, ...keys]),
  };
}

/** A location that reports nothing, for a file that has been checked already. */
export const CHECKED = locationIn(() => undefined);
