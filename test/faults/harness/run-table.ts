import { parseArgs } from 'node:util';
import { totalsText, watch } from '../../support/secret-markers/marker-watch.ts';
import { openBench } from './bench.ts';
import { comeFirst } from './load/priority.ts';
import type { BenchRow, Figure, Outcome, Themes } from './row.ts';
import { runRow } from './run-row.ts';

const AGAIN_MAX = 2;

const say = (text: string) => void process.stdout.write(`${text}\n`);

function figureText(figure: Figure): string {
  const figures = Object.entries(figure).map(
    ([name, value]) => `${name} ${typeof value === 'number' ? Math.round(value * 10) / 10 : value}`,
  );
  return figures.join(', ');
}

function printOutcome({ row, figure, broken, seconds }: Outcome): void {
  const verdict = broken.length === 0 ? 'ok' : 'FAILED';
  say(`${row.id} | ${row.name} | ${figureText(figure)} | ${verdict} (${seconds.toFixed(1)} s)`);
  for (const line of broken) say(`    ${line}`);
}

/** On a bench of its own: no row inherits what another one did. */
async function runOnce(row: BenchRow, long: boolean): Promise<Outcome> {
  const bench = await openBench({ strict: true, long });
  const outcome = await runRow(bench, row);
  await bench.close();
  return outcome;
}

/**
 * Runs the rows, so many `atOnce`, and prints a line for each. A row that broke nothing but a bound in time is measured
 * again, twice at most: something else on the machine may have been the reason.
 */
async function runTable(
  rows: readonly BenchRow[],
  long: boolean,
  atOnce: number,
): Promise<readonly Outcome[]> {
  comeFirst(process.pid);
  const outcomes: Outcome[] = [];
  say('id | promise | figure | ok');
  // All take their next row from here.
  const waiting = rows.values();
  async function runWaiting(): Promise<void> {
    for (const row of waiting) {
      if (row.skip !== undefined) {
        say(`${row.id} | ${row.name} | not run here: ${row.skip} | –`);
        continue;
      }
      let outcome = await runOnce(row, long);
      for (let again = 0; again < AGAIN_MAX && outcome.onlyLate && outcome.broken.length > 0; again += 1) {
        say(`    measured again: ${outcome.broken.join('; ')}`);
        outcome = await runOnce(row, long);
      }
      outcomes.push(outcome);
      printOutcome(outcome);
    }
  }
  await Promise.all(Array.from({ length: atOnce }, runWaiting));
  return outcomes;
}

/** Prints the last lines: what was found over all rows, and how many passed. Answers whether all of them did. */
function printTotals(outcomes: readonly Outcome[]): boolean {
  /** The greatest, or the sum, of one name over all figures. */
  function overall(name: string, combine: (values: readonly number[]) => number): number {
    return combine(outcomes.map(({ figure }) => figure[name]).filter((value) => typeof value === 'number'));
  }
  const passed = outcomes.filter(({ broken }) => broken.length === 0).length;
  const added = overall('added ms', (all) => Math.max(0, ...all));
  const wrong = overall('wrong', (all) => all.reduce((sum, one) => sum + one, 0));
  say(`worst added latency ${Math.round(added)} ms, wrong answers ${wrong}`);
  watch.end();
  say(totalsText(watch.totals));
  say(`${passed} passed, ${outcomes.length - passed} failed`);
  return passed === outcomes.length && watch.totals.found.length === 0;
}

/** The arguments that every script of rows takes. */
export const ROW_OPTIONS = {
  only: { type: 'string', multiple: true },
  long: { type: 'boolean', default: false },
} as const;

/**
 * Runs the rows that `--only` names, by the whole id or by a part of id and name, or all of them. The exit code is 1 where one fails, and 64 where no
 * row has such a name.
 */
export async function runRows(
  rows: readonly BenchRow[],
  { only, long }: { readonly only?: readonly string[] | undefined; readonly long: boolean },
  atOnce = 1,
): Promise<void> {
  const ids = new Set(rows.map(({ id }) => id));
  const fits = (text: string, { id, name }: BenchRow) =>
    ids.has(text) ? id === text : new RegExp(text, 'i').test(`${id} ${name}`);
  const wanted = rows.filter((row) => only?.some((text) => fits(text, row)) ?? true);
  if (wanted.length === 0) {
    say(`no row has ${only?.join(' or ') ?? 'such a word'} in its id or name`);
    process.exitCode = 64;
    return;
  }
  process.exitCode = printTotals(await runTable(wanted, long, atOnce)) ? 0 : 1;
}

/** A script that runs the rows of some themes, as its arguments say; so many `atOnce` where they mostly wait. */
export async function runThemes(themes: Themes, atOnce = 1): Promise<void> {
  await runRows(Object.values(themes).flat(), parseArgs({ options: ROW_OPTIONS }).values, atOnce);
  // Node's clean-up may wait for ever for the handle of a process that has ended (seen with 24.21, after row P5).
  process.exit();
}
