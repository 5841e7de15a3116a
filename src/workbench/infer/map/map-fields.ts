import { pathAt } from '../../../source/adapter/spec/path.ts';
import { CHECKED } from '../../../source/adapter/spec/spec-location.ts';
import type { Resource } from '../../../contract/resource.ts';
import type { Field } from '../../../contract/fields.ts';
import type { Json, JsonObject } from '../../../kernel/json/json.ts';
import { chooseField, type ColumnChoice } from './choose-columns.ts';
import { inferId, type NativeId } from './infer-id.ts';
import { chooseSteps } from './choose-steps.ts';
import { type Column, columnsOf, knownValues } from './columns.ts';
import { candidatesText, isTimes, maskedSample, whyNoName } from './describe-columns.ts';
import { isObject } from '../../../kernel/json/values.ts';
import { type DraftNote, likely, notesAt, type Remark, toEdit, InferError } from '../notes/note.ts';
import { findMoney } from './read-money.ts';

/** The mapping of one field in a source file. */
export type FieldDraft =
  null | string | { readonly from: string | readonly string[]; readonly as: readonly unknown[] };

/** The mapping of one view, with notes. */
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

/** The paths and the steps of a field, however its mapping is written. */
export function partsOf(draft: NonNullable<FieldDraft>) {
  return typeof draft === 'string' ? { from: draft, as: [] } : draft;
}

/** A documented path, if it has a value in the rows. */
function knownColumn(path: string | undefined, rows: readonly JsonObject[]): Column | undefined {
  if (path === undefined) return undefined;
  const find = pathAt(path, CHECKED);
  const values = rows.map((row) => {
    const value = find(row);
    return isObject(value) || Array.isArray(value) ? undefined : value;
  });
  return values.some((value) => value !== undefined)
    ? { path, words: [path.toLowerCase()], values }
    : undefined;
}

/** A choice with the values of every row: columns are found in the first ones. */
function inAllRows(choice: ColumnChoice | undefined, rows: readonly JsonObject[]): ColumnChoice | undefined {
  if (choice === undefined || choice.columns[0]?.values.length === rows.length) return choice;
  const widened = (column: Column) => ({ ...column, values: knownColumn(column.path, rows)?.values ?? [] });
  return { ...choice, columns: choice.columns.map(widened), others: choice.others.map(widened) };
}

/** Refuses a column that the operator names and no record has. @throws InferError */
export function refuseAbsent(rows: readonly JsonObject[], field: string, path: string): void {
  if (knownColumn(path, rows) !== undefined) return;
  const names = columnsOf(rows).map((column) => column.path);
  throw new InferError(
    `no record has a value at ${path}, which is named for ${field}`,
    `the records have ${names.slice(0, 12).join(', ')}`,
  );
}

/** The paths of a field and its values by row, those of all joined columns. */
function pathsOf({ columns, others, join }: ColumnChoice): {
  from: string | string[];
  values: readonly Json[];
} {
  const values = [...columns, ...others].flatMap((column) =>
    column.values.filter((value) => value !== undefined),
  );
  if (join) return { from: columns.map(({ path }) => path), values };
  return { from: [...columns, ...others].map(({ path }) => path).join(' | '), values };
}

/** Fields that most services do not have. They become null without a note. */
const isExtra = ({ name }: Field) => name.startsWith('profile.');

/** The facts about a view that its fields are mapped with. */
type FieldContext = {
  readonly zone: string | undefined;
  readonly allColumns: readonly Column[];
  readonly idPath: string;
  /** The fields that a filter of the contract asks for. */
  readonly asked: readonly string[];
};

/** Adds the columns that a field may be in to what is to edit there. */
function withCandidates(
  remarks: readonly Remark[],
  { kind, name }: Field,
  columns: readonly Column[],
  without: readonly Column[],
): readonly Remark[] {
  const texts = candidatesText(kind, columns, without);
  const isOpen = remarks.some(({ level }) => level === 'edit');
  if (!isOpen || texts === '') return remarks;
  const sample = without[0] === undefined ? undefined : knownValues(without[0])[0];
  const own = sample === undefined ? '' : `it reads ${maskedSample(sample)}; `;
  return remarks.map((remark) =>
    remark.level === 'edit'
      ? { ...remark, text: `${remark.text} (${own}other columns for ${name}: ${texts})` }
      : remark,
  );
}

/** The only column of times, for a field of a time whose name no column has. */
function onlyTimes(columns: readonly Column[]): ColumnChoice | undefined {
  const [times, ...others] = columns.filter(isTimes);
  return times === undefined || others.length > 0
    ? undefined
    : { columns: [times], others: [], level: 'likely', join: false };
}

function mapField(
  field: Field,
  chosen: ColumnChoice | undefined,
  context: FieldContext,
): { readonly draft: FieldDraft; readonly remarks: readonly Remark[] } {
  const { zone, allColumns, idPath, asked } = context;
  const absent = isExtra(field) ? likely : toEdit;
  if (chosen === undefined) {
    const times = field.kind === 'datetime' ? onlyTimes(allColumns) : undefined;
    if (times !== undefined) {
      const { draft, remarks } = mapField(field, times, context);
      const path = times.columns[0]?.path ?? '';
      const text = `${path} is the only column of times: check that it means ${field.name}, or write null`;
      return { draft, remarks: [toEdit(text), ...remarks.filter(({ level }) => level === 'edit')] };
    }
    const again = isExtra(field)
      ? ''
      : `; with --map ${field.name}=<path>, infer tries its filters and sorts, too`;
    const text = `no column looks like ${field.name}: give its path, or leave it null${again}`;
    return { draft: null, remarks: withCandidates([absent(text)], field, allColumns, []) };
  }
  const { from, values } = pathsOf(chosen);
  if (values.every((value) => value === null)) {
    const text = 'the name matches, but every record has it empty';
    return { draft: fieldDraft(from, field.kind === 'datetime' ? ['iso8601'] : []), remarks: [absent(text)] };
  }
  const doubt =
    field.name === 'name' && !chosen.isGiven && !chosen.join && chosen.columns[0] !== undefined
      ? whyNoName(chosen.columns[0], allColumns, idPath)
      : undefined;
  const best = chosen.level === 'likely' ? [likely(`the best match for ${field.name}`)] : [];
  const unsure = doubt === undefined ? best : [toEdit(`this may not be the name: ${doubt}`)];
  if (chosen.join) return { draft: fieldDraft(from, [{ join: ' ' }]), remarks: unsure };
  const name = chosen.columns.at(-1)?.words.join('') ?? '';
  const hasGaps = chosen.columns.some((one) =>
    one.values.some((value) => value === undefined || value === null),
  );
  const isAsked = asked.includes(field.name);
  const options = { name, field: field.name, zone, hasGaps, isAsked };
  const { as, remarks, doubt: open } = chooseSteps(field.kind, values, options);
  const doubts = open === undefined ? [] : [open];
  const [column] = chosen.columns;
  const money = field.kind === 'decimal' && column !== undefined ? findMoney(column, allColumns) : undefined;
  if (money === undefined)
    return {
      draft: fieldDraft(from, as),
      remarks: [...withCandidates([...unsure, ...remarks], field, allColumns, chosen.columns), ...doubts],
    };
  return {
    draft: { from: money.from, as: [money.step, ...as] },
    remarks: [...unsure, ...remarks, money.remark],
  };
}

/**
 * Maps the fields of a view to columns. `undefined` if no column can be the id.
 */
export function mapFields(
  resource: Resource,
  view: 'list' | 'get',
  rows: readonly JsonObject[],
  /** What the dialect or the operator says: columns by field, the time zone, and that ids are texts in any case. */
  known: {
    readonly paths: Readonly<Record<string, string>>;
    readonly zone: string | undefined;
    readonly idKind: 'text' | undefined;
  },
): MapDraft | undefined {
  const columns = columnsOf(rows);
  const fields = view === 'list' ? resource.itemFields : resource.detailFields;
  const at = ['resources', resource.name, view, 'map'];
  const choose = (field: Field): ColumnChoice | undefined => {
    const column = knownColumn(known.paths[field.name], rows);
    if (column === undefined) return inAllRows(chooseField(columns, resource, field), rows);
    return { columns: [column], others: [], level: 'sure', join: false, isGiven: true };
  };
  const [idField] = resource.itemFields;
  const id = inferId(columns, idField && choose(idField), known.idKind);
  if (id === undefined) return undefined;
  const notes: DraftNote[] = [];
  const map: Record<string, FieldDraft> = { id: id.path };
  for (const field of fields) {
    if (field.kind === 'id') continue;
    const { draft, remarks } = mapField(field, choose(field), {
      zone: known.zone,
      allColumns: columns,
      idPath: id.path,
      asked: resource.filters.map((filter) => filter.field),
    });
    map[field.name] = draft;
    notes.push(...notesAt([...at, field.name], ...remarks));
  }
  if (view === 'list') notes.push(...notesAt(['resources', resource.name, 'id'], id.remark));
  const { kind, pattern, form, path } = id;
  const parts = { ...(pattern !== undefined && { pattern }), ...(form !== undefined && { form }) };
  return { map, id: { kind, ...parts }, idPath: path, notes };
}
