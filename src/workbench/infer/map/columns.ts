// Takes the rows of a reply apart into columns (each path with its values), among which `infer` looks for the fields.

import { pathWith, quotedInPath } from '../../../source/adapter/spec/path.ts';
import type { Json, JsonObject } from '../../../kernel/json/json.ts';
import { isList, isObject, scalarText } from '../../../kernel/json/values.ts';
import { fold, isNameable } from '../../../source/checks/evidence/document-leaves.ts';

/** A column: one path of the records, with its value in each row. While columns are looked for, a value may be an object. */
export type Column = {
  readonly path: string;
  /** The folded keys of the path, from the root. */
  readonly words: readonly string[];
  /** The values by row: texts, numbers, booleans, null, lists, or `undefined` for no value. */
  readonly values: readonly (Json | undefined)[];
};

const DEPTH_MAX = 6;
const COLUMNS_MAX = 400;
const ROWS_MAX = 1_000;
/** Keys under which lists of `{ code, value }` hold the name of a value. */
const PAIR_NAMES = ['attribute_code', 'code', 'name', 'key', 'field', 'attribute', 'type'];
/** Names that are never mapped by a guess. */
const FORBIDDEN =
  /pass(?:word|wd)|\bpwd|secret|token|hash|salt|credential|apikey|ssn|natid|nationalid|iban|creditcard|taxid/;

/** Whether a folded or plain name suggests a secret, which no draft may map or ask for. */
export function isSecretColumn(name: string): boolean {
  return FORBIDDEN.test(fold(name));
}

/** The place under a key. */
function placeUnder({ path, words, values }: Column, key: string): Column {
  const inner = values.map((value) =>
    isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined,
  );
  return { path: pathWith(path, key), words: [...words, fold(key)], values: inner };
}

/** The place of one element of the lists at a place, such as the first; `step` is added to the path. */
function itemPlace(
  { path, words, values }: Column,
  step: string,
  pick: (list: readonly Json[]) => Json | undefined,
  word?: string,
): Column {
  return {
    path: path + step,
    words: word === undefined ? words : [...words, word],
    values: values.map((value) => (isList(value) ? pick(value) : undefined)),
  };
}

/** Lists of `{ code: "x", value: … }`: the key of the name, and the names. */
function pairNames(values: Column['values']): { name: string; codes: readonly string[] } | undefined {
  const items = values.flatMap((value) => (isList(value) ? value : [])).filter((one) => isObject(one));
  if (items.length < 2 || !items.every((one) => 'value' in one)) return undefined;
  const name = PAIR_NAMES.find((key) => items.every((one) => typeof one[key] === 'string'));
  if (name === undefined) return undefined;
  const codes = [...new Set(items.flatMap((one) => scalarText(one[name]) ?? []))].filter(isNameable);
  return { name, codes: codes.slice(0, 100) };
}

/** The place of the element whose `key` has the value `wanted`; `literal` is that value in a path. */
function itemWhere(place: Column, key: string, literal: string, wanted: Json, word?: string): Column {
  return itemPlace(
    place,
    `[?${pathWith('', key)}==${literal}]`,
    (list) => list.find((one) => isObject(one) && one[key] === wanted),
    word,
  );
}

function listColumns(place: Column, depth: number): readonly Column[] {
  const lists = place.values.filter((value) => isList(value));
  const inner = lists.flat();
  const first = itemPlace(place, '[0]', (list) => list[0]);
  const columnsIn = (places: readonly Column[]) => places.flatMap((one) => columnsAt(one, depth + 1));
  if (inner.some((one) => isObject(one))) {
    const pairs = pairNames(place.values);
    const picked =
      pairs?.codes.map((code) => itemWhere(place, pairs.name, quotedInPath(code), code, fold(code))) ?? [];
    const isPrimary = (one: Json) => isObject(one) && one['primary'] === true;
    const primary = inner.some(isPrimary) ? [itemWhere(place, 'primary', 'true', true, 'primary')] : [];
    return columnsIn([...picked, ...primary, first]);
  }
  // [4, "Office"] is a reference with its label.
  const isReference =
    lists.length > 0 && lists.every((list) => list.length === 2 && typeof list[1] === 'string');
  return columnsIn([...(isReference ? [itemPlace(place, '[1]', (list) => list[1], 'label')] : []), first]);
}

function scalarColumn({ path, words, values }: Column): readonly Column[] {
  const scalars = values.map((value) => (isObject(value) || isList(value) ? undefined : value));
  const isEmpty = scalars.every((value) => value === undefined);
  return isEmpty ? [] : [{ path, words, values: scalars }];
}

/** The places under each key of the objects at a place. */
function partsIn(place: Column): readonly Column[] {
  const keys = new Set(place.values.flatMap((value) => (isObject(value) ? Object.keys(value) : [])));
  return [...keys].filter(isNameable).map((key) => placeUnder(place, key));
}

/** The text under a key, or the first of a list of texts. */
function mixedColumn(place: Column): Column | undefined {
  const lists = place.values.filter((value) => isList(value));
  const ofScalars =
    lists.length > 0 && lists.every((list) => !list.some((one) => isObject(one) || isList(one)));
  const scalars = place.values.some((value) => scalarText(value) !== undefined);
  if (!ofScalars || !scalars) return undefined;
  const values = place.values.map((value) => (isList(value) ? value[0] : value));
  return { path: `${place.path}[0] | ${place.path}`, words: place.words, values };
}

function columnsAt(place: Column, depth: number): readonly Column[] {
  if (depth > DEPTH_MAX || isSecretColumn(place.words.at(-1) ?? '')) return [];
  const mixed = mixedColumn(place);
  if (mixed !== undefined) return [mixed];
  const objects = partsIn(place).flatMap((part) => columnsAt(part, depth + 1));
  const lists = place.values.some((value) => isList(value)) ? listColumns(place, depth) : [];
  return [...scalarColumn(place), ...objects, ...lists];
}

/** All columns of the rows that hold scalars, in the order of the document. */
export function columnsOf(rows: readonly JsonObject[]): readonly Column[] {
  return columnsAt({ path: '', words: [], values: rows.slice(0, ROWS_MAX) }, 0).slice(0, COLUMNS_MAX);
}

function listsAt(place: Column, depth: number): readonly Column[] {
  if (depth > DEPTH_MAX || isSecretColumn(place.words.at(-1) ?? '')) return [];
  const known = place.values.filter((value) => value !== undefined && value !== null);
  if (known.length > 0 && known.every((value) => isList(value))) return [place];
  return partsIn(place).flatMap((part) => listsAt(part, depth + 1));
}

/** All lists within the rows, each with its list in each row, in the order of the document. */
export function listsOf(rows: readonly JsonObject[]): readonly Column[] {
  return listsAt({ path: '', words: [], values: rows.slice(0, ROWS_MAX) }, 0).slice(0, COLUMNS_MAX);
}

/** The values of a column that are not null. */
export function knownValues({ values }: Column): readonly Json[] {
  return values.filter((value) => value !== undefined && value !== null);
}
