// Changes a draft of `infer` at the places that doctor has found wrong, and replaces the notes there.

import type { SpecChange } from '../../../source/checks/evidence/spec-change.ts';
import type { Draft } from '../write/write-draft.ts';
import { type DraftNote, notesAt, type Remark } from '../notes/note.ts';

/** A place in a draft: the keys from the top of the file. */
export type DraftPlace = readonly PropertyKey[];

/** Changes of a draft, with the place of the claim that they correct, and the remark there that says why. */
export type DraftEdit = {
  readonly at: DraftPlace;
  readonly changes: readonly SpecChange[];
  readonly remark: Remark;
};

type Tree = Readonly<Record<PropertyKey, unknown>>;

const isTree = (value: unknown): value is Tree => typeof value === 'object' && value !== null;

/** Whether two places are the same. */
export function isSamePlace(a: DraftPlace, b: DraftPlace): boolean {
  return a.length === b.length && a.every((key, index) => key === b[index]);
}

/** The value at a place of a draft. */
export function valueAt({ content }: Pick<Draft, 'content'>, at: DraftPlace): unknown {
  return at.reduce<unknown>((here, key) => (isTree(here) ? here[key] : undefined), content);
}

/** Sets the value at a place. `undefined` removes it, and every section around it that becomes empty. */
function withValueAt(tree: unknown, [key, ...rest]: DraftPlace, value: unknown): unknown {
  if (key === undefined) return value;
  const own = isTree(tree) ? tree : {};
  const { [key]: before, ...others } = own;
  const inner = withValueAt(before, rest, value);
  // A key that is there already keeps its place.
  if (inner !== undefined) return { ...own, [key]: inner };
  return Object.keys(others).length === 0 ? undefined : others;
}

/** Changes a draft, and replaces its notes on the place of the claim. */
export function applyEdit(draft: Draft, { at, changes, remark }: DraftEdit): Draft {
  const content = changes.reduce<unknown>(
    (tree, change) => withValueAt(tree, change.at, change.value),
    draft.content,
  ) as Draft['content'];
  return withNotes({ ...draft, content }, notesAt(at, remark));
}

/** Adds notes to a draft. They replace its notes on the same places. */
export function withNotes(draft: Draft, notes: readonly DraftNote[]): Draft {
  const kept = draft.notes.filter((note) => !notes.some(({ at }) => isSamePlace(at, note.at)));
  return { ...draft, notes: [...kept, ...notes] };
}

/**
 * Tells several notes as one, first: as long as the paging is not known, rows are missing, and a wrong total and requests
 * that are not answered are only its effects.
 */
export function withPagingFirst(draft: Draft): Draft {
  const edits = draft.notes.filter(({ level }) => level === 'edit');
  const paging = edits.find(({ at }) => at[2] === 'list' && at[3] === 'window' && at.length === 4);
  if (paging === undefined || valueAt(draft, [...paging.at, 'kind']) !== 'none') return draft;
  const effects = edits.filter(({ at }) => at[2] === 'list' && (at.length === 3 || at[3] === 'total'));
  if (effects.length === 0) return draft;
  const text = `the paging is not known: settle this first; ${paging.text}`;
  const others = draft.notes.filter((note) => note !== paging && !effects.includes(note));
  return { ...draft, notes: [{ ...paging, text }, ...others] };
}
