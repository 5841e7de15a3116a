/**
 * `npm run test:browser`: what is promised of the pages that Portico serves, a row each with its figure, in a real Chromium.
 *
 *   npm run test:browser -- --only docs --only login-1
 *   npm run test:browser -- --short                        login, overview, one change, /docs
 *   npm run test:browser -- --screenshots <folder>         keeps what each view looks like
 *   npm run test:browser -- --readme                       makes the pictures of the README again
 */
import { printTotals, runTable } from '../faults/harness/run-table.ts';
import { asFaultRow } from '../operations/row.ts';
import { asOperationRow } from './harness/browser-row.ts';
import { closeChromium, hasChromium, NO_CHROMIUM } from './harness/chromium.ts';
import { readOptions } from './harness/run-options.ts';
import { browserRows } from './table.ts';

const { only, short } = readOptions();
const patterns = only?.map((text) => new RegExp(text, 'i'));
const rows = browserRows.filter(
  ({ id, name, isShort }) =>
    (isShort || !short) && (patterns?.some((one) => one.test(`${id} ${name}`)) ?? true),
);

if (!hasChromium()) {
  process.stdout.write(`${NO_CHROMIUM}\n`);
  process.exitCode = 69;
} else if (rows.length === 0) {
  process.stdout.write(`no row has ${only?.join(' or ') ?? 'such a word'} in its id or name\n`);
  process.exitCode = 64;
} else {
  const outcomes = await runTable(rows.map((row) => asFaultRow(asOperationRow(row))));
  await closeChromium();
  process.exitCode = printTotals(outcomes) ? 0 : 1;
}
