import type { RequestSpec } from '../../config/schema/source.ts';
import type { Dialect } from '../dialects/dialect.ts';
import { echoedSize, type FoundWindow } from './find-window.ts';
import type { ListReply } from '../requests/list-reader.ts';
import type { Confidence } from '../note.ts';
import type { Largest } from './probe-size.ts';
import { type Parameter, parameterName, withValue } from '../requests/request-parameters.ts';
import type { PastEnd } from '../requests/walk-list.ts';
import { candidatesFor } from './parameter-names.ts';

/** The `window` section of a draft. */
export type WindowDraft = {
  readonly window: Readonly<Record<string, unknown>>;
  /** The list's request with variables such as `{limit}`. */
  readonly request: RequestSpec;
  readonly remarks: readonly { readonly level: Confidence; readonly text: string }[];
};

/** The facts about the end of the list. */
export type KnownEnd = {
  readonly pastEnd: PastEnd | undefined;
  /** The number of rows, if it is known. */
  readonly rows: number | undefined;
};

const USUAL_MAX = 100;

type LargestSize = { readonly size: number; readonly level: Confidence; readonly text: string };

/** The largest number of rows in one call, with the confidence in it. */
function largestSize(
  largest: Largest | undefined,
  { rows }: KnownEnd,
  dialect: Dialect | undefined,
  follows: boolean,
): LargestSize {
  const known = dialect?.paging?.sizeMax;
  if (largest === undefined)
    return { size: known ?? USUAL_MAX, level: 'likely', text: 'the largest window was not tried' };
  const came = largest.listing?.rows.length ?? 0;
  if (largest.seen) return { size: largest.size, level: 'sure', text: `${largest.size} rows came at once` };
  const isAll = rows === undefined || rows <= came;
  if (!isAll)
    return {
      size: came,
      level: 'sure',
      text: `at most ${came} rows come at once, for any requested size`,
    };
  // Where windows are asked for by number, one that is cut off in silence would be missed later.
  const size = Math.min(known ?? USUAL_MAX, follows ? Infinity : USUAL_MAX, largest.size);
  return { size, level: 'likely', text: `the list has only ${came} rows, so a larger window was not seen` };
}

const variable = (request: RequestSpec, place: Parameter | undefined, name: string) =>
  place === undefined ? request : withValue(request, place, name);

function numberedDraft(
  found: FoundWindow & { kind: 'numbered' },
  end: KnownEnd,
  dialect: Dialect | undefined,
): WindowDraft {
  const { request, size, start, rows } = found.numbered;
  const most = largestSize(found.largest, end, dialect, false);
  const depthMax = dialect?.paging?.depthMax;
  const rest = {
    ...(end.pastEnd?.kind === 'other' && { pastEnd: 'other' }),
    ...(depthMax !== undefined && { depthMax }),
  };
  const startName = parameterName(start.place);
  const counts = start.kind === 'offset' ? 'rows' : 'pages';
  const moved = {
    level: start.byName ? ('edit' as const) : ('sure' as const),
    text: start.byName
      ? `${startName} moves the window; two rows could not show whether it counts rows or pages`
      : `${startName} counts ${counts} from ${start.base}${size === undefined ? '' : `, ${parameterName(size.place)} is how many come`}`,
  };
  const sized = variable(request, size?.place, '{limit}');
  if (start.kind === 'offset') {
    const window = { kind: 'offset', base: start.base, sizeMax: most.size, ...rest };
    const remarks = [moved, { level: most.level, text: most.text }];
    return { window, request: variable(sized, start.place, '{offset}'), remarks };
  }
  const fixed = {
    level: 'sure' as const,
    text: `no parameter changes the number of rows in a page (${rows})`,
  };
  const offered = {
    level: 'sure' as const,
    text: `other sizes than ${(size?.allowed ?? []).join(', ')} were refused`,
  };
  const sizes = size === undefined ? [rows] : (size.allowed ?? { upTo: Math.min(1000, most.size) });
  const window = { kind: 'page', base: start.base, sizes, ...rest };
  const about =
    size === undefined
      ? fixed
      : size.allowed !== undefined
        ? offered
        : { level: most.level, text: most.text };
  return { window, request: variable(sized, start.place, '{page}'), remarks: [moved, about] };
}

function nextDraft(
  found: FoundWindow & { kind: 'next' },
  end: KnownEnd,
  dialect: Dialect | undefined,
): WindowDraft {
  const { form, size, largest } = found;
  const sized = variable(found.request, size?.place, '{limit}');
  const most = size === undefined ? undefined : largestSize(largest, end, dialect, true);
  const sizeMax = most?.size ?? dialect?.paging?.sizeMax ?? 1000;
  const remarks = most === undefined ? [] : [{ level: most.level, text: most.text }];
  if (form.kind === 'link') {
    const from = 'header' in form.next ? `the ${form.next.header} header` : form.next.at;
    const text = `${from} names the next window; it was followed`;
    return {
      window: { kind: 'link', sizeMax, next: form.next },
      request: sized,
      remarks: [{ level: 'sure', text }, ...remarks],
    };
  }
  const more = form.more === undefined ? {} : { more: form.more };
  const text = `${parameterName(form.place)} takes the value of ${form.next}; it was followed`;
  return {
    window: { kind: 'cursor', sizeMax, next: form.next, ...more },
    request: variable(sized, form.place, '{cursor}'),
    remarks: [{ level: 'sure', text }, ...remarks],
  };
}

function placeOf(
  request: RequestSpec,
  what: 'size' | 'start' | 'cursor',
  name: string | undefined,
): Parameter | undefined {
  if (name === undefined) return undefined;
  return candidatesFor(what, request, name).find(
    (candidate) => candidate.name === name || candidate.name.endsWith(`.${name}`),
  )?.place;
}

/** What a dialect documents, where nothing could be tried. */
function documentedDraft(request: RequestSpec, base: ListReply, dialect: Dialect): WindowDraft | undefined {
  const known = dialect.paging;
  if (known === undefined || known.kind === 'none') return undefined;
  const remarks = [
    { level: 'likely' as const, text: `this is documented by ${dialect.title}; it could not be tried here` },
  ];
  const sizePlace = placeOf(request, 'size', known.size);
  const sized = variable(request, sizePlace, '{limit}');
  const sizeMax = known.sizeMax ?? USUAL_MAX;
  const depth = known.depthMax === undefined ? {} : { depthMax: known.depthMax };
  if (known.kind === 'link') {
    const at = dialect.key === 'salesforce' ? { at: 'nextRecordsUrl' } : { header: 'Link' };
    return { window: { kind: 'link', sizeMax, next: at }, request: sized, remarks };
  }
  if (known.kind === 'cursor') {
    const place = placeOf(request, 'cursor', known.cursor);
    const next = dialect.key === 'ldap-crest' ? 'pagedResultsCookie' : undefined;
    if (place === undefined || next === undefined) return undefined;
    return {
      window: { kind: 'cursor', sizeMax, next },
      request: variable(sized, place, '{cursor}'),
      remarks,
    };
  }
  const start = placeOf(request, 'start', known.start);
  if (start === undefined) return undefined;
  if (known.kind === 'offset') {
    const window = { kind: 'offset', base: known.base ?? 0, sizeMax, ...depth };
    return { window, request: variable(sized, start, '{offset}'), remarks };
  }
  const echoed = known.sizeMax === undefined ? echoedSize(base) : undefined;
  const sizes = echoed === undefined ? { upTo: Math.min(1000, sizeMax) } : [echoed];
  const window = { kind: 'page', base: known.base ?? 1, sizes, ...depth };
  return { window, request: variable(echoed === undefined ? sized : request, start, '{page}'), remarks };
}

/** Writes the `window` section from what the probes showed. */
export function draftWindow(
  found: FoundWindow,
  {
    request,
    base,
    dialect,
    end,
  }: { request: RequestSpec; base: ListReply; dialect: Dialect | undefined; end: KnownEnd },
): WindowDraft {
  if (found.kind === 'numbered') return numberedDraft(found, end, dialect);
  if (found.kind === 'next') return nextDraft(found, end, dialect);
  const documented =
    found.kind === 'unseen' && dialect !== undefined ? documentedDraft(request, base, dialect) : undefined;
  if (documented !== undefined) return documented;
  const window = { kind: 'none' };
  const count = base.rows.length;
  if (end.rows !== undefined && end.rows <= count)
    return { window, request, remarks: [{ level: 'sure', text: `one call brings all ${count} rows` }] };
  if (/\.(?:csv|tsv|txt|ndjson|jsonl)$/i.test(request.path) && found.kind === 'none')
    return {
      window,
      request,
      remarks: [{ level: 'likely', text: `a file comes as a whole; it has ${count} rows` }],
    };
  const text =
    found.kind === 'unseen'
      ? 'could not find how the service divides its rows into pages; until you say it, the first reply counts as the whole list'
      : `could not find whether the ${count} rows of one call are all: no parameter or link returned others`;
  return { window, request, remarks: [{ level: 'edit', text }] };
}
