import { registerHooks } from 'node:module';
import fc from 'fast-check';
import { propertyMs, seed } from './fast-check.ts';

/*
 * The same cases of each property in each run, so that a failure shows what a change broke and not what chance found.
 * `npm run fuzz` sets a seed and a time for each property: its test files get another `fast-check`.
 */

fc.configureGlobal({ seed });

if (propertyMs > 0) {
  const fuzzed = new URL('fast-check.ts', import.meta.url).href;
  registerHooks({
    resolve: (specifier, context, resolveNext) =>
      resolveNext(specifier === 'fast-check' ? fuzzed : specifier, context),
  });
}
