import { eventually } from '../../support/time/eventually.ts';
import { draftFile, examineFile } from '../harness/examine.ts';
import { type Breaks, type Service, startService } from '../harness/start-service.ts';
import type { Question } from '../harness/questions.ts';
import { inventRecords, type StoredRecord } from '../harness/records.ts';
import type { Outcome, TableRow } from '../harness/row.ts';
import { type Answers, type ServedSource, serveSource } from '../harness/serve-source.ts';
import { sourceText } from '../harness/source-file.ts';
import { shapes, type ShapeName } from '../harness/traits.ts';
import { passMinutes } from './virtual-minutes.ts';

/** A service whose file bets on an order that nothing asks for. */
export type BetCase = {
  readonly name: string;
  readonly shape: ShapeName;
  /** How the service orders its rows; absent: as it always did. */
  readonly breaks?: Breaks;
  /** Everybody's changes: the records after so many of them. */
  readonly write: (records: readonly StoredRecord[], times: number) => readonly StoredRecord[];
  /** Pages that show nothing of it: limit and number. */
  readonly pages: readonly (readonly [number, number])[];
  /** Looks until the bet must be lost; 0 for a correct service, whose bet must never be. */
  readonly looks: number;
};

/** Writes, for a correct service with so many looks. */
const CORRECT_LOOKS = 6;

const asQuestions = (pages: BetCase['pages']): readonly Question[] =>
  pages.map(([limit, page]) => ({ list: { limit: String(limit), page: String(page) } }));

const ALL_PAGES = [1, 2, 3, 4, 5, 6].map((page) => [25, page] as const);

/** Waits until nobody has asked the service for a while: looks go out behind an answer. */
async function settle(service: Service): Promise<void> {
  let [calls, quiet] = [-1, 0];
  await eventually(
    () => {
      quiet = service.calls === calls ? quiet + 1 : 0;
      calls = service.calls;
      return quiet > 4;
    },
    { everyMs: 10 },
  );
}

/** A minute later: the pages are asked for, and then once more, when the look is over. */
async function askAfterMinute(
  service: Service,
  served: ServedSource,
  questions: readonly Question[],
): Promise<Answers> {
  await served.purge();
  passMinutes(1.1);
  await served.ask(questions);
  await settle(service);
  return served.ask(questions);
}

function outcomeOf(
  name: string,
  failures: readonly string[],
  last: Answers | undefined,
  started: number,
): Outcome {
  const wrong = last?.wrong ?? [];
  return {
    name,
    head: `contradicted ${last?.contradicted.join(' ') || 'nothing'}, wrong ${wrong.length}`,
    failures,
    details: wrong
      .slice(0, 2)
      .flatMap(({ path, expected, actual }) => [path, expected.slice(0, 300), actual.slice(0, 300)]),
    figures: {
      asked: last?.asked ?? 0,
      wrong: wrong.length,
      isFlagged: false,
      isContradicted: (last?.contradicted.length ?? 0) > 0,
    },
    seconds: (Date.now() - started) / 1_000,
  };
}

/** The file that says the order without anything that asks for it. */
const betText = (shape: ShapeName, origin: string) =>
  sourceText(shapes[shape], origin).replace(/ +orderIs: documented\n/, '');

/** The file bets: doctor says so, and the gateway sees a lost bet at the first look. */
async function runBet({ name, shape, breaks, write, pages, looks }: BetCase): Promise<Outcome> {
  const started = Date.now();
  const records = inventRecords(shapes[shape]);
  const service = await startService(shapes[shape], records, breaks);
  const failures: string[] = [];
  let last: Answers | undefined;
  try {
    const text = betText(shape, service.origin);
    const { bets, differs } = await examineFile(text);
    if (bets.length !== 1) failures.push(`doctor says bet ${bets.length} times`);
    failures.push(...differs.map((line) => `doctor says ${line}`));
    const served = await serveSource(service.store, service.origin, text);
    try {
      const questions = asQuestions(pages);
      const first = await served.ask(questions);
      await settle(service);
      if (first.wrong.length + first.contradicted.length > 0) failures.push('wrong before anybody wrote');
      for (let look = 1; look <= (looks || CORRECT_LOOKS); look += 1) {
        if (look === 1 || looks === 0) service.write(write(records, look));
        last = await askAfterMinute(service, served, questions);
        if (looks === 0 && last.wrong.length > 0)
          failures.push(`${last.wrong.length} wrong answers of a correct service`);
        if (last.contradicted.length > 0) break;
      }
      if (looks === 0 && (last?.contradicted.length ?? 0) > 0)
        failures.push('a correct service was called contradicted');
      if (looks > 0 && last?.contradicted.includes('order') !== true)
        failures.push('the lost bet was not seen');
      if (looks > 0) last = await served.ask([...questions, ...asQuestions(ALL_PAGES)]);
      if ((last?.wrong.length ?? 0) > 0) failures.push('wrong after the look');
    } finally {
      await served.close();
    }
  } finally {
    await service.close();
  }
  return outcomeOf(name, failures, last, started);
}

/** A draft of the same service rests on no such order: its answers are right before and after everybody's changes. */
async function runDraft({ name, shape, breaks, write, pages }: BetCase): Promise<Outcome> {
  const started = Date.now();
  const records = inventRecords(shapes[shape]);
  const service = await startService(shapes[shape], records, breaks);
  const failures: string[] = [];
  let last: Answers | undefined;
  try {
    const draft = await draftFile(service);
    if ('refused' in draft) return outcomeOf(name, [draft.refused], last, started);
    if (!/EDIT: [^]*order: id is\s+(?:# )?faster/.test(draft.text))
      failures.push('the draft does not say what would be faster');
    const served = await serveSource(service.store, service.origin, draft.text);
    try {
      const questions = asQuestions([...pages, ...ALL_PAGES]);
      const before = await served.ask(questions);
      if (before.wrong.length > 0) failures.push(`${before.wrong.length} wrong answers before anybody wrote`);
      service.write(write(records, 1));
      await served.purge();
      last = await served.ask(questions);
      if (last.wrong.length > 0) failures.push(`${last.wrong.length} wrong answers after a write`);
      if (last.contradicted.length > 0) failures.push('the draft claims too much');
    } finally {
      await served.close();
    }
  } finally {
    await service.close();
  }
  return outcomeOf(name, failures, last, started);
}

/** The row of a file that bets. */
export const betRow = (one: BetCase): TableRow => ({
  name: `bet: ${one.name} (${one.shape})`,
  run: () => runBet({ ...one, name: `bet: ${one.name} (${one.shape})` }),
});

/** The row of a draft of a service without an order that can be asked for. */
export const unbetDraftRow = (one: BetCase): TableRow => ({
  name: `no bet in a draft: ${one.name} (${one.shape})`,
  run: () => runDraft({ ...one, name: `no bet in a draft: ${one.name} (${one.shape})` }),
});
