/**
 * What tests get for `fast-check` (see `jest.config.js`): the library itself, with the same cases in each run, so that
 * a failure shows what a change broke and not what chance found. `npm run fuzz` sets a seed and a time for each property:
 * its cases are new, and as many as fit in.
 */
import { env } from 'node:process';
import fc from '../../../node_modules/fast-check/lib/fast-check.js';

const seed = Number(env['FUZZ_SEED'] ?? 20_261_121);
const propertyMs = Number(env['FUZZ_PROPERTY_MS'] ?? 0);

fc.configureGlobal({ seed });

type Assert = (property: Parameters<typeof fc.assert>[0], parameters?: object) => unknown;

/** As many cases as fit in, whatever number a property asks for. */
const assertFuzzed: Assert = (property, parameters) =>
  fc.assert(property, {
    ...parameters,
    ...{ seed, numRuns: Number.MAX_SAFE_INTEGER, interruptAfterTimeLimit: propertyMs },
  });

export default propertyMs > 0 ? { ...fc, assert: assertFuzzed } : fc;
