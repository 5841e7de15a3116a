// Gives the fields of a single record the steps that were drafted for the list, which showed more values.

import { compilePath } from '../../../source/adapter/spec/path.ts';
import type { JsonObject } from '../../../kernel/json/json.ts';
import { isList, scalarText } from '../../../kernel/json/values.ts';
import type { DraftNote } from '../notes/note.ts';
import type { RecordContext } from './infer-context.ts';
import { fieldDraft, type MapDraft } from './map-fields.ts';
import { pathsAndSteps } from './map-list.ts';

/**
 * Uses the steps of the list, and the notes on them, for a field of the single view if both views have equal values, because
 * the list showed more rows.
 */
export function adoptListSteps(
  { list, rows, resource }: RecordContext,
  records: readonly JsonObject[],
  own: MapDraft,
): MapDraft {
  const valueAt = (path: string, row: JsonObject) => {
    const value = compilePath(path)(row);
    return isList(value) ? JSON.stringify(value) : scalarText(value);
  };
  const textAt = ({ from }: ReturnType<typeof pathsAndSteps>, row: JsonObject) =>
    [from]
      .flat()
      .map((path) => valueAt(path, row) ?? '')
      .join('\n');
  const idOf = ({ idPath }: MapDraft, row: JsonObject) => valueAt(idPath, row)?.replace(/^0+(?=\d)/, '');
  const byId = new Map(rows.map((row) => [idOf(list, row), row]));
  const alike = Object.entries(own.map).flatMap(([field, draft]) => {
    const other = list.map[field] ?? null;
    if (draft === null || other === null || field === 'id') return [];
    const [parts, inList] = [pathsAndSteps(draft), pathsAndSteps(other)];
    const isAlike = records.every((record) => {
      const row = byId.get(idOf(own, record));
      return row !== undefined && textAt(parts, record) === textAt(inList, row);
    });
    if (!isAlike) return [];
    const isEach = typeof other === 'object' && 'each' in other;
    return [[field, isEach ? { ...other, from: parts.from } : fieldDraft(parts.from, inList.as)] as const];
  });
  const fields = new Map(alike);
  const isOf = ({ at, isOfSteps }: DraftNote) =>
    (isOfSteps === true || at[5] === 'each') && fields.has(String(at[4]));
  const get = ['resources', resource.name, 'get', 'map'];
  const same = list.notes.filter(isOf).map((note) => ({ ...note, at: [...get, ...note.at.slice(4)] }));
  const notes = [...own.notes.filter((note) => !isOf(note)), ...same];
  return { ...own, map: { ...own.map, ...Object.fromEntries(alike) }, notes };
}
