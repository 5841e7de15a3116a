// The first part of a walk: reads the whole list from both sources, and compares all records of the two lists.

import type { Resource } from '../../contract/resource.ts';
import type { SourceHandler } from '../../pipeline/stages/call.ts';
import { compileRowCodec } from '../../store/scan-cache/row-codec.ts';
import { tryParseJson } from '../../kernel/json/try-parse-json.ts';
import type { AnswerDifference } from '../compare/comparison.ts';
import { lastingDifferences } from '../compare/compare-answers.ts';
import type { AskAtLowPriority } from '../tasks/ask-at-low-priority.ts';
import type { Run } from '../tasks/task-results.ts';
import { compareRecords } from '../compare/compare-records.ts';
import type { ByOrigin } from '../../kernel/migration-origin.ts';
import { type ListedRecords, listRecords } from './list-records.ts';

/** A difference counts only if both passes find it, because callers write while the pages are read, and rows move. */
const PASSES = 2;
const ID_PATH = 'data[].id';

/** Compiles the function that compares two whole lists record by record. */
function compileComparison({ itemFields }: Resource) {
  const codec = compileRowCodec(itemFields);

  function compareTexts(legacy: string, newText: string): readonly AnswerDifference[] {
    const [before, after] = [legacy, newText].map((text) => codec.fromValues(tryParseJson(text)));
    if (before === undefined || after === undefined)
      throw new Error('a record that was listed cannot be read');
    return compareRecords(itemFields, 'data[].', before, after);
  }

  return function compareListed(legacy: ListedRecords, newList: ListedRecords): readonly AnswerDifference[] {
    const found: AnswerDifference[] = [];
    for (const [id, text] of legacy.texts) {
      const other = newList.texts.get(id);
      if (other === undefined) found.push({ path: ID_PATH, kind: 'missing_id', id });
      else if (other !== text) found.push(...compareTexts(text, other));
    }
    for (const id of newList.texts.keys())
      if (!legacy.texts.has(id)) found.push({ path: ID_PATH, kind: 'extra_id', id });
    for (const id of newList.duplicates)
      if (!legacy.duplicates.has(id)) found.push({ path: ID_PATH, kind: 'extra_id', id });
    // A total may count records that are on no page. No row shows this, so the numbers of such records are compared.
    const [hidden, otherHidden] = [legacy, newList].map(({ total, texts }) => total - texts.size);
    if (hidden !== otherHidden)
      found.push({ path: 'meta.total', kind: 'total', legacy: hidden, new: otherHidden });
    return found;
  };
}

/**
 * Reads all pages of both sources, twice if they differ, and returns the differences that are there both times. `ask` keeps to a
 * rate; `settle` waits between the passes, so that writes reach both stores. @throws Error if a source fails
 */
export async function walkLists(
  deps: {
    readonly resource: Resource;
    readonly sources: ByOrigin<SourceHandler>;
    readonly ask: AskAtLowPriority;
    readonly settle: (signal: AbortSignal) => Promise<unknown>;
  },
  signal: AbortSignal,
  progress: Run['progress'],
): Promise<{ readonly ids: readonly string[]; readonly differences: readonly AnswerDifference[] }> {
  const { resource, sources, ask, settle } = deps;
  const compareListed = compileComparison(resource);
  let differences: readonly AnswerDifference[] | undefined;
  for (let pass = 1; ; pass += 1) {
    const phase = pass === 1 ? 'reads both lists' : 'reads both lists again, because they differ';
    // Until the new source has reported its total, the total of the legacy source is used for the progress.
    const legacy = await listRecords(resource, sources.legacy, ask, signal, (read, total) =>
      progress(read, 2 * total, phase),
    );
    const newList = await listRecords(resource, sources.new, ask, signal, (read, total) =>
      progress(legacy.texts.size + read, legacy.total + total, phase),
    );
    const found = compareListed(legacy, newList);
    differences = differences === undefined ? found : lastingDifferences(differences, found);
    if (differences.length === 0 || pass === PASSES) return { ids: [...legacy.texts.keys()], differences };
    await settle(signal);
  }
}
