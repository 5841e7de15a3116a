import { env } from 'node:process';

const cases = Number(env['FUZZ_CASES']);

// `npm run fuzz`: every property tries so many cases, or as many as half a minute allows.
if (cases > 0) {
  const { default: fc } = await import('fast-check');
  // eslint-disable-next-line @typescript-eslint/no-deprecated -- the plugin in its place cannot be set for all properties
  fc.configureGlobal({ numRuns: cases, interruptAfterTimeLimit: 30_000 });
}
