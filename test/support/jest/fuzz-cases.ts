import { env } from 'node:process';

/** How many cases a property tries: `usual`, or more where `npm run fuzz` asks for more. */
export function fuzzCases(usual: number): number {
  return Math.max(usual, Number(env['FUZZ_CASES'] ?? 0));
}
