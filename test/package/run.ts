/**
 * `npm run test:package`: packs the package, installs it in an empty folder and runs it there, a row each with its figure.
 *
 *   npm run test:package -- --only node-22
 */
import { runThemes } from '../faults/harness/run-table.ts';
import { packageRows } from './rows.ts';

await runThemes({ package: packageRows });
