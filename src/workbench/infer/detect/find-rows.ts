// Finds the list of records in a reply of a service that `portico infer` does not know yet.

import { compileItems } from '../../../source/adapter/read/items.ts';
import { CHECKED } from '../../../source/adapter/spec/spec-location.ts';
import type { ItemsSpec } from '../../../config/schema/source.ts';
import type { Resource } from '../../../contract/resource.ts';
import type { Json, JsonObject } from '../../../kernel/json/json.ts';
import { isList, isObject, scalarText } from '../../../kernel/json/values.ts';
import { InferError } from '../notes/note.ts';
import { fold, type PlacedValue, valuesIn } from '../../../source/checks/evidence/document-leaves.ts';
import { resourceWords, words } from './usual-names.ts';

/** A list of records in a document. */
export type RowLocation = {
  /** The path of the list; empty if the document is the list. */
  readonly path: string;
  /** The path as plain keys. */
  readonly keys: readonly string[];
  readonly rows: readonly JsonObject[];
  /** The rows are in a map by their ids; each has its key at `$key`. */
  readonly isMap: boolean;
  /** One row of XML: the source file must say that the element is a list. */
  readonly single: boolean;
  /** The rows are lists of values, and the names of their columns stand apart. */
  readonly table?: ColumnNames;
};

/** The place of the names of columns: a list of texts, or of objects that have the name at a key. */
type ColumnNames = { readonly columns: string; readonly columnName: string };

const LIST_NAMES = new Set(
  words(`data items results result value values rows records list entries hits content edges nodes resources
    elements objects`),
);

/** Names of lists of errors, which are never the records. */
const ERROR_NAMES = new Set(words('error errors errormessages exceptions faults violations warnings'));

/** How similar rows are: the share of all their keys that at least half of the rows have. */
function similarity(rows: readonly JsonObject[]): number {
  const sample = rows.slice(0, 20);
  const counts = new Map<string, number>();
  for (const key of sample.flatMap((row) => Object.keys(row))) counts.set(key, (counts.get(key) ?? 0) + 1);
  const common = [...counts.values()].filter((count) => count * 2 >= sample.length).length;
  return counts.size === 0 ? 0 : common / counts.size;
}

function scalarsIn(value: Json, depth = 0): number {
  if (isObject(value) && depth < 5)
    return Object.values(value).reduce<number>((sum, inner) => sum + scalarsIn(inner, depth + 1), 0);
  return scalarText(value) === undefined ? 0 : 1;
}

function scoreOf({ keys, rows }: RowLocation, resource: Resource): number {
  const name = fold(keys.at(-1) ?? '');
  // The name of the resource weighs most, then a name that lists often have.
  const named = resourceWords(resource).lists.includes(name) ? 40 : LIST_NAMES.has(name) ? 15 : 0;
  const full = Math.min(scalarsIn(rows[0] ?? null), 12);
  return named + full * 2 + Math.min(rows.length, 20) * 2 + similarity(rows) * 20 - keys.length * 4;
}

/** The forms of keys that are ids: digits, a UUID, or a word with digits. */
const IS_ID_KEY = /^(?:\d+|[0-9a-f]{8}-[0-9a-f-]{27}|[\w-]*\d[\w-]*)$/i;

/**
 * The rows of a map of records by their ids, with each key at `$key`; `undefined` if an object is no such map. Its members
 * are objects of the same form. A few such members may also be the parts of one record, so their keys must be ids.
 */
function mapRows(value: JsonObject): readonly JsonObject[] | undefined {
  const members = Object.entries(value);
  const rows = members.flatMap(([key, row]) => (isObject(row) ? [{ ...row, $key: key }] : []));
  if (rows.length < 2 || rows.length < members.length) return undefined;
  const hasIds = members.every(([key]) => IS_ID_KEY.test(key));
  const isRecord = rows.every(
    (row) => Object.values(row).filter((one) => scalarText(one) !== undefined).length > 2,
  );
  return isRecord && similarity(rows) > 0.7 && (hasIds || rows.length > 9) ? rows : undefined;
}

const isErrors = ({ keys }: PlacedValue) => ERROR_NAMES.has(fold(keys.at(-1) ?? ''));

/** All lists of objects that are not inside records, and all maps of records. */
function listsIn(document: Json): readonly RowLocation[] {
  const isEntered = (one: PlacedValue) =>
    isObject(one.value) && !isErrors(one) && mapRows(one.value) === undefined;
  return valuesIn(document, isEntered).flatMap((one): readonly RowLocation[] => {
    const { value, path, keys } = one;
    const rows: readonly Json[] = (isObject(value) ? mapRows(value) : isList(value) ? value : []) ?? [];
    if (rows.length === 0 || isErrors(one) || !rows.every((row) => isObject(row))) return [];
    return [{ path, keys, rows, isMap: isObject(value), single: false }];
  });
}

/** Objects that may be a single row, because XML writes a list of one row as the row itself. */
function singleRows(document: Json): readonly RowLocation[] {
  return valuesIn(document).flatMap(({ value, path, keys }) =>
    isObject(value) && keys.length > 1 && scalarsIn(value) > 1 && !Object.hasOwn(value, 'faultcode')
      ? [{ path, keys, rows: [value], isMap: false, single: true }]
      : [],
  );
}

/** The lists of a document that may be the records, the most probable first. */
export function findRows(document: Json, resource: Resource, isXml: boolean): readonly RowLocation[] {
  const tables = isXml ? [] : namedTables(document);
  const lists = [...listsIn(document), ...tables].filter(
    ({ isMap, path }) => !(isMap && isXml) && !tables.some(({ table }) => table?.columns === path),
  );
  const places = lists.length === 0 && isXml ? singleRows(document) : lists;
  return places
    .map((place) => ({ place, score: scoreOf(place, resource) }))
    .sort((a, b) => b.score - a.score)
    .map(({ place }) => place);
}

/** A list of lists that all have the same length. */
type Table = {
  readonly path: string;
  readonly keys: readonly string[];
  readonly rows: number;
  readonly width: number;
};

/** The lists of lists: rows without the names of their columns. */
function tablesIn(document: Json): readonly Table[] {
  return valuesIn(document).flatMap(({ value, path, keys }) => {
    if (!isList(value)) return [];
    const [first] = value;
    const width = first !== undefined && isList(first) ? first.length : 0;
    const isEven = value.every(
      (row) => isList(row) && row.length === width && !row.some((cell) => isObject(cell)),
    );
    return width > 1 && isEven ? [{ path, keys, rows: value.length, width }] : [];
  });
}

/** The key at which the objects that describe columns have a name. */
const NAME_KEYS = ['name', 'field', 'key', 'id', 'column', 'columnName', 'column_name', 'title', 'label'];

/** The key at which the elements of a list name `width` different columns; empty if the elements themselves are the names. */
function columnNameIn(list: readonly Json[], width: number): string | undefined {
  if (list.length !== width) return undefined;
  const areNames = (names: readonly (Json | undefined)[]) =>
    names.every((one) => typeof one === 'string' && one !== '') && new Set(names).size === width;
  if (areNames(list)) return '';
  const objects = list.filter((one) => isObject(one));
  return objects.length < width
    ? undefined
    : NAME_KEYS.find((key) => areNames(objects.map((one) => one[key])));
}

/** The lists in a document that name `width` columns. */
function columnNames(document: Json, width: number): readonly ColumnNames[] {
  return valuesIn(document).flatMap(({ value, path }) => {
    const columnName = isList(value) ? columnNameIn(value, width) : undefined;
    return columnName === undefined ? [] : [{ columns: path, columnName }];
  });
}

/** The tables whose column names stand in one other place of the document, or in one place beside the rows. */
export function namedTables(document: Json): readonly RowLocation[] {
  return tablesIn(document).flatMap(({ path, keys, width }): readonly RowLocation[] => {
    const names = columnNames(document, width);
    const parent = (text: string) => text.slice(0, Math.max(0, text.lastIndexOf('.')));
    const near = names.filter(({ columns }) => parent(columns) === parent(path));
    const [table, ...others] = near.length > 0 ? near : names;
    if (table === undefined || others.length > 0) return [];
    const read = compileItems(itemsOf({ path, isMap: false, table }), 'invalid', CHECKED);
    const rows = (read(document) ?? []).filter((row) => isObject(row));
    return [{ path, keys, rows, isMap: false, single: false, table }];
  });
}

/** The path of a table without column names, if it has more rows than were found elsewhere. */
export function largerTable(document: Json, rows: number): string | undefined {
  return tablesIn(document).find((table) => table.rows > Math.max(rows, 1))?.path;
}

/** The error about rows without names, which cannot be drafted. */
export function namelessTableError(path: string): InferError {
  const where = path === '' ? 'the records' : `the records at ${path}`;
  return new InferError(
    `${where} are lists of values, without the names of their columns`,
    `give a parameter that asks for objects, if the service has one; by hand: items: { at: '${path}', form: table, columns: … }`,
  );
}

/** The error about a document without rows. */
export function noRowsError(document: Json): InferError {
  if (isObject(document) && Object.keys(document).some((key) => ERROR_NAMES.has(fold(key))))
    return new InferError(
      'the reply reports errors in place of records',
      'correct the request, its body or its credential by what the service says, and run it again',
    );
  const table = largerTable(document, 0);
  if (table !== undefined) return namelessTableError(table);
  if (isList(document) && document.length === 0)
    return new InferError(
      'the list is empty',
      'try again when there are records, or give a saved reply with --sample',
    );
  return new InferError(
    'the reply has no list of records',
    'give the address of the list itself, with the parameters that it needs',
  );
}

/** The `items` of a source file for the place of rows. */
export function itemsOf({ path, isMap, table }: Pick<RowLocation, 'path' | 'isMap' | 'table'>): ItemsSpec {
  if (table !== undefined) return { at: path, form: 'table', ...table, row: '' };
  return isMap ? { at: path, form: 'map', columnName: '', row: '' } : path;
}
