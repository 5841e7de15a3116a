import type { Outcome } from './row.ts';

const say = (text: string) => void process.stdout.write(`${text}\n`);

/** Prints a row in a line, and everything that a failing one showed. */
export function printOutcome(
  { name, head, unseen, failures, details, seconds }: Outcome,
  isLong: boolean,
): void {
  const verdict = failures.length > 0 ? 'FAILED' : unseen === undefined ? 'ok' : 'unseen';
  say(`${verdict} ${name} | ${head} | ${seconds.toFixed(1)} s`);
  for (const line of failures) say(`  ${line}`);
  if (unseen !== undefined) say(`  cannot be seen from outside: ${unseen}`);
  if (failures.length > 0 || isLong) for (const line of details) say(`    ${line}`);
}

/** Prints the figures of all rows; the last line has how many passed and failed. */
export function printSummary(outcomes: readonly Outcome[]): void {
  const count = (isCounted: (outcome: Outcome) => boolean) => outcomes.filter(isCounted).length;
  const sum = (name: 'asked' | 'wrong') => outcomes.reduce((all, { figures }) => all + figures[name], 0);
  const failed = count(({ failures }) => failures.length > 0);
  say(
    `of ${outcomes.length} rows, doctor flags ${count(({ figures }) => figures.isFlagged)}, the gateway contradicts`,
  );
  say(
    `${count(({ figures }) => figures.isContradicted)}, and ${count(({ unseen }) => unseen !== undefined)} cannot be seen`,
  );
  say(
    `${sum('wrong')} of ${sum('asked')} answers are wrong: behind files that doctor flags, or by what cannot be seen`,
  );
  say(`${outcomes.length - failed} passed, ${failed} failed`);
}
