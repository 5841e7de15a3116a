/**
 * `npm run test:faults`: every row of the fault matrix, the slow ones too, with its figure and its bounds in time.
 *
 *   npm run test:faults -- --only R2 --only U1
 */
import { parseArgs } from 'node:util';
import { printTotals, runTable } from './harness/run-table.ts';
import { matrix } from './matrix.ts';

const { values } = parseArgs({ options: { only: { type: 'string', multiple: true } } });
const outcomes = await runTable(matrix.filter(({ id }) => values.only?.includes(id) ?? true));
process.exitCode = printTotals(outcomes) ? 0 : 1;
