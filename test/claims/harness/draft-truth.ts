import type { ResourceName } from '../../support/reference.ts';
import type { CompiledSource } from '../../../src/source/compile-sources.ts';
import { modelBody, modelList, type ModelRecord } from '../../support/model/contract-model.ts';
import { answererOf } from '../../support/dialects/infer-draft.ts';
import { inventQuestions, pathOf, type Question } from './questions.ts';

/** What came of asking by means of a draft. */
export type DraftAnswers = {
  readonly asked: number;
  readonly wrong: readonly { readonly path: string; readonly expected: string; readonly actual: string }[];
  /** Clear errors, each with an example. */
  readonly errors: ReadonlyMap<string, string>;
  readonly contradicted: readonly string[];
  /** How many records there are, as a reading of all of them finds. */
  readonly records: number;
};

type Page = { readonly data: readonly ModelRecord[]; readonly meta: { readonly total: number } };

/** Claims that a reading of every row does not need. */
function claimsOf({ resource, source }: CompiledSource): readonly string[] {
  const { sort, filters } = source.spec.resources[resource.name]!.list;
  const columns = Object.keys(sort?.columns ?? {});
  return [
    'order',
    ...columns.flatMap((field) => [`sort.${field}.ascending`, `sort.${field}.descending`]),
    ...Object.entries(filters).flatMap(([field, ops]) =>
      Object.keys(ops).map((op) => `filter.${field}.${op}`),
    ),
  ];
}

/** Prices are read with their digits. */
function parsePage(body: string): Page {
  return JSON.parse(body, (key, value: unknown, context?: { source: string }) =>
    key === 'price' && typeof value === 'number' ? (context?.source ?? String(value)) : value,
  ) as Page;
}

/**
 * Every record of a source as its file maps it, read row by row: no order, sort, filter or total that the file claims is
 * relied on. Rejects with the reason where they cannot be read.
 */
async function readEveryRecord(compiled: CompiledSource): Promise<readonly ModelRecord[]> {
  const plain = answererOf(compiled, compiled.source.spec, claimsOf(compiled));
  const records: ModelRecord[] = [];
  try {
    for (let page = 1; ; page += 1) {
      const { status, body, reason } = await plain.answer(
        `GET /v1/${compiled.resource.name}?limit=100&page=${page}`,
      );
      if (status !== 200) throw new Error(`${status} ${reason ?? body}`);
      const { data, meta } = parsePage(body);
      records.push(...data);
      if (records.length >= meta.total || data.length === 0) return records;
    }
  } finally {
    plain.close();
  }
}

function expectedOf(resource: ResourceName, records: readonly ModelRecord[], question: Question) {
  if ('id' in question) return records.find(({ id }) => id === question.id);
  const page = modelList(resource, records, question.list);
  if (page.status !== 200) throw new Error(`the question is not one of the contract: ${page.parameter}`);
  return modelBody(resource, page);
}

/** Whether an answer is right; of the view of one record, what the list has of it too counts. */
function isRight(expected: string | ModelRecord | undefined, status: number, body: string): boolean {
  if (typeof expected === 'string') return status === 200 && body === expected;
  if (expected === undefined) return status === 404;
  if (status !== 200) return false;
  const { data } = JSON.parse(body) as { data: Record<string, unknown> };
  return Object.entries(expected).every(([field, value]) => data[field] === value);
}

/** Asks by means of a draft, and holds each answer against a model over the records that a plain reading finds. */
export async function askDraft(
  compiled: CompiledSource,
  { seed, count }: { readonly seed: number; readonly count: number },
): Promise<DraftAnswers> {
  const resource = compiled.resource.name as ResourceName;
  const records = await readEveryRecord(compiled);
  const profile = { bio: null, location: null, avatar_url: null };
  const stored = records.map((record) => ({ record, profile, deleted: false }));
  const own = answererOf(compiled);
  const wrong: DraftAnswers['wrong'][number][] = [];
  const errors = new Map<string, string>();
  const hasView = compiled.adapter.get !== undefined;
  try {
    const questions = inventQuestions({ resource }, stored, { seed, count }).filter(
      (one) => hasView || !('id' in one),
    );
    for (const question of questions) {
      const path = pathOf({ resource }, question);
      const expected = expectedOf(resource, records, question);
      const { status, body, reason } = await own.answer(`GET ${path}`);
      if (isRight(expected, status, body)) continue;
      if (status >= 500) errors.set(`${status} ${reason ?? ''}`, path);
      else wrong.push({ path, expected: JSON.stringify(expected ?? 404), actual: `${status} ${body}` });
    }
    return {
      asked: questions.length,
      wrong,
      errors,
      contradicted: own.contradicted,
      records: records.length,
    };
  } finally {
    own.close();
  }
}
