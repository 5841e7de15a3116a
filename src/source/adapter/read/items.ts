// Finds the rows of a list, or the single record, in the document of a reply, in the forms that `items` of a source file can
// name.

import type { ItemsSpec } from '../../../config/schema/source.ts';
import type { Json } from '../../../kernel/json/json.ts';
import { isList, isObject } from '../../../kernel/json/values.ts';
import { type Path, pathAt } from '../spec/path.ts';
import type { SpecLocation } from '../spec/spec-location.ts';

/** Reads the rows from the value at their path, in one form: list, map, columns or table. `undefined` if it has another form. */
type FormReader = (found: Json | undefined, document: Json) => readonly Json[] | undefined;

type Entries = readonly (readonly [string, Json])[];

function asList(value: Json | undefined): readonly Json[] | undefined {
  return isList(value) ? value : undefined;
}

function entriesOf(value: Json | undefined): Entries | undefined {
  return isObject(value) ? Object.entries(value) : undefined;
}

/** Builds an object like those of `readJson`, without a prototype; of two entries with one name, the later counts. */
function objectOf(entries: Entries): Json {
  return Object.assign(Object.create(null) as Record<string, Json>, Object.fromEntries(entries));
}

const readMap: FormReader = (found) => {
  // Some languages write an empty map as an empty list.
  if (asList(found)?.length === 0) return [];
  return entriesOf(found)?.map(([key, value]) =>
    objectOf([...(entriesOf(value) ?? [['$value', value] as const]), ['$key', key]]),
  );
};

/** The names of columns; `undefined` if a name cannot be read or comes twice. */
function namesOf(columns: readonly Json[] | undefined, name: Path): readonly string[] | undefined {
  const names = columns?.map((column) => name(column));
  const texts = names?.filter((one) => typeof one === 'string');
  return texts === undefined || texts.length !== names?.length || new Set(texts).size < texts.length
    ? undefined
    : texts;
}

function readTable(columns: (document: Json) => readonly Json[] | undefined, name: Path): FormReader {
  return (found, document) => {
    const rows = asList(found);
    const names = namesOf(columns(document), name);
    if (rows === undefined || names === undefined) return undefined;
    const cells = rows.map(asList);
    // The values of a shorter or longer row would get wrong names.
    if (cells.some((row) => row?.length !== names.length)) return undefined;
    return cells.map((row) => objectOf(names.map((key, index) => [key, row?.[index] ?? null])));
  };
}

const readColumns: FormReader = (found) => {
  const columns = entriesOf(found)?.map(([key, values]) => [key, asList(values)] as const);
  const height = columns?.[0]?.[1]?.length ?? 0;
  if (columns === undefined || columns.some(([, values]) => values?.length !== height)) return undefined;
  return Array.from({ length: height }, (_, index) =>
    objectOf(columns.map(([key, values]) => [key, values?.[index] ?? null])),
  );
};

function compileForm(spec: Exclude<ItemsSpec, string>, here: SpecLocation): FormReader {
  if ((spec.form === 'table') !== (spec.columns !== undefined))
    here.report('`form: table` and `columns` belong together', 'columns: path.of.the.names');
  switch (spec.form) {
    case 'list':
      return asList;
    case 'map':
      return readMap;
    case 'columns':
      return readColumns;
    case 'table': {
      const { columns = [] } = spec;
      const find = typeof columns === 'string' ? pathAt(columns, here.at('columns')) : undefined;
      const name = pathAt(spec.columnName, here.at('columnName'));
      return readTable(
        find === undefined ? () => columns as readonly string[] : (document) => asList(find(document)),
        name,
      );
    }
  }
}

/**
 * Compiles the reader of the rows of a document; `undefined` if it has no rows in the declared form. `absent` decides if a
 * missing value means no rows. A row without a value at `row` is `null`, which is not a record.
 */
export function compileItems(spec: ItemsSpec, absent: 'invalid' | 'empty', here: SpecLocation) {
  const path = typeof spec === 'string' ? spec : spec.at;
  const find = pathAt(path, typeof spec === 'string' ? here : here.at('at'));
  const read = typeof spec === 'string' ? asList : compileForm(spec, here);
  const row = typeof spec === 'string' || spec.row === '' ? undefined : spec.row;
  const inner = row === undefined ? undefined : pathAt(row, here.at('row'));
  return (document: Json): readonly Json[] | undefined => {
    const found = find(document);
    // XML writes an empty list as an empty element.
    if (absent === 'empty' && (found === undefined || found === null || found === '')) return [];
    const rows = read(found, document);
    return inner === undefined ? rows : rows?.map((one) => inner(one) ?? null);
  };
}

/** Compiles the place of a single record: a path, or the only row in one of the other forms. */
export function compileItem(spec: ItemsSpec, here: SpecLocation): Path {
  if (typeof spec === 'string') return pathAt(spec, here);
  const items = compileItems(spec, 'invalid', here);
  return (document) => {
    const rows = items(document);
    return rows?.length === 1 ? rows[0] : undefined;
  };
}

/** The place of rows, for error messages. */
export function itemsPlace(spec: ItemsSpec): string {
  return typeof spec === 'string' ? spec : spec.at;
}
