import * as z from 'zod';
import { createRandom } from '../../src/cli/demo/data/random.ts';
import { askDraft, type DraftAnswers } from '../claims/harness/draft-truth.ts';
import { compileDraft, type DraftReport, runInfer } from '../support/dialects/infer-draft.ts';
import type { UpstreamData } from './generate-data.ts';
import { openWriter, writeRandomly, writesSchema } from './writers.ts';

/** A list of a server that `portico infer` is asked for a draft of. */
export const draftSchema = z.strictObject({
  resource: z.enum(['users', 'products']),
  /** Its path. */
  list: z.string(),
  /** Headers of every call, the credential among them. */
  headers: z.record(z.string(), z.string()).default({}),
  /** Absent: the server cannot be written to. */
  writes: writesSchema.optional(),
});

export type DraftTarget = z.infer<typeof draftSchema>;

/** What came of asking by a draft as `infer` wrote it, before and after random writes. */
export type DraftTried = {
  readonly edits: number;
  readonly dialect: string | null;
  readonly answers: readonly DraftAnswers[];
  /** What is wrong, in a line each. */
  readonly failures: readonly string[];
};

/** How a draft is tried. */
export type TryDraftOptions = {
  readonly url: string;
  readonly data: UpstreamData;
  /** Which of the generated ids is the server's own. */
  readonly ids: 'id' | 'uuid';
  readonly seed: number;
  readonly count: number;
};

const WRITES = 50;

/** The values of the draft's variables: parts of the one credential. */
function variablesOf({ draft }: DraftReport, { headers }: DraftTarget): Readonly<Record<string, string>> {
  const [scheme = '', value = ''] = (headers['Authorization'] ?? '').split(' ');
  const [user = '', password = ''] = Buffer.from(value, 'base64').toString().split(':');
  const names = [...draft.matchAll(/\$\{(\w+)\}/g)].map(([, name]) => name!);
  const valueOf = (name: string) => (scheme === 'Bearer' ? value : name.endsWith('USER') ? user : password);
  return Object.fromEntries(names.map((name) => [name, valueOf(name)]));
}

function failuresOf(when: string, { wrong, contradicted }: DraftAnswers): readonly string[] {
  return [
    ...wrong
      .slice(0, 2)
      .map(
        ({ path, expected, actual }) =>
          `${when}: GET ${path}\n      expected ${expected}\n      answered ${actual}`,
      ),
    ...(wrong.length > 0 ? [`${when}: ${wrong.length} wrong answers`] : []),
    ...contradicted.map((claim) => `${when}: the server contradicts ${claim}`),
  ];
}

/** Drafts the source file of a list, and asks by it as it is; again after random writes, where the server takes them. */
export async function tryServerDraft(target: DraftTarget, options: TryDraftOptions): Promise<DraftTried> {
  const { url, data, ids, seed, count } = options;
  const { resource, list, headers, writes } = target;
  const lines = Object.entries(headers).flatMap(([name, value]) => ['--header', `${name}: ${value}`]);
  const run = await runInfer([url + list, '--resource', resource, '--name', 'draft', '--json', ...lines]);
  if (run.code !== 0) throw new Error(`portico infer ended with ${run.code}: ${run.err}`);
  const report = JSON.parse(run.out) as DraftReport;
  const compiled = compileDraft(report.draft, variablesOf(report, target));
  const before = await askDraft(compiled, { seed, count });
  const answers = [before];
  const failures = [...failuresOf('as it is', before)];
  const there = data[resource].length;
  if (before.records !== there) failures.push(`as it is: ${before.records} of ${there} records`);
  if (writes !== undefined) {
    const writer = openWriter(url + (writes.at ?? list), writes, headers);
    const native = data[resource].map((record) => record[ids]);
    const random = createRandom(seed);
    const below = (bound: number) => random.below(bound);
    await writeRandomly(writer, writes, native, { count: WRITES, below });
    const after = await askDraft(compiled, { seed: seed + 1, count });
    answers.push(after);
    failures.push(...failuresOf('after writes', after));
  }
  const { edits, dialect } = report;
  return { edits, dialect, answers, failures };
}
