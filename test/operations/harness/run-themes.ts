import { parseArgs } from 'node:util';
import { printTotals, runTable } from '../../faults/harness/run-table.ts';
import { asFaultRow, type OperationRow } from '../row.ts';

/**
 * Runs the rows of a script, all of them or those that `--only` names by id or name, and prints a line for each. The
 * exit code is 1 where one fails, and 64 where no row has such a name.
 */
export async function runThemes(themes: Readonly<Record<string, readonly OperationRow[]>>): Promise<void> {
  const { values } = parseArgs({
    options: { only: { type: 'string', multiple: true }, long: { type: 'boolean', default: false } },
  });
  const patterns = values.only?.map((text) => new RegExp(text, 'i'));
  const isWanted = ({ id, name }: OperationRow) => patterns?.some((one) => one.test(`${id} ${name}`)) ?? true;
  const rows = Object.values(themes).flat().filter(isWanted);
  if (rows.length === 0) {
    process.stdout.write(`no row has ${values.only?.join(' or ')} in its id or name\n`);
    process.exitCode = 64;
    return;
  }
  const outcomes = await runTable(rows.map(asFaultRow), { long: values.long });
  process.exitCode = printTotals(outcomes) ? 0 : 1;
}
