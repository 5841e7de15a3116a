/**
 * `npm run test:faults`: every row of the fault matrix, the slow ones too, with its figure and its bounds in time. A row
 * that broke nothing but such a bound is measured again, twice at most: something else on the machine may have been the
 * reason.
 *
 *   npm run test:faults -- --only R2 --only U1
 */
import { parseArgs } from 'node:util';
import { totalsText, watch } from '../support/canaries/canary-watch.ts';
import { openBench } from './harness/bench.ts';
import { comeFirst } from './harness/load/priority.ts';
import type { FaultRow, Figure, Outcome } from './harness/row.ts';
import { runRow } from './harness/run-row.ts';
import { matrix } from './matrix.ts';

const { values } = parseArgs({ options: { only: { type: 'string', multiple: true } } });
const rows = matrix.filter(({ id }) => values.only?.includes(id) ?? true);
const outcomes: Outcome[] = [];
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
  say(`${row.id} | ${row.fault} | ${figureText(figure)} | ${verdict} (${seconds.toFixed(1)} s)`);
  for (const line of broken) say(`    ${line}`);
}

/** The greatest, or the sum, of one name over all figures. */
function overall(name: string, combine: (values: readonly number[]) => number): number {
  return combine(outcomes.map(({ figure }) => figure[name]).filter((value) => typeof value === 'number'));
}

/** On a bench of its own: no row inherits what another one did. */
async function runOnce(row: FaultRow): Promise<Outcome> {
  const bench = await openBench({ strict: true });
  const outcome = await runRow(bench, row);
  await bench.close();
  return outcome;
}

async function runAll(all: readonly FaultRow[]): Promise<void> {
  say('id | fault | figure | ok');
  for (const row of all) {
    if (row.skip !== undefined) {
      say(`${row.id} | ${row.fault} | not run here: ${row.skip} | –`);
      continue;
    }
    let outcome = await runOnce(row);
    for (let again = 0; again < AGAIN_MAX && outcome.onlyLate && outcome.broken.length > 0; again += 1) {
      say(`    measured again: ${outcome.broken.join('; ')}`);
      outcome = await runOnce(row);
    }
    outcomes.push(outcome);
    printOutcome(outcome);
  }
}

comeFirst(process.pid);
await runAll(rows);
const passed = outcomes.filter(({ broken }) => broken.length === 0).length;
const added = overall('added ms', (all) => Math.max(0, ...all));
const wrong = overall('wrong', (all) => all.reduce((sum, one) => sum + one, 0));
say(`worst added latency ${Math.round(added)} ms, wrong answers ${wrong}`);
watch.end();
say(totalsText(watch.totals));
say(`${passed} passed, ${outcomes.length - passed} failed`);
process.exitCode = passed === outcomes.length && watch.totals.found.length === 0 ? 0 : 1;
