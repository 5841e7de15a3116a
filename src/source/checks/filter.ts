// Checks that a source filters as the contract does: no wrong rows, no missing rows, and before it pages. The gateway checks
// the rows of each reply (`brokenFilter`); `doctor` and `infer` try values (`tryFilters`).

import type { Capability } from '../adapter/spec/capability.ts';
import type { FilterSpec } from '../../config/schema/source.ts';
import { matches } from '../../contract/order.ts';
import type { Filter, PushableOp } from '../../contract/query.ts';
import { plural } from '../../kernel/plural.ts';
import {
  type Evidence,
  type EvidenceRow,
  isAlreadyReported,
  type WindowEvidence,
  windowIds,
} from './claim.ts';
import {
  type Ask,
  describeExchange,
  endsEmpty,
  type Exchange,
  hidesRows,
  isNumbered,
  type OpenList,
} from './evidence/ask.ts';
import type { FilteredField, FilterProbe } from './evidence/filter-values.ts';
import { type RowWalk, walkAgain, walkRows } from './evidence/walk.ts';
import { shortWindows } from './window-size.ts';

/** The detail of the violation if a filter brings a wrong row. */
export const ROW_EXCLUDED = 'a row came that does not match';

/** Whether a row satisfies every filter. */
function fitsFilters(row: EvidenceRow, filters: readonly Filter[]): boolean {
  return filters.every((filter) => matches(row[filter.field] ?? null, filter));
}

/** The claim of the first filter that the rows contradict; `undefined` if they contradict none. */
export function brokenFilter(
  rows: readonly EvidenceRow[],
  filters: readonly Filter[],
): Capability | undefined {
  const broken = filters.find((filter) => !rows.every((row) => matches(row[filter.field] ?? null, filter)));
  return broken === undefined ? undefined : `filter.${broken.field}.${broken.op}`;
}

/** The result of trying one filter value. */
export type FilterResult = Pick<FilterProbe, 'kind'> & {
  readonly filters: readonly Filter[];
  readonly shown: Exchange<unknown> | undefined;
  readonly found: RowWalk;
  /** Rows that came but do not match. */
  readonly extra: readonly EvidenceRow[];
  /** How many matching rows of the sample did not come; `undefined` if the walk was not complete. */
  readonly missing: number | undefined;
  /** Whether only the first or last of the matching rows did not come, so that the window loses them and not the filter. */
  readonly isCutOff: boolean;
  /** How many rows came that the whole list does not have. */
  readonly unlisted: number;
  /** Whether the same rows came as without a filter. */
  readonly ignored: boolean;
  /** How the windows of the walk do not fit together; `undefined` if they fit. */
  readonly torn: string | undefined;
};

/** A filter that a source file declares. */
export type DeclaredFilter = FilteredField & { readonly op: PushableOp; readonly spec: FilterSpec };

/** Whether the source seems to ignore a filter: as many rows come as without it, and the first ones are the same. */
function isIgnored(found: RowWalk, sample: RowWalk): boolean {
  const [first, whole] = [found.steps[0]?.rows, sample.steps[0]?.rows];
  return (
    first !== undefined &&
    first.records.length > 0 &&
    first.total === whole?.total &&
    first.records.every(({ id }, index) => whole?.records[index]?.id === id) &&
    (!found.complete || found.records.length >= sample.records.length)
  );
}

/**
 * How the windows of a filtered walk do not fit together, because the source filters after it has paged; `undefined` if they fit.
 */
function tornWalk(evidence: Evidence, found: RowWalk): string | undefined {
  const { list } = evidence.ask;
  const { window } = list;
  if (!isNumbered(window)) return undefined;
  // Rows that move, or come again behind the end, are reported elsewhere.
  if (isAlreadyReported(evidence, 'past end')) return undefined;
  if (found.repeated > 0 || (found.end === 'repeats' && endsEmpty(list))) return 'rows came twice';
  const { before, short } = shortWindows(found);
  if (hidesRows(list) || short.length === 0) return undefined;
  return `${short.length} of ${plural(before.length, 'window')} before the last are short`;
}

/** How many rows of a selection the whole list does not have. It is read again first, because rows may have been added. */
export async function countUnlisted(evidence: Evidence, found: RowWalk): Promise<number> {
  const { ask, sample } = evidence;
  // If rows move, the walk may have missed some; that is reported elsewhere.
  if (!sample.complete || sample.repeated > 0 || hidesRows(ask.list) || isAlreadyReported(evidence)) return 0;
  const unlistedBy = ({ records }: RowWalk) => {
    const listed = new Set(records.map(({ id }) => id));
    return found.records.filter(({ id }) => !listed.has(id)).length;
  };
  const again = unlistedBy(sample) === 0 ? undefined : await walkAgain(ask, sample);
  return again?.complete === true ? unlistedBy(again) : 0;
}

/** So many rows in the right order are no coincidence. */
const RUN_MIN = 3;

/** Whether the rows that came are all that was wanted, except some at the start or the end. */
function isRunOf(found: RowWalk, wanted: readonly EvidenceRow[]): boolean {
  const [first] = found.records;
  const start = wanted.findIndex(({ id }) => id === first?.id);
  const isRun = found.records.every(({ id }, index) => wanted[start + index]?.id === id);
  return start >= 0 && isRun && found.records.length >= RUN_MIN && found.records.length < wanted.length;
}

/** Whether replies state the number of matching rows, so that one reply can show that all rows came. */
export const isCounted = ({ list }: Ask): boolean => list.total?.counts === 'filtered' && !hidesRows(list);

/** Tries filters: reads all rows that match, as the gateway does without a total, and compares them with the sample. */
export async function tryFilters(
  evidence: Evidence,
  reader: OpenList,
  { filters, kind, callsMax }: { filters: readonly Filter[]; kind: string; callsMax: number },
): Promise<FilterResult> {
  const { ask, sample } = evidence;
  const found = await walkRows(ask, reader, { callsMax, goesOn: true });
  const ids = new Set(found.records.map(({ id }) => id));
  const wanted = sample.records.filter((record) => fitsFilters(record, filters));
  const typesOf = ({ id }: EvidenceRow) => filters.map(({ field }) => ask.types.get(field)?.get(id)).join();
  const types = new Set(found.records.map(typesOf));
  const lost = wanted.filter((row) => !ids.has(row.id));
  // Rows of other JSON types are left out by the filter itself.
  const isOfTypes = lost.some((row) => types.has(typesOf(row)));
  const values = filters.map(({ value }) => JSON.stringify(value)).join(', ');
  const isWhole = found.complete || (isCounted(ask) && found.steps[0]?.rows.total === found.received);
  return {
    filters,
    kind: ask.showValues ? `${kind}: ${values}` : kind,
    shown: found.steps[0]?.exchange ?? found.refusal,
    found,
    extra: found.records.filter((record) => !fitsFilters(record, filters)),
    missing: isWhole && sample.repeated === 0 ? lost.length : undefined,
    isCutOff: isOfTypes && isRunOf(found, wanted),
    unlisted: await countUnlisted(evidence, found),
    ignored: isIgnored(found, sample),
    torn: tornWalk(evidence, found),
  };
}

/** Why a filter value contradicts the claim (`what`), and what its author should look at (`look`). */
type Objection = {
  readonly what: string;
  readonly look: string;
  /** `extra rows`: only too many rows come, which the gateway can leave out. `list`: the list is wrong. Absent: the filter is. */
  readonly of?: 'extra rows' | 'list';
};

/** Why a filter value contradicts the claim; `undefined` if it does not. */
export function objection(
  { found, extra, missing = 0, isCutOff, unlisted, ignored, torn, kind }: FilterResult,
  isExact: boolean,
): Objection | undefined {
  const extras = isExact ? extra.length : 0;
  if (found.steps.length === 0 && found.refusal !== undefined)
    return { what: describeExchange(found.refusal), look: 'how the value is sent' };
  if (ignored && extras > 0)
    return { what: 'the filter is ignored: the same rows as without it', look: 'the name of the parameter' };
  if (torn !== undefined)
    return {
      what: `${torn}: the source filters after it has paged`,
      look: 'a parameter that filters before',
    };
  if (missing > 0 && isCutOff)
    return {
      what: `of the matching rows, ${missing} at the start or the end did not come: windows lose rows`,
      look: 'window: where the first one begins, and whether the last one is whole',
      of: 'list',
    };
  if (missing > 0)
    return {
      what: `${plural(missing, 'matching row')} did not come`,
      look: 'how the value is sent (its escape, its codes)',
    };
  if (unlisted > 0 && extras < unlisted)
    return {
      what: `${plural(unlisted, 'row')} came that the list without a filter does not have`,
      look: 'a constant parameter, or another window, with which the list has all rows; dropWhen, if some are no records',
      of: 'list',
    };
  if (extras > 0)
    return {
      what: `${extras} of ${plural(found.records.length, 'row')} do not match`,
      look: kind.startsWith('in other case')
        ? 'the source does not mind the case'
        : 'what the parameter means',
      of: 'extra rows',
    };
  return undefined;
}

/**
 * Whether rows show that a filter runs before paging, because a row of the filtered window is not in the same window of the whole
 * list. A source that filters after paging can only leave rows out.
 */
export function isFilteredBeforePaging(filtered: WindowEvidence, whole: WindowEvidence): boolean {
  const ids = new Set(windowIds(whole));
  return windowIds(filtered).some((id) => !ids.has(id));
}
