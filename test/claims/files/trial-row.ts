import { examineFile } from '../harness/examine.ts';
import { type Breaks, startService } from '../harness/start-service.ts';
import { inventQuestions } from '../harness/questions.ts';
import { inventRecords } from '../harness/records.ts';
import type { RowOptions, TableRow } from '../harness/row.ts';
import { serveSource } from '../harness/serve-source.ts';
import { shapes, type ShapeName } from '../harness/traits.ts';

/** What came of one file in front of a service, before and after the service changes. */
export type FileTrial = {
  /** What doctor says first, and once the service has changed. */
  readonly differs: readonly string[];
  readonly differsLater: readonly string[];
  readonly asked: number;
  readonly wrong: readonly string[];
  readonly errors: readonly string[];
  readonly contradicted: readonly string[];
};

/** A row about a file that is written by hand, and what must come of it. */
export type FileRow = {
  readonly name: string;
  readonly shape: ShapeName;
  /** The file, for the address of the service. */
  readonly textOf: (origin: string) => string;
  readonly breaks?: Breaks;
  /** Whether there is a write after the first questions, which changes nothing but what the service does. */
  readonly changes: boolean;
  /** Why the row fails, in a line each. */
  readonly judge: (trial: FileTrial) => readonly string[];
};

async function tryFile(row: FileRow, { queries, seed }: RowOptions): Promise<FileTrial> {
  const traits = shapes[row.shape];
  const service = await startService(traits, inventRecords(traits), row.breaks);
  const text = row.textOf(service.origin);
  try {
    const before = await examineFile(text);
    const served = await serveSource(service.store, service.origin, text);
    try {
      const answers = [];
      for (const part of row.changes ? [0, 1] : [0]) {
        if (part === 1) service.write(service.store.records);
        if (part === 1) await served.purge();
        const count = Math.ceil(queries / 2);
        answers.push(
          await served.ask(inventQuestions(traits, service.store.records, { seed: seed + part, count })),
        );
      }
      const later = row.changes ? await examineFile(text) : before;
      return {
        differs: before.differs,
        differsLater: later.differs,
        asked: answers.reduce((sum, { asked }) => sum + asked, 0),
        wrong: answers.flatMap(({ wrong }) =>
          wrong.map(({ path, actual }) => `GET ${path}: ${actual.slice(0, 300)}`),
        ),
        errors: answers.flatMap(({ errors }) =>
          [...errors].map(([code, { path, log }]) => `${code}: GET ${path}: ${log}`),
        ),
        contradicted: answers.at(-1)?.contradicted ?? [],
      };
    } finally {
      await served.close();
    }
  } finally {
    await service.close();
  }
}

/** A row of the table for a file that is written by hand. */
export function fileRow(row: FileRow): TableRow {
  const { name } = row;
  return {
    name,
    async run(options) {
      const started = performance.now();
      const trial = await tryFile(row, options);
      const { differs, differsLater, asked, wrong, errors, contradicted } = trial;
      return {
        name,
        head: `doctor ${differs.length} then ${differsLater.length}, wrong ${wrong.length}, errors ${errors.length}`,
        failures: row.judge(trial),
        details: [...differs.map((line) => `doctor: ${line}`), ...errors, ...wrong.slice(0, 2)],
        figures: {
          ...{ asked, wrong: wrong.length },
          isFlagged: differs.length + differsLater.length > 0,
          isContradicted: contradicted.length > 0,
        },
        seconds: (performance.now() - started) / 1_000,
      };
    },
  };
}
