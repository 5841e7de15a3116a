import { parse, stringify } from 'yaml';
import { draftFile, examineFile } from '../harness/examine.ts';
import { type Breaks, type Service, startService } from '../harness/start-service.ts';
import type { Question } from '../harness/questions.ts';
import { inventRecords, type StoredRecord } from '../harness/records.ts';
import type { Outcome, TableRow } from '../harness/row.ts';
import { type Answers, serveSource } from '../harness/serve-source.ts';
import { sourceText } from '../harness/source-file.ts';
import { shapes, type ShapeName } from '../harness/traits.ts';
import { wrongLines } from '../harness/describe-outcome.ts';

type Records = readonly StoredRecord[];
type List = Extract<Question, { list: unknown }>['list'];

/** The filters of a source file, as a tree that may be changed. */
export type Filters = Record<string, Record<string, Record<string, unknown>>>;

/** The list of a source file, as a tree that may be changed. */
export type ListTree = Record<string, unknown> & { filters: Filters; map: Record<string, unknown> };

/** A service with certain values, and what must come of it. */
export type ValueCase = {
  readonly name: string;
  readonly shape: ShapeName;
  /** The records of the service, made of those that all services have. */
  readonly records: (records: Records) => Records;
  readonly breaks?: Breaks;
  /** Changes the correct file. `infer`: the draft is tried in its place. */
  readonly file: ((list: ListTree) => void) | 'infer';
  /** Whether doctor must find a difference before anybody writes. */
  readonly differs: boolean;
  /** What doctor's hints or the draft must hold. */
  readonly says?: string;
  /** What is written then. */
  readonly write?: (records: Records) => Records;
  /** What is asked before the answers are looked at: first before the writes, then behind them. */
  readonly warms?: readonly List[];
  readonly looks: readonly List[];
  /** What is asked then; no answer may be wrong. */
  readonly asks: readonly List[];
  /** Claims that the gateway must have disabled by then; none for a correct service. */
  readonly disabled: readonly string[];
};

/** Every page of the list. */
export const allPages: readonly List[] = [1, 2].map((page) => ({ limit: '100', page: String(page) }));

function fileOf({ shape, file }: ValueCase, { origin }: Service): string {
  const tree = parse(sourceText(shapes[shape], origin)) as {
    resources: { products: { list: ListTree } };
  };
  if (file !== 'infer') file(tree.resources.products.list);
  return stringify(tree);
}

async function textOf(one: ValueCase, records: Records): Promise<string> {
  const service = await startService(shapes[one.shape], records, one.breaks);
  try {
    if (one.file !== 'infer') return fileOf(one, service).replaceAll(service.origin, '{origin}');
    const drafted = await draftFile(service);
    if ('refused' in drafted) throw new Error(drafted.refused);
    return drafted.text.replaceAll(service.origin, '{origin}');
  } finally {
    await service.close();
  }
}

const questions = (lists: readonly List[]): Question[] => lists.map((list) => ({ list }));

/** What was asked for, in turn: before the writes, behind them, and at the end. */
async function askAll(one: ValueCase, text: string, service: Service) {
  const served = await serveSource(service.store, service.origin, text);
  try {
    await served.ask(questions(one.warms ?? []));
    if (one.write !== undefined) service.write(one.write(service.store.records));
    await served.ask(questions(one.looks));
    return await served.ask(questions(one.asks));
  } finally {
    await served.close();
  }
}

function failuresOf(one: ValueCase, differs: readonly string[], hints: string, answers: Answers): string[] {
  const { contradicted, wrong, errors } = answers;
  const missing = one.disabled.filter((claim) => !contradicted.includes(claim));
  return [
    ...(one.differs && differs.length === 0 ? ['doctor found no difference'] : []),
    ...(one.differs ? [] : differs.map((line) => `doctor says ${line}`)),
    ...(one.says !== undefined && !hints.includes(one.says) ? [`nothing says ${one.says}`] : []),
    ...(wrong.length > 0 ? [`${wrong.length} wrong answers`] : []),
    ...missing.map((claim) => `${claim} was not disabled`),
    ...(one.disabled.length === 0 ? contradicted.map((claim) => `${claim} was called contradicted`) : []),
    ...[...errors].map(([code, { path, log }]) => `${code}: GET ${path}: ${log}`),
  ];
}

async function runCase(one: ValueCase): Promise<Outcome> {
  const started = performance.now();
  const records = one.records(inventRecords(shapes[one.shape]));
  const template = await textOf(one, records);
  const service = await startService(shapes[one.shape], records, one.breaks);
  try {
    const text = template.replaceAll('{origin}', service.origin);
    const { differs, hints } = await examineFile(text);
    const said = [...hints, ...(one.file === 'infer' ? [text] : [])].join('\n');
    const answers = await askAll(one, text, service);
    const { wrong, asked, contradicted } = answers;
    return {
      name: one.name,
      head: `doctor ${differs.length}, wrong ${wrong.length} of ${asked}, contradicted ${contradicted.join(' ')}`,
      failures: failuresOf(one, differs, said, answers),
      details: [
        ...differs.map((line) => `doctor: ${line}`),
        ...wrongLines(wrong),
        ...(one.says === undefined ? [] : [said]),
      ],
      figures: {
        ...{ asked, wrong: wrong.length, isFlagged: differs.length > 0 },
        isContradicted: contradicted.length > 0,
      },
      seconds: (performance.now() - started) / 1_000,
    };
  } finally {
    await service.close();
  }
}

/** The row of a case. */
export const rowOf = (one: ValueCase): TableRow => ({ name: one.name, run: () => runCase(one) });
