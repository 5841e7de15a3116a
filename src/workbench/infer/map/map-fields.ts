// Guesses for `portico infer` which column of a service holds each field of the contract, and writes the `map` of the
// draft, once for the list and once for the single record.

import { pathAt } from '../../../source/adapter/spec/path.ts';
import { CHECKED } from '../../../source/adapter/spec/spec-location.ts';
import type { Resource } from '../../../contract/resource.ts';
import type { Field, FieldKind } from '../../../contract/fields.ts';
import type { Json, JsonObject } from '../../../kernel/json/json.ts';
import type { Dialect } from '../dialects/dialect.ts';
import { chooseField } from './choose-columns.ts';
import { type ColumnChoice, requiredRemarks } from './column-tests.ts';
import { inferId, type NativeId } from './infer-id.ts';
import { chooseSteps } from './choose-steps.ts';
import { type Column, columnsOf, knownValues, listsOf } from './columns.ts';
import { candidatesText, holdsValues, holdsTimes, maskedSample, whyNoName } from './describe-columns.ts';
import { isList, isObject } from '../../../kernel/json/values.ts';
import { type FieldDraft, mapList, type MappedField, unmapped } from './map-list.ts';
import { type DraftNote, likely, notesAt, type Remark, toEdit, InferError } from '../notes/note.ts';
import { findMoney } from './read-money.ts';
import { refuseUndescribed } from './refuse-undescribed.ts';

/** The `map` of the list or of the single record, with notes. */
export type MapDraft = {
  readonly map: Readonly<Record<string, FieldDraft>>;
  readonly id: NativeId;
  readonly idPath: string;
  readonly notes: readonly DraftNote[];
};

/** The mapping of a field from its paths, through some steps. */
export function fieldDraft(from: string | readonly string[], as: readonly unknown[]): FieldDraft {
  return typeof from === 'string' && as.length === 0 ? from : { from, as };
}

/** The column at a path that is known already, if any row has a value there; for a field of kind list, a list. */
function knownColumn(
  path: string | undefined,
  rows: readonly JsonObject[],
  kind?: FieldKind,
): Column | undefined {
  if (path === undefined) return undefined;
  const find = pathAt(path, CHECKED);
  const values = rows.map((row) => {
    const value = find(row);
    return isObject(value) || isList(value) !== (kind === 'list') ? undefined : value;
  });
  return values.some((value) => value !== undefined)
    ? { path, words: [path.toLowerCase()], values }
    : undefined;
}

/** A choice with the values of all rows, because columns were found in the first rows only. */
function inAllRows(choice: ColumnChoice | undefined, rows: readonly JsonObject[]): ColumnChoice | undefined {
  if (choice === undefined || choice.columns[0]?.values.length === rows.length) return choice;
  const widened = (column: Column) => ({ ...column, values: knownColumn(column.path, rows)?.values ?? [] });
  return { ...choice, columns: choice.columns.map(widened), others: choice.others.map(widened) };
}

/** Refuses columns that the operator names for some fields of a view, if no record of the view has them. @throws InferError */
export function refuseAbsentColumns(
  rows: readonly JsonObject[],
  fields: readonly Field[],
  columns: Readonly<Record<string, string>>,
): void {
  for (const { name, kind } of fields) {
    const path = columns[name];
    if (path === undefined || knownColumn(path, rows, kind) !== undefined) continue;
    const names = (kind === 'list' ? listsOf(rows) : columnsOf(rows)).map((column) => column.path);
    throw new InferError(
      `no record has a value at ${path}, which is named for ${name}`,
      `the records have ${names.slice(0, 12).join(', ')}`,
    );
  }
}

/** The paths of a field and its values by row, those of all joined columns. */
function pathsOf({ columns, others }: ColumnChoice): {
  from: string | string[];
  values: readonly Json[];
} {
  const values = [...columns, ...others].flatMap((column) =>
    column.values.filter((value) => value !== undefined),
  );
  if (columns.length > 1) return { from: columns.map(({ path }) => path), values };
  return { from: [...columns, ...others].map(({ path }) => path).join(' | '), values };
}

/** What the dialect or the operator says of the fields. */
type KnownOfFields = Pick<FieldContext, 'described'> & {
  readonly paths: Readonly<Record<string, string>>;
  readonly dialect: Pick<Dialect, 'zone' | 'idKind'> | undefined;
};

/** What is known of the list, or of the single record, whose fields are mapped. */
type FieldContext = {
  readonly zone: string | undefined;
  readonly allColumns: readonly Column[];
  readonly idPath: string;
  readonly resource: Resource;
  /** The resources whose ids the source describes, for fields that refer to them. */
  readonly described: ReadonlySet<string>;
};

/** Whether a field is one that most services lack (only the single view has it), so it becomes null without a question. */
const isExtra = ({ name, path, required }: Field, { itemFields }: Resource) =>
  path.length > 1 && !required && !itemFields.some((field) => field.name === name);

/** Adds the columns that may hold a field to the remark that the operator must edit. */
function withCandidates(
  remarks: readonly Remark[],
  { kind, name }: Field,
  columns: readonly Column[],
  without: readonly Column[],
): readonly Remark[] {
  const texts = candidatesText(kind, columns, without);
  const isOpen = ({ level, isOfSteps }: Remark) => level === 'edit' && isOfSteps !== true;
  if (!remarks.some(isOpen) || texts === '') return remarks;
  const sample = without[0] === undefined ? undefined : knownValues(without[0])[0];
  const own = sample === undefined ? '' : `it reads ${maskedSample(sample)}; `;
  return remarks.map((remark) =>
    isOpen(remark)
      ? { ...remark, text: `${remark.text} (${own}other columns for ${name}: ${texts})` }
      : remark,
  );
}

/** The only column with times or with values of the enum, for a field whose name no column has; and a text that says so. */
function onlyFitting({ kind, values }: Field, columns: readonly Column[]) {
  const [fits, what] =
    kind === 'datetime' || kind === 'date'
      ? [holdsTimes, 'times']
      : kind === 'enum'
        ? [(column: Column) => holdsValues(column, values ?? []), 'these values']
        : [() => false, ''];
  const [column, ...others] = columns.filter(fits);
  if (column === undefined || others.length > 0) return undefined;
  const choice: ColumnChoice = { columns: [column], others: [], level: 'likely' };
  return { choice, text: `${column.path} is the only column of ${what}` };
}

/** Maps a field whose name no column has. */
function mapUnnamed(field: Field, context: FieldContext): MappedField {
  const { allColumns, resource } = context;
  const only = onlyFitting(field, allColumns);
  if (only !== undefined) {
    const { draft, remarks } = mapField(field, only.choice, context);
    const text = `${only.text}: check that it means ${field.name}, or write null`;
    return { draft, remarks: [toEdit(text), ...remarks.filter(({ level }) => level === 'edit')] };
  }
  const again =
    isExtra(field, resource) || !resource.fieldNames.includes(field.name)
      ? ''
      : `; with --map ${field.name}=<path>, infer tries its filters and sorts, too`;
  const leave = field.required ? 'the contract requires it' : 'or leave it null';
  const text = `no column looks like ${field.name}: give its path, ${leave}${again}`;
  const absent = isExtra(field, resource) ? likely : toEdit;
  return { draft: unmapped(field), remarks: withCandidates([absent(text)], field, allColumns, []) };
}

/** Remarks on the choice of the columns themselves. */
function choiceRemarks(field: Field, chosen: ColumnChoice, { allColumns, idPath }: FieldContext) {
  const [column, joined] = chosen.columns;
  const isName = field.means === 'person_name' || field.means === 'title';
  const noName =
    isName && chosen.isGiven !== true && joined === undefined && column !== undefined
      ? whyNoName(column, allColumns, idPath)
      : undefined;
  if (noName !== undefined) return [toEdit(`this may not be the name: ${noName}`)];
  if (chosen.doubt !== undefined) return [toEdit(chosen.doubt)];
  return chosen.level === 'likely' ? [likely(`the best match for ${field.name}`)] : [];
}

function mapField(field: Field, chosen: ColumnChoice | undefined, context: FieldContext): MappedField {
  const { zone, allColumns, resource, described } = context;
  if (chosen === undefined) return mapUnnamed(field, context);
  const { from, values } = pathsOf(chosen);
  if (field.to !== undefined && !described.has(field.to)) {
    const path = chosen.columns[0]?.path ?? '';
    const text = `${path} looks like the ids of ${field.to}: add ${field.to} to this file, for example with portico infer --into, then write ${path}`;
    return { draft: null, remarks: [toEdit(text)] };
  }
  if (values.every((value) => value === null)) {
    const text = 'the name matches, but every record has it empty';
    const absent = isExtra(field, resource) ? likely : toEdit;
    // No value shows which steps it needs, but the last one must fit the kind.
    const as = field.kind === 'datetime' ? ['iso8601'] : [];
    return { draft: fieldDraft(from, as), remarks: [absent(text)] };
  }
  const unsure = [...choiceRemarks(field, chosen, context), ...requiredRemarks(field, chosen)];
  if (typeof from !== 'string') return { draft: { from, as: [{ join: ' ' }] }, remarks: unsure };
  const name = chosen.columns.at(-1)?.words.join('') ?? '';
  const hasGaps = chosen.columns.some((one) =>
    one.values.some((value) => value === undefined || value === null),
  );
  const isAsked = resource.filters.some((filter) => filter.field === field.name);
  const { as, remarks } = chooseSteps(field, values, { name, zone, hasGaps, isAsked });
  const [column] = chosen.columns;
  const money = field.kind === 'decimal' && column !== undefined ? findMoney(column, allColumns) : undefined;
  if (money === undefined)
    return {
      draft: fieldDraft(from, as),
      remarks: withCandidates([...unsure, ...remarks], field, allColumns, chosen.columns),
    };
  return {
    draft: { from: money.from, as: [money.step, ...as] },
    remarks: [...unsure, ...remarks, money.remark],
  };
}

/**
 * Maps the fields of a view to columns. `undefined` if no column can be the id.
 * @throws InferError if a field can neither be read nor be null
 */
export function mapFields(
  resource: Resource,
  view: 'list' | 'get',
  rows: readonly JsonObject[],
  /** `paths` are the columns by field that the dialect or the operator names; the resource itself is one of `described`. */
  { paths, dialect, described }: KnownOfFields,
): MapDraft | undefined {
  const [columns, lists] = [columnsOf(rows), listsOf(rows)];
  const fields = view === 'list' ? resource.itemFields : resource.detailFields;
  const at = ['resources', resource.name, view, 'map'];
  const choose = (field: Field): ColumnChoice | undefined => {
    const column = knownColumn(paths[field.name], rows, field.kind);
    if (column === undefined && field.kind === 'list')
      return chooseField([...lists, ...columns], resource, field);
    if (column === undefined) return inAllRows(chooseField(columns, resource, field), rows);
    return { columns: [column], others: [], level: 'sure', isGiven: true };
  };
  const [idField] = resource.itemFields;
  const id = inferId(columns, idField && choose(idField), dialect?.idKind);
  if (id === undefined) return undefined;
  refuseUndescribed([...resource.itemFields, ...resource.detailFields], described);
  const notes: DraftNote[] = [];
  const map: Record<string, FieldDraft> = { id: id.path };
  // The fields of elements are no fields of the resource, so no filter asks for them.
  const element = { ...resource, filters: [], fieldNames: [] };
  for (const field of fields) {
    if (field.kind === 'id') continue;
    const context = { zone: dialect?.zone, allColumns: columns, idPath: id.path, resource, described };
    const {
      draft,
      remarks,
      within = [],
    } = field.kind === 'list'
      ? mapList(field, choose(field), lists, (one, inner, given = chooseField(inner, element, one)) =>
          mapField(one, given, { ...context, allColumns: inner, resource: element }),
        )
      : mapField(field, choose(field), context);
    map[field.name] = draft;
    notes.push(...notesAt([...at, field.name], ...remarks));
    for (const [name, own] of within)
      notes.push(...notesAt([...at, field.name, 'each', 'map', name], ...own));
  }
  if (view === 'list') notes.push(...notesAt(['resources', resource.name, 'id'], id.remark));
  const { path: idPath, remark: _remark, ...native } = id;
  return { map, id: native, idPath, notes };
}
