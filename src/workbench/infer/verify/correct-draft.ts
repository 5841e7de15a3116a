// Corrects a draft by the advice of doctor, as far as the operator need not decide.

import { mapLeaves } from '../../../kernel/json/json-tree.ts';
import { INTEGER_FORMS } from '../../../source/adapter/map/native-id.ts';
import type { Finding } from '../../../source/checks/evidence/finding.ts';
import { changeText } from '../../../source/checks/evidence/spec-change.ts';
import type { Draft } from '../write/write-draft.ts';
import { likely, sure } from '../notes/note.ts';
import { applyEdit, type DraftEdit, type DraftPlace, isSamePlace, valueAt } from './draft-edits.ts';

type Section = Readonly<Record<string, unknown>>;

/** The claims of a list that infer changes by itself, as doctor advises. The operator decides about all others. */
const CHANGEABLE = /^(?:filters\b|sort\b|total\b|order\b|window\.(?:pastEnd|shortPage|base|sizeMax|sizes)$)/;

function isChangeable(draft: Draft, { at, probe, changes = [] }: Finding): boolean {
  if (isSamePlace(at, ['auth', 'proof'])) return true;
  const place = at.slice(3).join('.');
  // Doctor tried how large whole numbers may be. Any other form would only fit the present ids.
  if (probe === 'malformed id' && valueAt(draft, [...at, 'kind']) === 'number')
    return changes.every(({ value }) => INTEGER_FORMS.has(String(value)));
  if (at[2] !== 'list' || !CHANGEABLE.test(place)) return false;
  // Other findings about the sizes are no reason to change them: the listed size may be the only one that works.
  if (place === 'window.sizes') return probe === 'size';
  const window = valueAt(draft, [...at.slice(0, 3), 'window']) as Section | undefined;
  // If the total is larger than the rows of the only call, the list is cut off; the total may be right.
  return at[3] !== 'total' || window?.['kind'] !== 'none';
}

const isWithin = (at: DraftPlace, place: DraftPlace) => isSamePlace(at.slice(0, place.length), place);

/**
 * The change of a draft that corrects a difference: what doctor advises for this very claim. `undefined` if the operator
 * must decide.
 */
export function correctDraft(draft: Draft, finding: Finding): DraftEdit | undefined {
  const { at, observed, changes: advised = [] } = finding;
  const changes = isChangeable(draft, finding) ? advised.filter((change) => isWithin(change.at, at)) : [];
  if (changes.length === 0) return undefined;
  const remark =
    at[3] === 'window' ? sure(observed) : likely(`${observed}; so ${changes.map(changeText).join(', ')}`);
  return { at, changes, remark };
}

/** Removes a `sort` section that has no columns any more. The request then asks for the order by id again. */
export function withoutEmptySort(draft: Draft): Draft {
  const [resource] = Object.keys(valueAt(draft, ['resources']) as Section);
  const list = ['resources', resource ?? '', 'list'];
  const at = [...list, 'sort'];
  const sort = valueAt(draft, at) as Section | undefined;
  if (sort === undefined || sort['columns'] !== undefined) return draft;
  const query = valueAt(draft, [...list, 'request', 'query']) ?? {};
  const value = mapLeaves(query, (text) => (text === '{sort}' ? sort['none'] : text));
  const remark = likely('no other sort of the service is that of the contract');
  const request = { at: [...list, 'request', 'query'], value };
  const changes = [{ at, value: undefined }, ...(sort['none'] === undefined ? [] : [request])];
  return applyEdit(draft, { at, changes, remark });
}
