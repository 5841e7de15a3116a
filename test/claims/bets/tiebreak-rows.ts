import { inOrder } from '../../support/model/contract-model.ts';
import { draftFile, examineFile } from '../harness/examine.ts';
import { type Breaks, startService } from '../harness/start-service.ts';
import type { Question } from '../harness/questions.ts';
import { drawn, inventRecords, type StoredRecord } from '../harness/records.ts';
import type { Outcome, TableRow } from '../harness/row.ts';
import { serveSource } from '../harness/serve-source.ts';
import { sourceText } from '../harness/source-file.ts';
import { byRecords } from '../harness/stages.ts';
import { sortedBy } from '../harness/steps.ts';
import { shapes } from '../harness/traits.ts';

const SHAPE = 'page users' as const;

/** How a service takes a second column, and where rows stand that tie in all columns. */
type TieService = {
  readonly what: string;
  /** The parameter as columns with their directions. */
  readonly columns: (sort: string) => readonly { readonly field: string; readonly descending: boolean }[];
};

const signed = (text: string) => ({ field: text.replace(/^-/, ''), descending: text.startsWith('-') });
const SERVICES: readonly TieService[] = [
  { what: 'takes several columns', columns: (sort) => sort.split(',').map(signed) },
  { what: 'takes two columns', columns: (sort) => sort.split(',').slice(0, 2).map(signed) },
];
/** It reads the first column alone, and does not complain of others. */
const FIRST_ONLY: TieService = {
  what: 'takes one column',
  columns: (sort) => [signed(sort.split(',')[0] ?? '')],
};

/** Rows that tie stand in an order of chance, unless the request names another column. */
const sortedAsAsked = ({ columns }: TieService): Breaks => {
  const noise = ({ record }: StoredRecord) => drawn(Number(record.id.replace(/\D/g, '')) * 7, 9_973);
  return () => ({
    order: ({ query }, rows) => {
      const keys = columns(query.get('sort') ?? '').filter(({ field }) => field !== '');
      // The last column decides least, so it sorts first.
      return keys.toReversed().reduce(
        (sorted, { field, descending }) => {
          const inside = byRecords(sorted, (records) => inOrder(records, field, descending));
          const rank = new Map<string, number>();
          for (const { record } of inside)
            rank.set(String(record[field]), rank.get(String(record[field])) ?? rank.size);
          return sortedBy(
            sorted,
            (a, b) => rank.get(String(a.record[field]))! - rank.get(String(b.record[field]))!,
          );
        },
        sortedBy(rows, (a, b) => noise(a) - noise(b)),
      );
    },
  });
};

const withEmails = (
  rows: readonly StoredRecord[],
  emailOf: (at: number) => string,
): readonly StoredRecord[] =>
  rows.map((row, at) => ({
    ...row,
    record: {
      ...row.record,
      name: `n${String(drawn(at, 10_000)).padStart(5, '0')}-${at}`,
      email: emailOf(at),
      created_at: null,
    },
  }));

/** No two are equal; then nearly all are. */
const APART = (at: number) => `m${String(drawn(at + 3, 10_000)).padStart(5, '0')}-${at}@mail.example`;
const TIED = (at: number) => `${'abc'[drawn(at, 3)]}@mail.example`;

const QUESTIONS: readonly Question[] = [1, 2, 7, 50].flatMap((limit) =>
  ['email', '-email'].flatMap((sort) =>
    [1, 2, 3].map((page) => ({ list: { sort, limit: String(limit), page: String(page) } })),
  ),
);

const outcome = (name: string, failures: readonly string[], wrong: number, started: number): Outcome => ({
  ...{ name, head: `wrong ${wrong}`, failures, details: [] },
  figures: { asked: QUESTIONS.length, wrong, isFlagged: false, isContradicted: false },
  seconds: (Date.now() - started) / 1_000,
});

/** A draft asks for the ids as the second column, before any rows tie. */
async function runDraft(name: string, one: TieService, isTied: boolean): Promise<Outcome> {
  const started = Date.now();
  const rows = inventRecords(shapes[SHAPE]);
  const service = await startService(shapes[SHAPE], withEmails(rows, APART), sortedAsAsked(one));
  const failures: string[] = [];
  try {
    const draft = await draftFile(service);
    if ('refused' in draft) return outcome(name, [draft.refused], 0, started);
    if (!draft.text.includes('tiebreak: ') === isTied)
      failures.push(`the draft has ${isTied ? 'no' : 'a'} tiebreak`);
    const served = await serveSource(service.store, service.origin, draft.text);
    try {
      if ((await served.ask(QUESTIONS)).wrong.length > 0) failures.push('wrong before rows tie');
      service.write(withEmails(rows, TIED));
      await served.purge();
      const { wrong } = await served.ask(QUESTIONS);
      if (isTied && wrong.length > 0) failures.push(`${wrong.length} wrong answers once rows tie`);
      return outcome(name, failures, wrong.length, started);
    } finally {
      await served.close();
    }
  } finally {
    await service.close();
  }
}

/** Doctor names the tiebreak to write, which it has tried. */
async function runDoctor(name: string, one: TieService, isTied: boolean): Promise<Outcome> {
  const started = Date.now();
  const records = withEmails(inventRecords(shapes[SHAPE]), TIED);
  const service = await startService(shapes[SHAPE], records, sortedAsAsked(one));
  try {
    const { differs, hints } = await examineFile(sourceText(shapes[SHAPE], service.origin));
    const named = hints.filter((hint) => hint.includes("tiebreak: ',id'"));
    const failures = [
      ...(differs.some((line) => line.startsWith('sort email')) ? [] : ['doctor does not see the ties']),
      ...(named.length > 0 === isTied ? [] : [`doctor's hints: ${hints.join(' | ')}`]),
    ];
    return outcome(name, failures, 0, started);
  } finally {
    await service.close();
  }
}

const rowOf = (name: string, run: (name: string) => Promise<Outcome>): TableRow => ({
  name,
  run: () => run(name),
});

/** Second columns, in front of services that honour them, and of one that does not. */
export const tiebreakRows: readonly TableRow[] = [
  ...SERVICES.flatMap((one) => [
    rowOf(`tiebreak: a draft asks for it (${one.what})`, (name) => runDraft(name, one, true)),
    rowOf(`tiebreak: doctor names it (${one.what})`, (name) => runDoctor(name, one, true)),
  ]),
  rowOf(`tiebreak: doctor does not name it (${FIRST_ONLY.what})`, (name) =>
    runDoctor(name, FIRST_ONLY, false),
  ),
];
