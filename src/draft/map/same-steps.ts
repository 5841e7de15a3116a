import { compilePath } from '../../adapter/path.ts';
import type { Resource } from '../../contract/resources.ts';
import type { JsonObject } from '../../kernel/json/json.ts';
import { scalarText } from '../../kernel/json/values.ts';
import type { DraftNote } from '../note.ts';
import { type FieldDraft, fieldDraft, type MapDraft } from './map-fields.ts';

/**
 * Uses the list's steps, and what is said of them, for a field with equal values in both views, since the list showed more rows.
 */
export function sameSteps(
  {
    list,
    rows,
    resource,
  }: { readonly list: MapDraft; readonly rows: readonly JsonObject[]; readonly resource: Resource },
  records: readonly JsonObject[],
  own: MapDraft,
): MapDraft {
  const textAt = (draft: FieldDraft, row: JsonObject) => {
    if (draft === null) return undefined;
    const paths = typeof draft === 'string' ? [draft] : [draft.from].flat();
    return paths.map((path) => scalarText(compilePath(path)(row)) ?? '').join('\n');
  };
  const byId = new Map(
    rows.map((row) => [scalarText(compilePath(list.idPath)(row))?.replace(/^0+(?=\d)/, ''), row]),
  );
  const alike = Object.entries(own.map).flatMap(([field, draft]) => {
    const other = list.map[field] ?? null;
    if (draft === null || other === null || field === 'id') return [];
    const isAlike = records.every((record) => {
      const row = byId.get(scalarText(compilePath(own.idPath)(record))?.replace(/^0+(?=\d)/, ''));
      return row !== undefined && textAt(draft, record) === textAt(other, row);
    });
    const as = typeof other === 'string' ? [] : other.as;
    return isAlike ? [[field, fieldDraft(typeof draft === 'string' ? draft : draft.from, as)] as const] : [];
  });
  const fields = new Map(alike);
  const isOf = ({ at, isOfSteps }: DraftNote) => isOfSteps === true && fields.has(String(at[4]));
  const get = ['resources', resource.name, 'get', 'map'];
  const same = list.notes.filter(isOf).map((note) => ({ ...note, at: [...get, ...note.at.slice(4)] }));
  const notes = [...own.notes.filter((note) => !isOf(note)), ...same];
  return { ...own, map: { ...own.map, ...Object.fromEntries(alike) }, notes };
}
