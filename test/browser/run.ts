/**
 * `npm run test:browser`: what is promised of the pages that Portico serves, a row each with its figure, in a real Chromium.
 *
 *   npm run test:browser -- --only docs --only login-1
 *   npm run test:browser -- --short                        login, overview, one change, /docs
 *   npm run test:browser -- --screenshots <folder>         keeps what each view looks like
 *   npm run test:browser -- --readme                       makes the pictures of the README again
 */
import { runRows } from '../faults/harness/run-table.ts';
import { closeChromium, hasChromium, NO_CHROMIUM } from './harness/chromium.ts';
import { readOptions } from './harness/run-options.ts';
import { browserRows } from './table.ts';

const { short, ...options } = readOptions();

if (hasChromium()) {
  await runRows(
    browserRows.filter(({ isShort }) => isShort || !short),
    options,
  );
  await closeChromium();
} else {
  process.stdout.write(`${NO_CHROMIUM}\n`);
  process.exitCode = 69;
}
