import type { Finding } from '../../claims/evidence/finding.ts';
import type { Draft } from '../write/write-draft.ts';
import { likely, type Remark, sure } from '../note.ts';
import { applyEdit, type DraftEdit, type DraftPlace, isSamePlace, valueAt } from './draft-edits.ts';

/** The value that doctor would write at a place. */
const adviceAt = ({ changes = [] }: Finding, at: DraftPlace): unknown =>
  changes.find((change) => isSamePlace(change.at, at))?.value;

/** What doctor saw, as the reason of a change. */
const seen = ({ observed }: Finding, change: string): Remark => likely(`${observed}; so ${change}`);

type Section = Readonly<Record<string, unknown>>;

/** A filter that gives other rows than it should is looked at again here, or is not used. */
function filterEdit(draft: Draft, finding: Finding): DraftEdit {
  const { at, observed } = finding;
  const filter = (valueAt(draft, at) ?? {}) as Section;
  // Rows that do not match can be left out here; rows that did not come cannot be had back.
  const isWide = filter['exactness'] === 'exact' && /do not match/.test(observed);
  if (isWide)
    return {
      at,
      value: { ...filter, exactness: 'superset' },
      remark: seen(finding, 'rows are filtered again here'),
    };
  const value = filter['query'] === undefined ? { ...filter, exactness: 'none' } : undefined;
  return { at, value, remark: seen(finding, 'this filter is not used') };
}

/** Filters that do not narrow together: the one that leaves the fewest values stays. */
function filtersEdit(draft: Draft, finding: Finding): DraftEdit {
  const { at } = finding;
  const [first] = Object.entries((valueAt(draft, at) ?? {}) as Section);
  const value = first === undefined ? undefined : Object.fromEntries([first]);
  return { at, value, remark: seen(finding, 'one of them is sent, and the others are done here') };
}

/** A sort that is not the contract's in one direction may still be in the other. */
function sortEdit(draft: Draft, finding: Finding): DraftEdit | undefined {
  const { at, probe } = finding;
  const column = valueAt(draft, at) as { readonly directions?: readonly string[] } | undefined;
  if (column?.directions === undefined) return undefined;
  const wrong = probe.includes('descending') ? 'descending' : 'ascending';
  const directions = column.directions.filter((direction) => direction !== wrong);
  const value = directions.length === 0 ? undefined : { ...column, directions };
  return { at, value, remark: seen(finding, `it is not asked for ${wrong}`) };
}

/** The draft without a `sort` section whose columns were all taken back: its parameter asks for the ids again. */
export function withoutEmptySort(draft: Draft): Draft {
  const [resource] = Object.keys(valueAt(draft, ['resources']) as Section);
  const list = ['resources', resource ?? '', 'list'];
  const sort = valueAt(draft, [...list, 'sort']) as Section | undefined;
  if (sort === undefined || sort['columns'] !== undefined) return draft;
  const query = (valueAt(draft, [...list, 'request', 'query']) ?? {}) as Readonly<Record<string, string>>;
  const fixed = Object.entries(query).map(([name, text]) => [name, text === '{sort}' ? sort['none'] : text]);
  const remark = likely('no other sort of the service is that of the contract');
  const request = { at: [...list, 'request', 'query'], value: Object.fromEntries(fixed) as unknown, remark };
  const without = applyEdit(draft, { at: [...list, 'sort'], value: undefined, remark });
  return sort['none'] === undefined ? without : applyEdit(without, request);
}

function totalEdit(draft: Draft, finding: Finding): DraftEdit | undefined {
  const { at } = finding;
  const window = valueAt(draft, [...at.slice(0, 3), 'window']) as Section | undefined;
  // More rows than one call brings say that the list is cut off, not that the number is wrong.
  if (window?.['kind'] === 'none') return undefined;
  const counts = adviceAt(finding, [...at, 'counts']);
  const total = valueAt(draft, at) as Section | undefined;
  if (counts !== undefined && total !== undefined)
    return { at, value: { ...total, counts }, remark: sure(finding.observed) };
  return { at, value: undefined, remark: seen(finding, 'lists are counted by a scan') };
}

/** A key of the window that takes the value that doctor names. */
function windowEdit(finding: Finding, otherwise?: unknown): DraftEdit | undefined {
  const { at } = finding;
  const value = adviceAt(finding, at) ?? otherwise;
  return value === undefined ? undefined : { at, value, remark: sure(finding.observed) };
}

/** The change that a place within a list needs; `undefined` if only the operator can tell. */
function listEdit(draft: Draft, finding: Finding, [section, key]: DraftPlace): DraftEdit | undefined {
  const depth = finding.at.length;
  switch (section) {
    case 'filters':
      return depth === 6 ? filterEdit(draft, finding) : filtersEdit(draft, finding);
    case 'sort':
      return sortEdit(draft, finding);
    case 'total':
      return totalEdit(draft, finding);
    case 'order': {
      if (valueAt(draft, finding.at) === undefined) return undefined;
      return { at: finding.at, value: undefined, remark: seen(finding, 'until then lists are scanned') };
    }
    case 'window':
      switch (key) {
        case 'pastEnd':
          return windowEdit(finding, 'other');
        case 'shortPage':
          return windowEdit(finding, 'anywhere');
        case 'sizes':
          // A single size that cannot be asked for is for the operator to judge.
          return finding.probe === 'size' ? windowEdit(finding) : undefined;
        case 'base':
        case 'sizeMax':
          return windowEdit(finding);
        default:
          return undefined;
      }
    default:
      return undefined;
  }
}

/**
 * The change of a draft that a difference asks for: the next best value for the place, or the claim taken back.
 * `undefined` if only the operator can tell. `tried` says how many other values of a place were tried.
 */
export function correctDraft(
  draft: Draft,
  finding: Finding,
  tried: (at: DraftPlace) => number,
): DraftEdit | undefined {
  const { at } = finding;
  const own = listEdit(draft, finding, at[2] === 'list' ? at.slice(3) : []);
  // What only changes a detail of a value is better than another value.
  if (own?.value !== undefined) return own;
  const other = draft.alternatives.find((one) => isSamePlace(one.at, at))?.values[tried(at)];
  if (other === undefined) return own;
  return { at, value: other, remark: likely(`another was tried before: ${finding.observed}`) };
}
