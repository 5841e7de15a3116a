// Writes the `window` section of a draft from what `infer` has found.

import type { RequestSpec } from '../../../config/schema/source.ts';
import { echoedSize, type FoundWindow, type KnownList, type NumberedWindows } from './find-window.ts';
import type { ListReply } from '../requests/list-reader.ts';
import { statedNumbers } from '../../../source/checks/evidence/stated-numbers.ts';
import { likely, type Remark, sure, toEdit } from '../notes/note.ts';
import { continuationsIn, type NextForm } from './find-next-window.ts';
import type { LargestWindow } from './find-size-parameter.ts';
import { type Parameter, parameterName, withValue } from '../requests/request-parameters.ts';
import type { PastEnd } from './read-whole-list.ts';
import { candidatesFor } from './parameter-names.ts';

/** The `window` section of a draft. */
export type WindowDraft = {
  readonly window: Readonly<Record<string, unknown>>;
  /** The list's request with variables such as `{limit}`. */
  readonly request: RequestSpec;
  readonly remarks: readonly Remark[];
};

/** What the `window` section is drafted from. */
type WindowContext = KnownList & {
  /** What comes behind the end of the list, and the number of rows, as far as they are known. */
  readonly end: { readonly pastEnd: PastEnd | undefined; readonly rows: number | undefined };
  /** The windows that were read, in order. */
  readonly windows: readonly ListReply[];
};

/** The rows of a window that nearly every service allows. */
const USUAL_MAX = 100;
const PAGE_SIZE_MAX = 1000;

/** The largest number of rows in one call. */
function largestSize(
  { size, listing }: LargestWindow,
  { end: { rows }, dialect }: WindowContext,
  follows: boolean,
): { readonly size: number; readonly remark: Remark } {
  const came = listing.rows.length;
  if (came === size) return { size, remark: sure(`${size} rows came at once`) };
  if (rows !== undefined && rows > came)
    return { size: came, remark: sure(`at most ${came} rows come at once, for any requested size`) };
  const known = dialect?.paging?.sizeMax ?? USUAL_MAX;
  return {
    // If windows are requested by number, rows would be lost when the service silently returns fewer than requested.
    size: Math.min(known, follows ? Infinity : USUAL_MAX, size),
    remark: likely(`the list has only ${came} rows, so a larger window was not seen`),
  };
}

const variable = (request: RequestSpec, place: Parameter | undefined, name: string) =>
  place === undefined ? request : withValue(request, place, name);

function startRemark({ start, size }: NumberedWindows): Remark {
  const name = parameterName(start.place);
  const counts = `${name} counts ${start.kind === 'offset' ? 'rows' : 'pages'} from ${start.base}`;
  if (start.isByName)
    return toEdit(`${counts}, it seems; two rows could not show whether it counts rows or pages`);
  const what = size?.place.in === 'range' ? 'where they end' : 'how many come';
  return sure(size === undefined ? counts : `${counts}, ${parameterName(size.place)} is ${what}`);
}

function numberedDraft(found: NumberedWindows, context: WindowContext): WindowDraft {
  const { request, size, start, rows } = found;
  const { end, dialect } = context;
  const depthMax = dialect?.paging?.depthMax;
  const rest = {
    ...(end.pastEnd?.kind === 'other' && { pastEnd: 'other' }),
    ...(depthMax !== undefined && { depthMax }),
  };
  const { base, kind } = start;
  const sized = variable(request, size?.place, '{limit}');
  const draft = (sizes: object, sizeRemark: Remark): WindowDraft => ({
    window: { kind, base, ...sizes, ...rest },
    request: variable(sized, start.place, `{${kind}}`),
    remarks: [startRemark(found), sizeRemark],
  });
  if (size === undefined)
    return draft({ sizes: [rows] }, sure(`no parameter changes the number of rows in a page (${rows})`));
  const { allowed, largest } = size;
  const { size: sizeMax, remark } = largestSize(largest, context, false);
  if (kind === 'offset') return draft({ sizeMax }, remark);
  if (allowed !== undefined)
    return draft({ sizes: allowed }, sure(`other sizes than ${allowed.join(', ')} were refused`));
  return draft({ sizes: { upTo: Math.min(PAGE_SIZE_MAX, sizeMax) } }, remark);
}

/** The remark on a cursor beside other values that may belong to it. */
function unreadParts(form: NextForm, base: ListReply): Remark | undefined {
  if (form.kind !== 'cursor') return undefined;
  const parent = form.next.slice(0, Math.max(0, form.next.lastIndexOf('.')));
  const others = continuationsIn(base).filter(
    (path) => path !== form.next && path !== form.more && parent !== '' && path.startsWith(`${parent}.`),
  );
  if (others.length === 0) return undefined;
  return toEdit(
    `${form.next} is sent back, but ${others.join(', ')} may have to be, too: the list may end early`,
  );
}

/** The size of windows that no parameter changes; `undefined` if it differs, because the gateway refuses a window above `sizeMax`. */
function steadySize(windows: readonly ListReply[]): number | undefined {
  const sizes = windows.map(({ rows }) => rows.length);
  const [size = 0] = sizes;
  const isSteady = sizes.slice(0, -1).every((one) => one === size) && (sizes.at(-1) ?? 0) <= size;
  return sizes.length > 1 && isSteady ? size : undefined;
}

function nextDraft(
  { form, size, request }: FoundWindow & { kind: 'next' },
  context: WindowContext,
): WindowDraft {
  const { base, dialect, windows } = context;
  const steady = size === undefined ? steadySize(windows) : undefined;
  const found =
    steady === undefined
      ? size && largestSize(size.largest, context, true)
      : { size: steady, remark: sure(`no parameter changes the number of rows in a window (${steady})`) };
  const sizeMax = found?.size ?? dialect?.paging?.sizeMax ?? 1000;
  const sized = variable(request, size?.place, '{limit}');
  const unread = unreadParts(form, base);
  const draft = (rest: object | undefined, followed: string, next: RequestSpec): WindowDraft => ({
    window: { kind: form.kind, sizeMax, next: form.next, ...rest },
    request: next,
    remarks: [unread ?? sure(`${followed}; it was followed`), ...(found === undefined ? [] : [found.remark])],
  });
  if (form.kind === 'link') {
    const from = 'header' in form.next ? `the ${form.next.header} header` : form.next.at;
    const remark = `${from} names the next window${form.origin === undefined ? '' : ' at another origin'}`;
    return draft(form.origin && { origin: form.origin }, remark, sized);
  }
  if (form.kind === 'continue')
    return draft({}, `${form.next} holds the parameters of the next window`, sized);
  return draft(
    form.more === undefined ? {} : { more: form.more },
    `${parameterName(form.place)} takes the value of ${form.next}`,
    variable(sized, form.place, '{cursor}'),
  );
}

/** The parameter that a dialect names, in a request. */
function documentedPlace(
  request: RequestSpec,
  what: 'size' | 'start' | 'cursor',
  known: string | undefined,
): Parameter | undefined {
  if (known === undefined) return undefined;
  const candidates = candidatesFor(what, request, known);
  return candidates.find(({ name }) => name === known || name.endsWith(`.${known}`))?.place;
}

/** The window that a dialect documents, if the service could not be called to try it. */
function documentedDraft({ request, base, dialect }: WindowContext): WindowDraft | undefined {
  if (dialect?.paging === undefined) return undefined;
  const known = dialect.paging;
  const remarks = [likely(`this is documented by ${dialect.title}; it could not be tried here`)];
  const { kind, next, depthMax } = known;
  const sized = variable(request, documentedPlace(request, 'size', known.size), '{limit}');
  const sizeMax = known.sizeMax ?? USUAL_MAX;
  if (kind === 'link') return { window: { kind, sizeMax, next }, request: sized, remarks };
  if (kind === 'cursor') {
    const place = documentedPlace(request, 'cursor', known.cursor);
    if (place === undefined || next === undefined) return undefined;
    return { window: { kind, sizeMax, next }, request: variable(sized, place, '{cursor}'), remarks };
  }
  const start = documentedPlace(request, 'start', known.start);
  if (start === undefined) return undefined;
  const isPage = kind === 'page';
  const echoed = isPage && known.sizeMax === undefined ? echoedSize(base) : undefined;
  const upTo = Math.min(PAGE_SIZE_MAX, sizeMax);
  const sizes = isPage ? { sizes: echoed === undefined ? { upTo } : [echoed] } : { sizeMax };
  const depth = depthMax === undefined ? {} : { depthMax };
  return {
    window: { kind, base: known.base ?? (isPage ? 1 : 0), ...sizes, ...depth },
    request: variable(echoed === undefined ? sized : request, start, `{${kind}}`),
    remarks,
  };
}

/** Whether services are likely to cut a list off at this number of rows: 10, 15, 20, 25, 30, 50, 100, 128, 250, … */
function isRound(count: number): boolean {
  const isPower = Number.isInteger(Math.log2(count));
  return count >= 10 && (count % 10 === 0 || count % 25 === 0 || isPower || count === 12 || count === 15);
}

const HOW =
  'draft again with the parameters of its pages in the address, such as ?page=1&size=20, or ?token= for one that takes a token';

/** The remark on a list that is taken to be complete in one reply. */
function wholeRemark(
  kind: 'none' | 'unseen',
  { request: { path }, base, end: { rows } }: WindowContext,
): Remark {
  const count = base.rows.length;
  const [key] = continuationsIn(base);
  if (key !== undefined)
    return toEdit(`the reply has ${key}, which may name more rows, and nothing here reads it`);
  if (rows !== undefined && rows > count) return toEdit(`${rows} rows are stated, and ${count} came: ${HOW}`);
  const more = statedNumbers(base.reply, base.document).find((stated) => stated.count > count);
  if (rows === undefined && more !== undefined)
    return toEdit(
      `${count} rows came, and the reply has ${more.count} at ${more.place.at ?? more.place.header}: if that is the number of all rows, ${HOW}`,
    );
  if (isRound(count)) return toEdit(`${count} rows came, a round number: if these are not all, ${HOW}`);
  if (rows !== undefined && rows <= count) return sure(`one call brings all ${count} rows`);
  if (kind === 'unseen')
    return toEdit(
      'could not find how the service divides its rows into pages; until you say it, the first reply counts as the whole list',
    );
  if (/\.(?:csv|tsv|txt|ndjson|jsonl)$/i.test(path))
    return likely(`a file comes as a whole; it has ${count} rows`);
  return toEdit(
    `could not find whether the ${count} rows of one call are all: no parameter or link returned others; if not, ${HOW}`,
  );
}

/** Writes the `window` section from what the probes showed. */
export function windowSection(found: FoundWindow, context: WindowContext): WindowDraft {
  if (found.kind === 'numbered') return numberedDraft(found, context);
  if (found.kind === 'next') return nextDraft(found, context);
  const { request } = context;
  const documented = found.kind === 'unseen' ? documentedDraft(context) : undefined;
  const remark = wholeRemark(found.kind, context);
  return documented ?? { window: { kind: 'none' }, request, remarks: [remark] };
}
