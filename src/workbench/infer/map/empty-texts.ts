// Decides for a draft what an empty text means, for all text fields at once.

import { compilePath } from '../../../source/adapter/spec/path.ts';
import type { Resource } from '../../../contract/resource.ts';
import type { JsonObject } from '../../../kernel/json/json.ts';
import { type DraftNote, likely, notesAt, toEdit } from '../notes/note.ts';
import { type FieldDraft, pathsAndSteps } from './map-list.ts';
import { SHOWN_MIN } from './weigh-guesses.ts';

type FieldDrafts = Readonly<Record<string, FieldDraft>>;

/** A view with its mapping, and the records that were read from it. */
type View = {
  readonly name: 'list' | 'get';
  readonly map: FieldDrafts;
  readonly rows: readonly JsonObject[];
};

/** A text field of a view that is read from one path. */
type TextColumn = {
  readonly view: View['name'];
  readonly field: string;
  readonly as: readonly unknown[];
  readonly from: string;
  /** Whether a filter of the contract asks for the field. */
  readonly isAsked: boolean;
  /** How many records have an empty text there. */
  readonly empty: number;
};

/** The text fields of a view. */
function textColumns({ name: view, map, rows }: View, resource: Resource): readonly TextColumn[] {
  const fields = !resource.hasSingle ? resource.itemFields : resource.detailFields;
  return fields.flatMap(({ name: field, kind }): readonly TextColumn[] => {
    const draft = map[field] ?? null;
    const { from, as } = draft === null ? { from: [], as: [] } : pathsAndSteps(draft);
    if (kind !== 'text' || typeof from !== 'string') return [];
    const isEmpty = (value: unknown) =>
      typeof value === 'string' && (as.includes('trim') ? value.trim() : value) === '';
    const empty = rows.map(compilePath(from)).filter(isEmpty).length;
    return [{ view, field, as, from, empty, isAsked: resource.filters.some((one) => one.field === field) }];
  });
}

const EMPTY_ARE_NULL = likely('empty texts become null, as in all texts of these records');

/**
 * Decides for all text fields at once what an empty text means. If enough texts are empty, it means "no value". Else empty
 * texts stay, and the operator decides, as always in a field that the contract filters by.
 */
export function decideEmptyTexts(
  resource: Resource,
  views: readonly View[],
): { readonly maps: readonly FieldDrafts[]; readonly notes: readonly DraftNote[] } {
  const columns = views.flatMap((view) => textColumns(view, resource));
  const inList = new Set(columns.flatMap(({ view, field }) => (view === 'list' ? field : [])));
  // A record of both views shows the same text twice.
  const counted = columns.filter(
    ({ view, field, isAsked }) => !isAsked && (view === 'list' || !inList.has(field)),
  );
  const shown = counted.reduce((sum, { empty }) => sum + empty, 0);
  const isNull = ({ isAsked }: TextColumn) => shown >= SHOWN_MIN && !isAsked;
  const notes = columns.flatMap((column) => {
    const open = `${column.empty} texts are empty: if that means nothing, add { nullIf: [''] } to \`as\`, of all texts alike`;
    const remark = column.empty > 0 && (isNull(column) ? EMPTY_ARE_NULL : toEdit(open));
    return notesAt(['resources', resource.name, column.view, 'map', column.field], remark);
  });
  const maps = views.map(({ name, map }) => {
    const own = columns.filter((column) => column.view === name && isNull(column));
    const changed = own.map(({ field, from, as }) => [field, { from, as: withEmpty(as) }] as const);
    return { ...map, ...Object.fromEntries(changed) };
  });
  return { maps, notes };
}

/** The steps of a field, with the empty text added to those that mean "no value". */
function withEmpty(as: readonly unknown[]): readonly unknown[] {
  const last = as.at(-1);
  const isNullIf = typeof last === 'object' && last !== null && 'nullIf' in last;
  if (!isNullIf) return [...as, { nullIf: [''] }];
  return [...as.slice(0, -1), { nullIf: ['', ...(last.nullIf as readonly unknown[])] }];
}
