// Reads fields that are lists: each element is a value or an object of fields. If one element is unreadable, the list is.

import type { EachSpec, MappingSpec } from '../../../config/schema/source.ts';
import type { Field, ListShape, Value } from '../../../contract/fields.ts';
import { type ListElement, ListValue } from '../../../contract/list-value.ts';
import type { Json } from '../../../kernel/json/json.ts';
import { isList, isObject } from '../../../kernel/json/values.ts';
import type { SpecLocation } from '../spec/spec-location.ts';
import { type StepValue, UNREADABLE } from './coercion/step.ts';

/** Reads an element's value, or one of its fields. `found` is the value that cannot be read. */
type ElementReader = {
  readonly name: string;
  readonly read: (
    element: Json,
    onMissingValue: (field: string, reason: 'missing' | 'unreadable' | 'absent', found?: Json) => void,
  ) => Value;
};

/** Compiles the reader of an element's value, or of one of its fields. */
type CompileReader = (field: Field, mapping: MappingSpec[string], here: SpecLocation) => ElementReader;

/** The reader of a list. The whole list is `UNREADABLE` if an element is. */
export type ElementsReader = {
  readonly read: (value: StepValue) => ListValue | null | typeof UNREADABLE;
  /** The element at which the last reading failed, by its place, such as `{ "[2].price": … }`. */
  readonly failed: () => Json | undefined;
};

/** The readers of an object's fields. Fields without a mapping are reported. */
function fieldReaders(
  fields: readonly Field[],
  { as, map }: EachSpec,
  here: SpecLocation,
  compile: CompileReader,
): readonly (ElementReader & { readonly field: Field })[] {
  if (as !== undefined)
    here.at('as').report('the elements are objects', 'write the steps beside the paths in `map`');
  for (const key of Object.keys(map ?? {}))
    if (!fields.some(({ name }) => name === key))
      here
        .at('map', key)
        .report(
          `unknown field of an element "${key}"`,
          `fields: ${fields.map(({ name }) => name).join(', ')}`,
        );
  return fields.flatMap((field) => {
    const mapping = map?.[field.name];
    if (mapping !== undefined) return [{ field, ...compile(field, mapping, here.at('map', field.name)) }];
    here.report(
      `the field "${field.name}" of an element has no source`,
      `each: { map: { ${field.name}: path.in.the.element } }`,
    );
    return [];
  });
}

/** Compiles the reader of a list's elements. `each` says how an element is read; without `each`, it is read as it is. */
export function compileListReader(
  { max, of }: ListShape,
  each: EachSpec = {},
  here: SpecLocation,
  compile: CompileReader,
): ElementsReader {
  let failed: Json | undefined;
  let unreadable = 0;
  const note = (_field: string, reason: string) => {
    if (reason === 'unreadable') unreadable += 1;
  };
  const fail = (place: string, found: Json) => {
    failed = { [place]: found };
  };

  function scalarReader(field: Field): (element: Json, index: number) => ListElement | undefined {
    if (each.map !== undefined) here.at('map').report('the elements are no objects', 'each: { as: [trim] }');
    const { read } = compile(field, { from: '', as: each.as ?? [], ids: each.ids }, here);
    return (element, index) => {
      const value = read(element, note);
      // There are no lists in a list.
      if (value !== null && !(value instanceof ListValue)) return value;
      fail(`[${index}]`, element);
      return undefined;
    };
  }

  function objectReader(fields: readonly Field[]): (element: Json, index: number) => ListElement | undefined {
    const readers = fieldReaders(fields, each, here, compile);
    return (element, index) => {
      if (!isObject(element)) {
        fail(`[${index}]`, element);
        return;
      }
      const object: Record<string, Exclude<ListElement, object> | null> = {};
      for (const { name, read, field } of readers) {
        const before = unreadable;
        const value = read(element, note);
        if (unreadable > before || (value === null && field.required)) {
          fail(`[${index}].${name}`, element);
          return;
        }
        object[name] = value as (typeof object)[string];
      }
      return object;
    };
  }

  const readElement = 'kind' in of ? scalarReader(of) : objectReader(of);
  return {
    failed: () => failed,
    read(value) {
      failed = undefined;
      if (value === null || value === undefined) return null;
      if (value === UNREADABLE || !isList(value as Json) || (value as readonly Json[]).length > max)
        return UNREADABLE;
      const elements: ListElement[] = [];
      for (const [index, one] of (value as readonly Json[]).entries()) {
        const element = readElement(one, index);
        if (element === undefined) return UNREADABLE;
        elements.push(element);
      }
      return new ListValue(elements);
    },
  };
}
