/**
 * `npm run test:claims`: a table of services that break each claim that a source file can make, and of correct ones. Each row
 * records what `doctor` says of the file, what `infer` drafts, and whether the gateway answers as the contract's model does. A row
 * fails if an answer is wrong although doctor passed the file, or wrong after the gateway has seen the contradiction. A clear
 * error is no wrong answer.
 *
 *   npm run test:claims -- --only 'total: one too many' --no-draft --long
 */
import { fork } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { printOutcome, printSummary } from './harness/print-outcome.ts';
import type { Outcome, RowOptions, TableRow } from './harness/row.ts';
import { table } from './table.ts';

const { values } = parseArgs({
  allowNegative: true,
  options: {
    only: { type: 'string', multiple: true },
    queries: { type: 'string', default: '200' },
    seed: { type: 'string', default: '20260314' },
    writes: { type: 'string', default: '50' },
    processes: { type: 'string', default: String(Math.min(2, availableParallelism())) },
    draft: { type: 'boolean', default: true },
    long: { type: 'boolean', default: false },
  },
});
const options: RowOptions = {
  queries: Number(values.queries),
  seed: Number(values.seed),
  writes: Number(values.writes),
  infer: values.draft,
};
const rows = table.filter(({ name }) => values.only?.some((text) => name.includes(text)) ?? true);

/** In a process of the pool: runs the rows that it is sent. */
function serveRows(): void {
  process.on('message', (name: string) => {
    const row = table.find((one) => one.name === name);
    if (row === undefined) throw new Error(`there is no row ${name}`);
    void runSafely(row).then((outcome) => process.send?.(outcome));
  });
}

/** A row that crashes has failed. */
async function runSafely(row: TableRow): Promise<Outcome> {
  try {
    return await row.run(options);
  } catch (error) {
    const details = [error instanceof Error ? (error.stack ?? error.message) : String(error)];
    const figures = { asked: 0, wrong: 0, isFlagged: false, isContradicted: false };
    return { name: row.name, head: '', failures: ['it crashed'], details, figures, seconds: 0 };
  }
}

/** Runs the rows in processes that each take the next one. */
async function runAll(onOutcome: (outcome: Outcome) => void): Promise<void> {
  const waiting = [...rows];
  const runOne = () =>
    new Promise<void>((resolve, reject) => {
      const child = fork(import.meta.filename, process.argv.slice(2), {
        env: { ...process.env, CLAIMS_POOL: '1' },
        serialization: 'advanced',
      });
      const next = () => {
        const row = waiting.shift();
        if (row === undefined) child.disconnect();
        else child.send(row.name);
      };
      child.on('message', (outcome) => {
        onOutcome(outcome as Outcome);
        next();
      });
      child.on('exit', (code) =>
        code === 0 ? resolve() : reject(new Error(`a process ended with ${code}`)),
      );
      next();
    });
  await Promise.all(Array.from({ length: Number(values.processes) }, runOne));
}

if (process.env['CLAIMS_POOL'] === '1') serveRows();
else if (rows.length === 0) {
  process.stdout.write(`no row has ${values.only?.join(' or ')} in its name\n`);
  process.exitCode = 64;
} else {
  const outcomes: Outcome[] = [];
  await runAll((outcome) => {
    outcomes.push(outcome);
    printOutcome(outcome, values.long);
  });
  printSummary(outcomes);
  process.exitCode = outcomes.every(({ failures }) => failures.length === 0) ? 0 : 1;
}
