// Compares two records field by field, and their lists element by element, for lists, single records and the walk.

import type { Field, ListShape, Value } from '../../contract/fields.ts';
import { isScalar, type ListElement, ListValue } from '../../contract/list-value.ts';
import { isSameValue } from '../../contract/order.ts';
import type { CanonicalRecord } from '../../contract/response-body.ts';
import type { AnswerDifference } from './comparison.ts';

/** Whether two values have the same text. 1.5 and 1.50 have not, because a client sees different bytes. */
function isSameText(legacy: Value, newValue: Value): boolean {
  if (legacy === newValue) return true;
  return legacy !== null && newValue !== null && String(legacy) === String(newValue);
}

function kindOf(legacy: Value, newValue: Value): 'value' | 'missing' | 'extra' {
  if (newValue === null) return 'missing';
  return legacy === null ? 'extra' : 'value';
}

const inAnyOrder = (elements: readonly ListElement[]) =>
  elements.map((element) => [JSON.stringify(element), element] as const).sort(([a], [b]) => (a < b ? -1 : 1));

/** The value of an element's field; without a name, the element itself. */
function valueIn(element: ListElement | undefined, name: string | undefined): Value {
  if (element === undefined) return null;
  if (isScalar(element)) return name === undefined ? element : null;
  return name === undefined ? null : (element[name] ?? null);
}

/**
 * The differences of two lists: a different length, or else the first difference at each field of the elements. Numbers in
 * lists are compared by value.
 */
function compareElements(
  { of, unordered }: ListShape,
  path: string,
  legacy: ListValue,
  newList: ListValue,
): readonly Omit<AnswerDifference, 'id'>[] {
  if (legacy.length !== newList.length)
    return [{ path, kind: 'value', legacy: legacy.length, new: newList.length }];
  const ordered = ({ elements }: ListValue) =>
    unordered ? inAnyOrder(elements).map(([, element]) => element) : elements;
  const [before, after] = [ordered(legacy), ordered(newList)];
  const names = 'kind' in of ? [undefined] : of.map(({ name }) => name);
  return names.flatMap((name) => {
    const at = before.findIndex(
      (one, index) => !isSameValue(valueIn(one, name), valueIn(after[index], name)),
    );
    if (at === -1) return [];
    const [one, other] = [valueIn(before[at], name), valueIn(after[at], name)];
    return [
      {
        path: name === undefined ? path : `${path}.${name}`,
        kind: kindOf(one, other),
        legacy: one,
        new: other,
      },
    ];
  });
}

/** The differences between two records with the same id, field by field. Paths begin with `prefix`, such as `data[].`. */
export function compareRecords(
  fields: readonly Field[],
  prefix: string,
  legacy: CanonicalRecord,
  newRecord: CanonicalRecord,
): readonly AnswerDifference[] {
  return fields.flatMap(({ name, list }): readonly AnswerDifference[] => {
    const [before, after] = [legacy[name] ?? null, newRecord[name] ?? null];
    if (isSameText(before, after)) return [];
    if (list !== undefined && before instanceof ListValue && after instanceof ListValue)
      return compareElements(list, `${prefix}${name}[]`, before, after).map((one) => ({
        ...one,
        id: legacy.id,
      }));
    const kind = kindOf(before, after);
    return [{ path: `${prefix}${name}`, kind, id: legacy.id, legacy: before, new: after }];
  });
}
