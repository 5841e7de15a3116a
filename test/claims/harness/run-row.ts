import { draftFile, type Examined, examineFile } from './examine.ts';
import type { FaultyService } from './faulty-services.ts';
import { inventQuestions } from './questions.ts';
import { inventRecords, writeRecords } from './records.ts';
import { type Answers, type ServedSource, serveSource, type WrongAnswer } from './serve-source.ts';
import { type Service, startService } from './start-service.ts';
import type { RowOptions } from './row.ts';
import { sourceText } from './source-file.ts';
import { shapes, type ShapeName } from './traits.ts';

/** Of the questions that got an error, so many are asked again: each may be a walk through all rows. */
const REFUSED_AGAIN = 5;

/** A row of the table: a faulty service, or a correct one. */
export type Row = Omit<FaultyService, 'breaks'> & { readonly breaks?: FaultyService['breaks'] };

/** A source file in front of a service: what doctor says of it, and what the gateway answers by it. */
export type Trial = {
  readonly doctor: Examined;
  /** What doctor says after the writes. */
  readonly doctorLater: Examined;
  /** Replies of the service that were not correct. */
  readonly faultyReplies: number;
  readonly asked: number;
  readonly wrong: readonly WrongAnswer[];
  readonly errors: Answers['errors'];
  readonly contradicted: readonly string[];
};

/** What came of a row. */
export type RowOutcome = {
  readonly row: Pick<Row, 'name' | 'shape' | 'unseen'>;
  readonly claimed: Trial;
  /** The draft of `infer`, tried in the same way; the reason, where there is none. */
  readonly drafted:
    (Trial & { readonly edits: number; readonly text: string }) | { readonly refused: string };
  /** Why the row fails, in a line each; none where it passes. */
  readonly failures: readonly string[];
  readonly seconds: number;
};

/** A correct service of each shape, as rows. */
export function correctRows(): readonly Row[] {
  return (Object.keys(shapes) as ShapeName[]).map((shape) => ({
    name: `correct (${shape})`,
    shape,
    afterWrite: true,
  }));
}

async function askTwice(
  served: ServedSource,
  { store }: Service,
  { seed, queries }: RowOptions,
): Promise<Answers[]> {
  const { traits, records, before } = store;
  const current = new Set(records);
  const changed = before.filter((row) => !current.has(row)).map(({ record }) => record.id);
  const count = Math.ceil(queries / 2);
  const questions = inventQuestions(traits, records, { seed: seed + store.writes, count, changed });
  const first = await served.ask(questions);
  // Once more, when claims have been disabled: what is wrong must not come from the cache. An error is told again as an error.
  const refused = questions.filter((question) => !first.answered.includes(question));
  return [first, await served.ask([...first.answered, ...refused.slice(0, REFUSED_AGAIN)])];
}

/** Everybody's changes: records come, go, change, and lose values. */
function write(service: Service, { writes }: RowOptions): void {
  const { traits, before } = service.store;
  service.write(writeRecords(traits, before, writes));
}

async function tryFile(text: string, row: Row, options: RowOptions): Promise<Trial> {
  const traits = shapes[row.shape];
  const service = await startService(traits, inventRecords(traits), row.breaks);
  try {
    const doctor = await examineFile(text.replaceAll('{origin}', service.origin));
    const served = await serveSource(
      service.store,
      service.origin,
      text.replaceAll('{origin}', service.origin),
    );
    try {
      const answers = await askTwice(served, service, options);
      let doctorLater = doctor;
      if (row.afterWrite) {
        write(service, options);
        await served.purge();
        answers.push(...(await askTwice(served, service, options)));
        doctorLater = await examineFile(text.replaceAll('{origin}', service.origin));
      }
      return { doctor, doctorLater, faultyReplies: service.faultyReplies, ...summed(answers) };
    } finally {
      await served.close();
    }
  } finally {
    await service.close();
  }
}

function summed(answers: readonly Answers[]): Omit<Trial, 'doctor' | 'doctorLater' | 'faultyReplies'> {
  const errors = new Map(answers.flatMap((one) => [...one.errors]));
  return {
    asked: answers.reduce((sum, one) => sum + one.asked, 0),
    wrong: answers.flatMap((one) => one.wrong),
    errors,
    contradicted: answers.at(-1)?.contradicted ?? [],
  };
}

/** The draft of a service that has been asked by nobody else. */
async function draftOf(row: Row) {
  const traits = shapes[row.shape];
  const service = await startService(traits, inventRecords(traits), row.breaks);
  try {
    const drafted = await draftFile(service);
    return 'refused' in drafted
      ? drafted
      : { ...drafted, text: drafted.text.replaceAll(service.origin, '{origin}') };
  } finally {
    await service.close();
  }
}

/**
 * The answers that are wrong after a contradiction. If the list without filters is wrong, no disabled filter can
 * correct an answer: only the rows of the list are left, and only doctor finds what is wrong with them.
 */
function lateOf(wrong: Trial['wrong']): Trial['wrong'] {
  const isListWrong = wrong.some(({ path }) => !/category|price/.test(path));
  const isOfFilter = (claim: string) => isListWrong && claim.startsWith('filter.');
  return wrong.filter(({ contradicted }) => contradicted.some((claim) => !isOfFilter(claim)));
}

/** What is wrong with a trial, whatever the service is. */
function failuresOf(who: string, { doctor, doctorLater, wrong }: Trial, row: Row): readonly string[] {
  const late = lateOf(wrong);
  const isPassed = (row.afterWrite ? doctorLater : doctor).differs.length === 0;
  return [
    ...(isPassed && wrong.length > 0 && row.unseen === undefined
      ? [`${who}: ${wrong.length} wrong answers behind a file that doctor passed`]
      : []),
    ...(late.length > 0 && row.unseen === undefined && row.inValues !== true
      ? [`${who}: ${late.length} wrong answers after ${late[0]!.contradicted.join(', ')} was contradicted`]
      : []),
  ];
}

/** What else fails for a correct service: any difference, error or wrong answer. */
function failuresOfCorrect(
  who: string,
  { doctor, doctorLater, wrong, errors, contradicted }: Trial,
): readonly string[] {
  return [
    ...[...doctor.differs, ...doctorLater.differs].map((line) => `${who}: doctor says ${line}`),
    ...(wrong.length > 0 ? [`${who}: ${wrong.length} wrong answers of a correct service`] : []),
    ...[...errors].map(([code, { times, path, log }]) => `${who}: ${times} ${code}, such as ${path}: ${log}`),
    ...contradicted.map((claim) => `${who}: ${claim} was called contradicted`),
  ];
}

/** Runs a row: the correct file, and the draft, in front of the service. */
export async function runRow(row: Row, options: RowOptions): Promise<RowOutcome> {
  const started = performance.now();
  const isCorrect = row.breaks === undefined;
  const judge = (who: string, trial: Trial) =>
    new Set([...failuresOf(who, trial, row), ...(isCorrect ? failuresOfCorrect(who, trial) : [])]);
  const claimed = await tryFile(sourceText(shapes[row.shape], '{origin}'), row, options);
  const failures = [...judge('the file', claimed)];
  if (!isCorrect && claimed.faultyReplies === 0)
    failures.push('the service gave no faulty reply, so the row shows nothing');
  let drafted: RowOutcome['drafted'] = { refused: 'not tried' };
  if (options.infer) {
    const { byHand } = shapes[row.shape];
    const draft = byHand === undefined ? await draftOf(row) : { refused: byHand };
    if ('refused' in draft) drafted = draft;
    else {
      const trial = await tryFile(draft.text, row, options);
      drafted = { ...trial, edits: draft.edits, text: draft.text };
      failures.push(...judge('the draft', trial));
    }
  }
  const { name, shape, unseen } = row;
  const seconds = (performance.now() - started) / 1_000;
  return {
    row: { name, shape, ...(unseen !== undefined && { unseen }) },
    claimed,
    drafted,
    failures,
    seconds,
  };
}
