// Compares the answers of both sources to one query, for all comparisons: of callers' answers, walks, edge cases and replays.

import type { Query } from '../../contract/query.ts';
import type { Resource } from '../../contract/resource.ts';
import type { SourceAnswer } from '../../pipeline/stages/call.ts';
import { compareLists } from './compare-lists.ts';
import { compareRecords } from './compare-records.ts';
import type { ComparedValue, AnswerDifference } from './comparison.ts';
import { readDetailBody, readListBody } from './read-body.ts';

/**
 * The differences between the answers of both sources to one query. It compares v1 bodies, so values that the mappings make
 * equal do not differ. Equal bodies are not parsed.
 */
export function compareAnswers(
  resource: Resource,
  query: Query,
  legacy: SourceAnswer,
  newAnswer: SourceAnswer,
): readonly AnswerDifference[] {
  if (!legacy.found || !newAnswer.found) {
    if (legacy.found === newAnswer.found) return [];
    const status = ({ found }: SourceAnswer) => (found ? 200 : 404);
    const id = query.kind === 'get' ? query.id : undefined;
    return [{ path: 'status', kind: 'status', id, legacy: status(legacy), new: status(newAnswer) }];
  }
  if (legacy.body.equals(newAnswer.body)) return [];
  if (query.kind === 'list')
    return compareLists(
      resource,
      query,
      readListBody(resource, legacy.body),
      readListBody(resource, newAnswer.body),
    );
  const [before, after] = [readDetailBody(resource, legacy.body), readDetailBody(resource, newAnswer.body)];
  return compareRecords(resource.detailFields, 'data.', before, after);
}

function textOf(value: ComparedValue | undefined): string | null {
  if (value === undefined || value === null) return null;
  return Array.isArray(value) ? value.join('\n') : String(value);
}

/** Creates the function that returns the differences of `before` that `after` has, too, by a text that is equal for both. */
function sharedBy(keyOf: (difference: AnswerDifference) => string) {
  return (before: readonly AnswerDifference[], after: readonly AnswerDifference[]) => {
    const there = new Set(after.map(keyOf));
    return before.filter((difference) => there.has(keyOf(difference)));
  };
}

/** The differences of `before` that `after` also has at the same path and record, even with other values. */
export const atSamePlaces = sharedBy(({ path, id }) => JSON.stringify([path, id ?? null]));

/** The differences that are in `before` and in `after`, with the same values on both sides. */
export const lastingDifferences = sharedBy(({ path, kind, id, legacy, new: newValue }) =>
  JSON.stringify([path, kind, id ?? null, textOf(legacy), textOf(newValue)]),
);
