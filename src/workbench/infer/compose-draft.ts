// Puts together what `portico infer` found out of a service to one source file, the draft.

import type { ItemsSpec } from '../../config/schema/source.ts';
import type { ResourceName } from '../../contract/resource.ts';
import { plural } from '../../kernel/plural.ts';
import type { FirstResponse } from './detect/first-response.ts';
import type { Dialect } from './dialects/dialect.ts';
import { type DraftNote, likely, notesAt, type Remark, toEdit } from './notes/note.ts';
import { withBet } from './query/infer-order.ts';
import { requestSection } from './requests/request-parameters.ts';
import { variableName } from './requests/secrets.ts';
import type { OutcomesDraft } from './infer-outcomes.ts';
import type { RecordDraft } from './map/infer-record.ts';
import type { ListDraft } from './infer-list.ts';
import type { InferTarget } from './requests/read-target.ts';
import type { Draft } from './write/write-draft.ts';

/** The parts that a draft is composed of. */
export type DraftParts = {
  readonly target: InferTarget;
  readonly resource: ResourceName;
  readonly response: FirstResponse;
  readonly list: ListDraft;
  readonly record: RecordDraft | undefined;
  readonly outcomes: OutcomesDraft;
  /** The number of calls made, and the mean duration of one call in milliseconds. */
  readonly usage: { readonly calls: number; readonly msEach: number };
  readonly notes: readonly DraftNote[];
};

type Section = Readonly<Record<string, unknown>>;

function windowRows({ window }: ListDraft): number {
  const { sizeMax, sizes } = window.window as {
    sizeMax?: number;
    sizes?: readonly number[] | { upTo: number };
  };
  if (sizeMax !== undefined) return sizeMax;
  if (sizes === undefined) return Infinity;
  return 'upTo' in sizes ? sizes.upTo : Math.max(...sizes);
}

/** The time that a draft allows for a scan. */
const BUDGET_MS = 8_000;
/** How much a list may grow before its budget is too small. */
const GROWTH = 1.5;

function costRemark(
  rows: number | undefined,
  windowSize: number,
  { msEach, atOnce }: { readonly msEach: number; readonly atOnce: number },
): Remark {
  if (rows === undefined || !Number.isFinite(windowSize))
    return likely('the cost of a scan is not known, because the number of rows is not known');
  const calls = Math.max(1, Math.ceil(rows / windowSize));
  const seconds = (calls * msEach) / atOnce / 1_000;
  const time = seconds < 1 ? 'a second or less' : `${Math.ceil(seconds)} s`;
  const cost = `a scan of ${rows} rows takes ${plural(calls, 'call')}, about ${time}`;
  // The list may grow by half (`GROWTH`), and a scan must still end in time.
  if (seconds * 1_000 * GROWTH < BUDGET_MS) return likely(cost);
  return toEdit(
    `${cost}: more than time; raise it, and the deadline of the resource in the gateway file above it`,
  );
}

/** A budget that is enough for a scan of the whole list, with its cost. */
function budgetSection(list: ListDraft, msEach: number): { section: Section; note: DraftNote } {
  const known = list.total.rows;
  const wanted = Math.ceil(((known ?? 0) * GROWTH) / 1_000) * 1_000;
  const rows = Math.min(10_000_000, Math.max(20_000, wanted));
  const came = list.base.rows.length;
  // If a list lacks rows that it states, its paging is not known, and windows may be no larger than this one.
  const each = windowRows(list) === Infinity && (known ?? 0) > came ? came : windowRows(list);
  const calls = Math.min(1_000_000, Math.max(50, Math.ceil((rows / each) * 1.1)));
  // Windows requested by number are read three at a time; of the others, each names the next one.
  const atOnce = ['offset', 'page'].includes(String(list.window.window['kind'])) ? 3 : 1;
  const section = { rows, calls, time: `${BUDGET_MS / 1_000}s`, snapshot: '60s' };
  return { section, note: { at: ['budget'], ...costRemark(known, each, { msEach, atOnce }) } };
}

/** The `items` section, without defaults. */
function itemsSection(items: ItemsSpec): unknown {
  if (typeof items === 'string') return items;
  const { at, form, columns, columnName } = items;
  return { at, form, ...(columns !== undefined && { columns, ...(columnName !== '' && { columnName }) }) };
}

function listSection(list: ListDraft, dialect: Dialect | undefined, isXml: boolean): Section {
  const { window, total, order, filters, mapping, reader } = list;
  const absent = isXml || dialect?.itemsAbsent === 'empty';
  return {
    request: requestSection(filters.extend(order.extend(window.request))),
    window: window.window,
    ...(total.total !== undefined && { total: total.total }),
    items: itemsSection(reader.layout.items),
    ...(absent && { itemsAbsent: 'empty' }),
    ...(dialect?.dropWhen !== undefined && { dropWhen: dialect.dropWhen }),
    ...(order.order !== undefined && { order: order.order }),
    ...(order.orderIs !== undefined && { orderIs: order.orderIs }),
    ...(order.sort !== undefined && { sort: order.sort }),
    ...(filters.join !== undefined && { filterJoin: filters.join }),
    ...(Object.keys(filters.filters).length > 0 && { filters: filters.filters }),
    map: mapping.map,
  };
}

function netSection({ target, usage }: DraftParts): Section {
  // If one call could take as long as a whole scan, `portico check` would call the budget of the draft too small.
  const slow = (usage.msEach > 800 ? BUDGET_MS * 0.75 : BUDGET_MS * 0.5) / 1_000;
  return {
    baseUrl: `\${${variableName(target.name)}_URL:-${target.baseUrl}}`,
    timeout: `${slow}s`,
    ...(Object.keys(target.headers).length > 0 && { headers: target.headers }),
  };
}

/** The comment at the top of the file: its origin, what to edit, and what no reply can show. */
function headOf({ target, response, usage, resource }: DraftParts, edits: readonly DraftNote[]) {
  const { dialect } = response;
  const variables = Object.keys(target.secrets.variables);
  const offline = usage.calls === 0;
  const from = offline ? 'saved replies; no request was sent' : `${usage.calls} calls, and checked with more`;
  const place = ({ at }: DraftNote) => at.slice(at[0] === 'resources' ? 1 : 0).join('.');
  return [
    `${dialect?.title ?? 'A service without a known dialect'}: a draft of the source for its ${resource}, inferred from ${from}.`,
    'Each guess says how sure it is: sure (seen), likely, or EDIT (you must decide).',
    '',
    edits.length === 0 ? 'To edit: nothing was found.' : `To edit (${edits.length}):`,
    ...edits.map((note) => `- ${place(note)}`),
    ...(variables.length === 0
      ? []
      : ['', `The credential is not in this file: set ${variables.join(', ')}.`]),
    ...(dialect === undefined || dialect.pitfalls.length === 0 ? [] : ['', 'Traps of the dialect']),
    ...(dialect?.pitfalls ?? []).map((pitfall) => `- ${pitfall}`),
  ];
}

/** Composes the source file from its parts. */
export function composeDraft(parts: DraftParts): Draft {
  const { target, resource, response, record, outcomes, usage } = parts;
  const { dialect } = response;
  const { decode } = response.format;
  const budget = budgetSection(parts.list, usage.msEach);
  // Without a total, or with rows to drop, lists are scanned in any case, so a bet on the order gains nothing.
  const isPaged = parts.list.total.total !== undefined && dialect?.dropWhen === undefined;
  const isAffordable = budget.note.level !== 'edit';
  const list = isPaged ? { ...parts.list, order: withBet(parts.list.order, isAffordable) } : parts.list;
  const { order } = list;
  const isXml = decode.format === 'xml';
  const get = record && {
    request: requestSection(record.request),
    item: itemsSection(record.get.item),
    map: record.get.map,
  };
  const place = ['resources', resource, 'list'];
  const form = dialect?.idForm(list.mapping.id.kind === 'number');
  const content = {
    source: 1,
    name: target.name,
    net: netSection(parts),
    ...(target.auth !== undefined && { auth: target.auth }),
    ...(Object.keys(decode).length > 0 && { decode }),
    budget: budget.section,
    outcomes: outcomes.outcomes,
    resources: {
      [resource]: {
        id: { ...list.mapping.id, ...(form !== undefined && { form }) },
        list: listSection(list, dialect, isXml),
        ...(get !== undefined && { get }),
      },
    },
  };
  const listNotes = [
    ...list.notes,
    ...notesAt([...place, 'items'], order.sortRemark),
    ...notesAt([...place, 'order'], order.remark),
  ];
  const notes = [...parts.notes, budget.note, ...outcomes.notes, ...listNotes, ...(record?.notes ?? [])];
  return { content, notes, head: (edits) => headOf(parts, edits) };
}
