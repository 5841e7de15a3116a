// Compares two records field by field.

import type { Field, Value } from '../../contract/fields.ts';
import type { CanonicalRecord } from '../../contract/response-body.ts';
import type { AnswerDifference } from './comparison.ts';

/** Whether two values are written alike: 1.5 and 1.50 are not, because a client sees other bytes. */
function isSameValue(legacy: Value, next: Value): boolean {
  if (legacy === next) return true;
  return legacy !== null && next !== null && String(legacy) === String(next);
}

function kindOf(legacy: Value, next: Value): 'value' | 'missing' | 'extra' {
  if (next === null) return 'missing';
  return legacy === null ? 'extra' : 'value';
}

/** The fields in which two records of one id differ; paths begin with `prefix`, such as `data[].`. */
export function compareRecords(
  fields: readonly Field[],
  prefix: string,
  legacy: CanonicalRecord,
  next: CanonicalRecord,
): readonly AnswerDifference[] {
  return fields.flatMap(({ name }) => {
    const [before, after] = [legacy[name] ?? null, next[name] ?? null];
    if (isSameValue(before, after)) return [];
    const kind = kindOf(before, after);
    return [{ path: `${prefix}${name}`, kind, id: legacy.id, legacy: before, next: after }];
  });
}
