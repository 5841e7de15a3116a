import { env } from 'node:process';

/** Describes what takes its time: it runs where a variable asks for it, and is reported as skipped where none does. */
export function describeOnRequest(variable: 'IMAGE' | 'FLEETS', name: string, tests: () => void): void {
  if (env[variable] !== undefined) describe(name, tests);
  else describe.skip(`${name} (set ${variable}=1 to run this)`, tests);
}
