import { compilePath } from '../../adapter/path.ts';
import type { Resource } from '../../contract/resources.ts';
import type { Field } from '../../contract/fields.ts';
import { type Json, type JsonObject, NumberText } from '../../kernel/json/json.ts';
import { chooseField, type ColumnChoice } from './choose-columns.ts';
import { chooseSteps } from './choose-steps.ts';
import { type Column, columnsOf } from './columns.ts';
import { isObject, scalarText } from '../../kernel/json/values.ts';
import { type DraftNote, likely, notesAt, type Remark, sure, toEdit } from '../note.ts';
import { findMoney } from './read-money.ts';

/** The mapping of one field in a source file. */
export type FieldDraft =
  null | string | { readonly from: string | readonly string[]; readonly as: readonly unknown[] };

/** The mapping of one view, with notes. */
export type MapDraft = {
  readonly map: Readonly<Record<string, FieldDraft>>;
  readonly id: { readonly kind: 'number' | 'text'; readonly pattern?: string; readonly form?: string };
  readonly idPath: string;
  readonly notes: readonly DraftNote[];
};

/** The documented paths and time zone of a dialect. */
export type DialectFields = {
  readonly paths: Readonly<Record<string, string>>;
  readonly zone: string | undefined;
};

const fieldDraft = (from: string | readonly string[], as: readonly unknown[]): FieldDraft =>
  typeof from === 'string' && as.length === 0 ? from : { from, as };

/** A documented path, if it has a value in the rows. */
function knownColumn(path: string | undefined, rows: readonly JsonObject[]): Column | undefined {
  if (path === undefined) return undefined;
  const find = compilePath(path);
  const values = rows.map((row) => {
    const value = find(row);
    return isObject(value) || Array.isArray(value) ? undefined : value;
  });
  return values.some((value) => value !== undefined)
    ? { path, words: [path.toLowerCase()], values }
    : undefined;
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

function mapField(
  field: Field,
  chosen: ColumnChoice | undefined,
  { zone, allColumns }: { readonly zone: string | undefined; readonly allColumns: readonly Column[] },
): { readonly draft: FieldDraft; readonly remarks: readonly Remark[] } {
  const absent = isExtra(field) ? likely : toEdit;
  if (chosen === undefined) {
    const text = `no column looks like ${field.name}: give its path, or leave it null`;
    return { draft: null, remarks: [absent(text)] };
  }
  const { from, values } = pathsOf(chosen);
  if (values.every((value) => value === null)) {
    const text = 'the name matches, but every record has it empty';
    return { draft: fieldDraft(from, field.kind === 'instant' ? ['iso8601'] : []), remarks: [absent(text)] };
  }
  const unsure = chosen.level === 'likely' ? [likely(`the best match for ${field.name}`)] : [];
  if (chosen.join) return { draft: fieldDraft(from, [{ join: ' ' }]), remarks: unsure };
  const name = chosen.columns.at(-1)?.words.join('') ?? '';
  const hasGaps = chosen.columns.some((one) =>
    one.values.some((value) => value === undefined || value === null),
  );
  const { as, remarks } = chooseSteps(field.kind, values, { name, field: field.name, zone, hasGaps });
  const [column] = chosen.columns;
  const money = field.kind === 'decimal' && column !== undefined ? findMoney(column, allColumns) : undefined;
  if (money === undefined) return { draft: fieldDraft(from, as), remarks: [...unsure, ...remarks] };
  return {
    draft: { from: money.from, as: [money.step, ...as] },
    remarks: [...unsure, ...remarks, money.remark],
  };
}

/** Forms that ids are generated in. Ids of any other form may come in yet another one tomorrow. */
const ID_FORMS = [
  '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}',
  '[0-9A-F]{8}-[0-9A-F]{4}-[0-9A-F]{4}-[0-9A-F]{4}-[0-9A-F]{12}',
  '[0-9a-f]{24}',
  '[0-9a-f]{32}',
  '[0-9A-HJKMNP-TV-Z]{26}',
];
/** So many ids in one form are not chance. */
const FORM_IDS_MIN = 3;

/** The form that all ids have, if it is one that ids are generated in. */
function formOf(ids: readonly string[]): string | undefined {
  if (ids.length < FORM_IDS_MIN) return undefined;
  return ID_FORMS.find((form) => ids.every((id) => new RegExp(`^(?:${form})$`).test(id)));
}

const DIGITS = /^\d{1,30}$/;
const IN_ADDRESS = /\/(\d{1,19})\/?$/;
const TEXT_IN_ADDRESS = /\/([^/?#]+)\/?$/;

type IdDraft = MapDraft['id'] & {
  readonly path: string;
  readonly remark: Remark;
};

/** The id at the end of a URL, for rows that have no other id: `_links.self.href`. */
function idInAddress(columns: readonly Column[]): IdDraft | undefined {
  const links = columns.filter(
    ({ words, values }) =>
      ['href', 'uri', 'url', 'self', 'id'].includes(words.at(-1) ?? '') &&
      new Set(values).size === values.length &&
      values.every(
        (value) =>
          TEXT_IN_ADDRESS.test(scalarText(value) ?? '') && /^(?:https?:)?\//.test(scalarText(value) ?? ''),
      ),
  );
  const link = links.find(({ words }) => words.includes('self')) ?? links[0];
  if (link === undefined) return undefined;
  const digits = link.values.every((value) => IN_ADDRESS.test(scalarText(value) ?? ''));
  const remark = likely('the records have their id only at the end of their own URL');
  const kind = digits ? 'number' : 'text';
  const pattern = digits ? String.raw`/(\d+)/?$` : '/([^/?#]+)/?$';
  return { kind, pattern, path: link.path, remark };
}

function idOf(columns: readonly Column[], chosen: ColumnChoice | undefined): IdDraft | undefined {
  // XML and CSV write everything as texts.
  const hasNumbers = columns.some(({ values }) =>
    values.some((value) => value instanceof NumberText || typeof value === 'number'),
  );
  const inAddress = idInAddress(columns);
  const [column] = chosen?.columns ?? [];
  if (chosen === undefined || column === undefined) return inAddress;
  if (chosen.level === 'likely' && inAddress !== undefined) return inAddress;
  const texts = column.values.map((value) => scalarText(value)?.trim() ?? '');
  const asText = column.values.some((value) => typeof value === 'string');
  const isDigits = texts.every((text) => DIGITS.test(text));
  // Digits in a text are an id of today: a service that writes numbers as texts may give any text to its next record.
  const kind = isDigits && (!asText || !hasNumbers) ? 'number' : 'text';
  const form = kind === 'text' ? formOf(texts) : undefined;
  const seen =
    kind === 'number'
      ? `whole numbers in all ${texts.length} records seen${asText ? ', written as texts' : ''}`
      : `texts, ${isDigits ? 'today all of digits, ' : ''}never the same twice in ${texts.length} records seen${form === undefined ? '' : ', all of this form'}`;
  const remark =
    chosen.level === 'likely'
      ? toEdit('no column has the name of an id; this one is never empty and is unique')
      : sure(seen);
  return { kind, path: column.path, remark, ...(form !== undefined && { form }) };
}

/**
 * Maps the fields of a view to columns. `undefined` if no column can be the id.
 */
export function mapFields(
  resource: Resource,
  view: 'list' | 'get',
  rows: readonly JsonObject[],
  known: DialectFields,
): MapDraft | undefined {
  const columns = columnsOf(rows);
  const fields = view === 'list' ? resource.itemFields : resource.detailFields;
  const at = ['resources', resource.name, view, 'map'];
  const choose = (name: string): ColumnChoice | undefined => {
    const column = knownColumn(known.paths[name], rows);
    if (column === undefined) return chooseField(columns, resource.name, name);
    return { columns: [column], others: [], level: 'sure', join: false };
  };
  const id = idOf(columns, choose('id'));
  if (id === undefined) return undefined;
  const notes: DraftNote[] = [];
  const map: Record<string, FieldDraft> = { id: id.path };
  for (const field of fields) {
    if (field.kind === 'id') continue;
    const { draft, remarks } = mapField(field, choose(field.name), { zone: known.zone, allColumns: columns });
    map[field.name] = draft;
    notes.push(...notesAt([...at, field.name], ...remarks));
  }
  if (view === 'list') notes.push(...notesAt(['resources', resource.name, 'id'], id.remark));
  const { kind, pattern, form, path } = id;
  const parts = { ...(pattern !== undefined && { pattern }), ...(form !== undefined && { form }) };
  return { map, id: { kind, ...parts }, idPath: path, notes };
}
