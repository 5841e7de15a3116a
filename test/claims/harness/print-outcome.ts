import type { Row, RowOutcome, Trial } from './run-row.ts';

const SHOWN = 2;
const SHOWN_LENGTH = 500;

const say = (text: string) => void process.stdout.write(`${text}\n`);

/** Two texts from shortly before the place where they begin to differ. */
function fromDifference(expected: string, actual: string): [string, string] {
  let at = 0;
  while (at < expected.length && expected[at] === actual[at]) at += 1;
  const start = Math.max(0, at - 100);
  const tail = (text: string) => {
    const meta = text.slice(text.lastIndexOf('"meta"'));
    return `${start > 0 ? '…' : ''}${text.slice(start, start + SHOWN_LENGTH)}…${meta.slice(0, 80)}`;
  };
  return [tail(expected), tail(actual)];
}

function trialText({ lied, doctor, doctorLater, wrong, errors, contradicted }: Trial): string {
  const failed = [...errors].reduce((sum, [, { times }]) => sum + times, 0);
  const seen = doctor.differs.length + (doctorLater === doctor ? 0 : doctorLater.differs.length);
  return [
    ...(lied > 0 ? [`lied ${lied}`] : []),
    `doctor ${seen} (${doctor.untold.length} untold)`,
    `wrong ${wrong.length}`,
    `errors ${failed}`,
    ...(contradicted.length > 0 ? [`contradicted ${contradicted.join(' ')}`] : []),
  ].join(', ');
}

function printTrial(who: string, { doctor, doctorLater, wrong, errors }: Trial): void {
  for (const line of new Set([...doctor.differs, ...doctorLater.differs])) say(`    ${who}: doctor: ${line}`);
  for (const line of new Set(doctor.untold)) say(`    ${who}: doctor could not tell: ${line}`);
  for (const [code, { times, path, log }] of errors) say(`    ${who}: ${times} ${code}: GET ${path}: ${log}`);
  for (const { path, expected, actual, contradicted } of wrong.slice(0, SHOWN)) {
    const [wanted, got] = fromDifference(expected, actual);
    say(`    ${who}: GET ${path}${contradicted.length > 0 ? ` after ${contradicted.join(' ')}` : ''}`);
    say(`        expected ${wanted}\n        answered ${got}`);
  }
}

/** Prints a row in a line, and everything that a failing one showed. */
export function printOutcome(outcome: RowOutcome, { showDraft = false } = {}): void {
  const { row, claimed, drafted, failures, seconds } = outcome;
  const draftText =
    'refused' in drafted ? `no draft (${drafted.refused})` : `${trialText(drafted)}, edits ${drafted.edits}`;
  const verdict = failures.length > 0 ? 'FAILED' : row.unseen === undefined ? 'ok' : 'unseen';
  say(`${verdict} ${row.name} | file: ${trialText(claimed)} | draft: ${draftText} | ${seconds.toFixed(1)} s`);
  for (const line of failures) say(`  ${line}`);
  if (row.unseen !== undefined) say(`  cannot be seen from outside: ${row.unseen}`);
  if (failures.length > 0) {
    printTrial('file', claimed);
    if (!('refused' in drafted)) printTrial('draft', drafted);
  }
  if (showDraft && !('refused' in drafted)) say(drafted.text);
}

/** Prints the figures of the whole table; its last line has how many rows passed and failed. */
export function printSummary(outcomes: readonly RowOutcome[], table: readonly Row[], crashed: number): void {
  const passed = outcomes.filter(({ failures }) => failures.length === 0).length;
  const trials = outcomes.flatMap(({ claimed, drafted }) =>
    'refused' in drafted ? [claimed] : [claimed, drafted],
  );
  const wrong = trials.reduce((sum, trial) => sum + trial.wrong.length, 0);
  const asked = trials.reduce((sum, trial) => sum + trial.asked, 0);
  const flagged = outcomes.filter(
    ({ claimed }) => claimed.doctor.differs.length + claimed.doctorLater.differs.length > 0,
  );
  const seen = outcomes.filter(({ claimed }) => claimed.contradicted.length > 0);
  say(
    `${outcomes.length + crashed} of ${table.length} rows; doctor flags ${flagged.length}, the gateway contradicts ${seen.length}`,
  );
  say(
    `${asked} answers; ${wrong} wrong, all of them behind files that doctor flags or lies that cannot be seen`,
  );
  say(`${passed} passed, ${outcomes.length - passed + crashed} failed`);
}
