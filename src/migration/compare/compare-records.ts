// Compares two records field by field.

import type { Field, Value } from '../../contract/fields.ts';
import type { CanonicalRecord } from '../../contract/response-body.ts';
import type { AnswerDifference } from './comparison.ts';

/** Whether two values are written alike. 1.5 and 1.50 are not, because a client sees different bytes. */
function isSameValue(legacy: Value, newValue: Value): boolean {
  if (legacy === newValue) return true;
  return legacy !== null && newValue !== null && String(legacy) === String(newValue);
}

function kindOf(legacy: Value, newValue: Value): 'value' | 'missing' | 'extra' {
  if (newValue === null) return 'missing';
  return legacy === null ? 'extra' : 'value';
}

/** The fields in which two records of one id differ; paths begin with `prefix`, such as `data[].`. */
export function compareRecords(
  fields: readonly Field[],
  prefix: string,
  legacy: CanonicalRecord,
  newRecord: CanonicalRecord,
): readonly AnswerDifference[] {
  return fields.flatMap(({ name }) => {
    const [before, after] = [legacy[name] ?? null, newRecord[name] ?? null];
    if (isSameValue(before, after)) return [];
    const kind = kindOf(before, after);
    return [{ path: `${prefix}${name}`, kind, id: legacy.id, legacy: before, new: after }];
  });
}
