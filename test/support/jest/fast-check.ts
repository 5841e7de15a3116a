import { env } from 'node:process';
import fc from '../../../node_modules/fast-check/lib/fast-check.js';

export const seed = Number(env['FUZZ_SEED'] ?? 20_261_121);
/** How long `npm run fuzz` gives each property; 0 in the suite. */
export const propertyMs = Number(env['FUZZ_PROPERTY_MS'] ?? 0);

type Assert = (property: Parameters<typeof fc.assert>[0], parameters?: object) => unknown;

/** As many cases as fit in, whatever number a property asks for. */
const assertFuzzed: Assert = (property, parameters) =>
  fc.assert(property, {
    ...parameters,
    ...{ seed, numRuns: Number.MAX_SAFE_INTEGER, interruptAfterTimeLimit: propertyMs },
  });

/** What test files get for `fast-check` while they are fuzzed. */
export default { ...fc, assert: assertFuzzed };
