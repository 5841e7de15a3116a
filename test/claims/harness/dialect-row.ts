import type { DialectCase } from '../../support/dialects/dialect-case.ts';
import { compileDraft, draftOf } from '../../support/dialects/infer-draft.ts';
import { makeRow, type Row, setAt, type Table, withTables } from '../../support/dialects/rows.ts';
import { serve, TOKEN } from '../../support/dialects/serve.ts';
import { askDraft, type DraftAnswers } from './draft-truth.ts';
import { drawn } from './records.ts';
import type { Outcome, RowOptions } from './row.ts';
import { wrongLines } from './describe-outcome.ts';

/** Paths to the values of a row, but those of its id. */
function leavesOf(value: unknown, path: readonly string[] = []): readonly (readonly string[])[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [path];
  return Object.entries(value).flatMap(([key, child]) => leavesOf(child, [...path, key]));
}

/** A row of which one value is gone: null, an empty text, or nothing at all. */
function emptied({ source }: Table, row: Row, n: number): Row {
  const [first] = source.id.split('.');
  const leaves = leavesOf(row).filter(([key]) => key !== undefined && key !== first);
  const leaf = leaves[drawn(n, leaves.length)];
  if (leaf === undefined) return row;
  return setAt(row, leaf.join('.'), n % 3 === 0 ? '' : n % 3 === 1 ? null : undefined);
}

/** Everybody's changes to a table: records come, go, change, and lose values. Ids stay in ascending order. */
function write(table: Table, writes: number): void {
  const { rows } = table;
  for (let n = 0; n < writes; n += 1) {
    const at = drawn(n * 13 + 7, rows.length);
    if (n % 4 === 0) rows.push(makeRow(table, rows.length + 30 + n));
    else if (n % 8 === 1) rows.splice(at, 1);
    else rows[at] = emptied(table, rows[at]!, n);
  }
}

function failuresOf(when: string, { wrong, contradicted }: DraftAnswers): readonly string[] {
  return [
    ...(wrong.length > 0 ? [`${when}: ${wrong.length} wrong answers by the draft as it is`] : []),
    ...contradicted.map((claim) => `${when}: ${claim} was contradicted`),
  ];
}

function detailsOf(when: string, { wrong, errors }: DraftAnswers): readonly string[] {
  return [
    ...wrongLines(wrong, `${when}: `),
    ...[...errors].map(([error, path]) => `${when}: ${error}: GET ${path}`),
  ];
}

/** Drafts the source of a dialect's service, and asks by the draft as it is, before and after everybody's changes. */
export async function runDialect(one: DialectCase, { queries, seed, writes }: RowOptions): Promise<Outcome> {
  const started = performance.now();
  const { made, tables } = withTables(one.dialect);
  const service = await serve(made);
  try {
    const { draft, edits, guesses } = await draftOf(one, service);
    // A faster order that nobody asks for may be left out: the draft is done without it.
    const isOpen = guesses.some(
      ({ confidence, text }) => confidence === 'edit' && !text.includes('order: id is faster'),
    );
    const compiled = compileDraft(draft, { DRAFT_TOKEN: TOKEN });
    const before = await askDraft(compiled, { seed, count: queries / 2 });
    for (const table of tables) write(table, writes);
    const after = await askDraft(compiled, { seed: seed + 1, count: queries / 2 });
    const failures = [...failuresOf('as it is', before), ...failuresOf('after writes', after)];
    const errors = before.errors.size + after.errors.size;
    return {
      name: nameOf(one),
      head: `${before.records} records, then ${after.records}, wrong ${before.wrong.length + after.wrong.length}, kinds of errors ${errors}, edits ${edits}`,
      // A draft with something to edit says itself that it is not done.
      failures: isOpen ? [] : failures,
      details: [...detailsOf('as it is', before), ...detailsOf('after writes', after)],
      figures: {
        asked: before.asked + after.asked,
        wrong: before.wrong.length + after.wrong.length,
        isFlagged: false,
        isContradicted: before.contradicted.length + after.contradicted.length > 0,
      },
      seconds: (performance.now() - started) / 1_000,
    };
  } finally {
    await service.close();
  }
}

/** The name of the row of a dialect. */
export const nameOf = ({ example, resource }: DialectCase): string => `draft of ${example} ${resource}`;
