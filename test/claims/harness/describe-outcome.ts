import type { Outcome } from './row.ts';
import type { RowOutcome, Trial } from './run-row.ts';
import type { WrongAnswer } from './serve-source.ts';

const SHOWN = 2;
const SHOWN_LENGTH = 500;

type Wrong = Pick<WrongAnswer, 'path' | 'expected' | 'actual'> & Partial<WrongAnswer>;

/** Two texts from shortly before the place where they begin to differ. */
function fromDifference(expected: string, actual: string): [string, string] {
  let at = 0;
  while (at < expected.length && expected[at] === actual[at]) at += 1;
  const start = Math.max(0, at - 100);
  const cut = (text: string) => {
    const meta = text.slice(Math.max(start + SHOWN_LENGTH, text.lastIndexOf('"meta"')));
    return `${start > 0 ? '…' : ''}${text.slice(start, start + SHOWN_LENGTH)}${meta === '' ? '' : `…${meta}`}`;
  };
  return [cut(expected), cut(actual)];
}

/** The first wrong answers as lines. */
export function wrongLines(wrong: readonly Wrong[], said = ''): readonly string[] {
  return wrong.slice(0, SHOWN).flatMap(({ path, expected, actual, contradicted = [] }) => {
    const [wanted, got] = fromDifference(expected, actual);
    const late = contradicted.length > 0 ? ` after ${contradicted.join(' ')} was contradicted` : '';
    return [`${said}GET ${path}${late}`, `    expected ${wanted}`, `    answered ${got}`];
  });
}

function trialText({ faultyReplies, doctor, doctorLater, wrong, errors, contradicted }: Trial): string {
  const failed = [...errors].reduce((sum, [, { times }]) => sum + times, 0);
  const seen = doctor.differs.length + (doctorLater === doctor ? 0 : doctorLater.differs.length);
  return [
    ...(faultyReplies > 0 ? [`faulty replies ${faultyReplies}`] : []),
    `doctor ${seen} (${doctor.untold.length} untold)`,
    `wrong ${wrong.length}`,
    `errors ${failed}`,
    ...(contradicted.length > 0 ? [`contradicted ${contradicted.join(' ')}`] : []),
  ].join(', ');
}

function detailsOf(who: string, { doctor, doctorLater, wrong, errors }: Trial): readonly string[] {
  const linesOf = (label: string, lines: readonly string[]) =>
    [...new Set(lines)].map((line) => `${who}: ${label}: ${line}`);
  return [
    ...linesOf('doctor', [...doctor.differs, ...doctorLater.differs]),
    ...linesOf('doctor could not tell', doctor.untold),
    ...[...errors].map(([code, { times, path, log }]) => `${who}: ${times} ${code}: GET ${path}: ${log}`),
    ...wrongLines(wrong, `${who}: `),
  ];
}

/** The outcome of a faulty or a correct service, as lines. */
export function describeOutcome({ row, claimed, drafted, failures, seconds }: RowOutcome): Outcome {
  const hasDraft = !('refused' in drafted);
  const draftText = hasDraft ? `${trialText(drafted)}, edits ${drafted.edits}` : `none (${drafted.refused})`;
  const trials = hasDraft ? [claimed, drafted] : [claimed];
  return {
    name: row.name,
    head: `file: ${trialText(claimed)} | draft: ${draftText}`,
    ...(row.unseen !== undefined && { unseen: row.unseen }),
    failures,
    details: [...detailsOf('file', claimed), ...(hasDraft ? detailsOf('draft', drafted) : [])],
    figures: {
      asked: trials.reduce((sum, { asked }) => sum + asked, 0),
      wrong: trials.reduce((sum, { wrong }) => sum + wrong.length, 0),
      isFlagged: claimed.doctor.differs.length + claimed.doctorLater.differs.length > 0,
      isContradicted: claimed.contradicted.length > 0,
    },
    seconds,
  };
}
