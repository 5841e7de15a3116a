/**
 * `npm run test:operations`: what is promised to those who operate Portico, a row each with its figure. It takes at most
 * 20 minutes; `--long` gives every row the time that its sentence names.
 *
 *   npm run test:operations -- --only alerts --only reload-3
 */
import { parseArgs } from 'node:util';
import { printTotals, runTable } from '../faults/harness/run-table.ts';
import { asFaultRow, type OperationRow } from './row.ts';
import { themes } from './table.ts';

const { values } = parseArgs({
  options: { only: { type: 'string', multiple: true }, long: { type: 'boolean', default: false } },
});
const patterns = values.only?.map((text) => new RegExp(text, 'i'));
const isWanted = ({ id, name }: OperationRow) => patterns?.some((one) => one.test(`${id} ${name}`)) ?? true;
const rows = Object.values(themes).flat().filter(isWanted);

if (rows.length === 0) {
  process.stdout.write(`no row has ${values.only?.join(' or ')} in its id or name\n`);
  process.exitCode = 64;
} else {
  const outcomes = await runTable(rows.map(asFaultRow), { long: values.long });
  process.exitCode = printTotals(outcomes) ? 0 : 1;
}
