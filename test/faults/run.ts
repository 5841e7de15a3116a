/**
 * `npm run test:faults`: every row of the fault matrix, the slow ones too, with its figure and its bounds in time.
 *
 *   npm run test:faults -- --only R2 --only U1
 */
import { runThemes } from './harness/run-table.ts';
import { matrix } from './matrix.ts';

await runThemes({ matrix });
