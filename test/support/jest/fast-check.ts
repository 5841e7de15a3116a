/**
 * What tests get for `fast-check` (see `jest.config.js`): the library itself, asked the same questions in each run, so
 * that a change is told what it broke and not what chance found. `npm run fuzz` asks new ones; `PROPERTY_SEED=7 npm test`
 * asks others, or those of a failure again.
 */
import { env } from 'node:process';
import fc from '../../../node_modules/fast-check/lib/fast-check.js';

const cases = Number(env['FUZZ_CASES']);
const seed = Number(env['PROPERTY_SEED'] ?? 20_261_121);

// With `FUZZ_CASES`, every property tries so many new cases, or as many as half a minute allows.
// eslint-disable-next-line @typescript-eslint/no-deprecated -- the plugin in its place cannot be set for all properties
fc.configureGlobal(cases > 0 ? { numRuns: cases, interruptAfterTimeLimit: 30_000 } : { seed });

export * from '../../../node_modules/fast-check/lib/fast-check.js';
export default fc;
