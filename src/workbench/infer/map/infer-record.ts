import type { ItemsSpec, RequestSpec } from '../../../config/schema/source.ts';
import type { Resource } from '../../../contract/resource.ts';
import { compilePath } from '../../../source/adapter/spec/path.ts';
import { compileItem } from '../../../source/adapter/read/items.ts';
import { CHECKED } from '../../../source/adapter/spec/spec-location.ts';
import type { Json, JsonObject } from '../../../kernel/json/json.ts';
import type { UpstreamReply } from '../../../kernel/upstream-call.ts';
import type { ServiceClient } from '../requests/service-client.ts';
import type { Dialect } from '../dialects/dialect.ts';
import { knownPaths } from '../dialects/example-names.ts';
import { mapLeaves } from '../requests/json-tree.ts';
import { isObject, scalarText } from '../../../kernel/json/values.ts';
import { mapFields, type MapDraft } from './map-fields.ts';
import type { FieldDraft } from './map-list.ts';
import { sameSteps } from './same-steps.ts';
import { type DraftNote, likely, notesAt, type Remark, sure, toEdit } from '../notes/note.ts';
import type { IdKind } from '../requests/list-reader.ts';
import { findRecord, type FoundRecord, linkedPaths, linkOf } from './find-record.ts';
import { isAbsent, type OutcomeDraft, outcomeRule } from '../detect/outcome-rules.ts';

/** The `get` section of a draft. */
export type RecordDraft = {
  readonly get: Readonly<Record<string, unknown>> & {
    readonly item: ItemsSpec;
    readonly map: Readonly<Record<string, FieldDraft>>;
  };
  readonly request: RequestSpec;
  /** The records that were read by themselves. */
  readonly records: readonly JsonObject[];
  readonly outcomes: readonly OutcomeDraft[];
  readonly notes: readonly DraftNote[];
  /** The reply to an id that no record has; `undefined` if the service was not asked for one. */
  readonly missing: Json | undefined;
};

/** The facts about the list. */
export type RecordContext = {
  readonly client: ServiceClient;
  readonly read: (reply: UpstreamReply) => Json | undefined;
  readonly resource: Resource;
  readonly dialect: Dialect | undefined;
  /** The paths of columns that the operator names, by field. */
  readonly columns: Readonly<Record<string, string>>;
  /** The resources whose ids the source describes. */
  readonly described: ReadonlySet<string>;
  readonly request: RequestSpec;
  /** The operator's request for one record, with an id of the list in it. */
  readonly given: RequestSpec | undefined;
  readonly rows: readonly JsonObject[];
  readonly isTable: boolean;
  readonly list: MapDraft;
};

/** Ids as the gateway sends them: numbers have no leading zeros, and all have the form of the dialect's ids. */
function idsOf({ rows, list, dialect }: RecordContext): readonly string[] {
  const find = compilePath(list.idPath);
  const pattern = list.id.pattern === undefined ? undefined : new RegExp(list.id.pattern);
  const known = dialect?.idForm(list.id.kind === 'number');
  const form = known === undefined ? undefined : new RegExp(`^(?:${known})$`);
  return rows.flatMap((row) => {
    const text = scalarText(find(row))?.trim() ?? '';
    const native = pattern === undefined ? text : (pattern.exec(text)?.[1] ?? '');
    const id = list.id.kind === 'number' ? native.replace(/^0+(?=\d)/, '') : native;
    return id === '' || form?.test(id) === false ? [] : [id];
  });
}

/** Replaces an id of the list in a request by the variable. */
function withVariable(request: RequestSpec, ids: readonly string[]): RequestSpec | undefined {
  const known = new Set(ids);
  let found = 0;
  const mark = (text: string, split: RegExp, decode: (part: string) => string) =>
    text
      .split(split)
      .map((part) => {
        if (found > 0 || !known.has(decode(part))) return part;
        found += 1;
        return '{id}';
      })
      .join('');
  const plain = (part: string) => part;
  const decoded = (part: string) => {
    try {
      return decodeURIComponent(part);
    } catch {
      return part;
    }
  };
  const inTree = (tree: unknown) =>
    mapLeaves(tree, (leaf) => {
      if (typeof leaf === 'string') return mark(leaf, /([^\w.|=+/~-]+|=eq\.)/, plain);
      if (typeof leaf !== 'number' || found > 0 || !known.has(String(leaf))) return leaf;
      found += 1;
      return '{id}';
    });
  const path = mark(request.path, /([/()',]|\.(?:json|xml|do|php|aspx?)$)/, decoded);
  const query = inTree(request.query) as RequestSpec['query'];
  const body = inTree(request.body) as RequestSpec['body'];
  return found === 0 ? undefined : { ...request, path, query, ...(body !== undefined && { body }) };
}

/** The end of a path that only says that it is a list. A record stands above it. */
const LIST_NAME = /(?<=\/[^/]+)\/(?:_\w+|all|list|search|query|find)$/i;

/** The requests to try for one record, with `{id}`, the most probable first. */
function recordRequests(context: RecordContext, ids: readonly string[]): readonly RequestSpec[] {
  const { request, dialect, given, list } = context;
  if (given !== undefined) {
    const marked = withVariable(given, ids);
    return marked === undefined ? [] : [marked];
  }
  const known = dialect?.record(request, list.id.kind === 'number');
  if (request.body !== undefined) return known === undefined ? [] : [known];
  const path = request.path.replace(/\/$/, '');
  const below = { method: 'GET' as const, query: {}, headers: request.headers };
  const bare = path.replace(/\.(?:json|xml|do|php|aspx?)$/, '');
  // If the list's URL ends with a slash, the URLs of its records do so, too; without it comes a redirect.
  const slashed = path === request.path ? [] : [`${path}/{id}/`];
  const suffixed = bare === path ? [] : [`${bare}/{id}${path.slice(bare.length)}`];
  // `/users/_all_docs` and `/users/list` name a way to read all of `/users`.
  const beside = LIST_NAME.test(path) ? [path.replace(LIST_NAME, '/{id}')] : [];
  const linked = linkedPaths(context.rows, list);
  const paths = new Set([...linked, ...slashed, `${path}/{id}`, ...suffixed, ...beside]);
  const entries = Object.entries(request.query);
  const secrets = entries.filter(([, value]) => value.includes('${'));
  // The list's parameters may be needed (the form of the rows) or refused (filters, sorts), so they are the second try.
  const constants = entries.filter(([, value]) => !/(?<!\$)\{/.test(value));
  const queries = constants.length === secrets.length ? [secrets] : [secrets, constants];
  const usual = [...paths].flatMap((one) =>
    queries.map((query): RequestSpec => ({ ...below, path: one, query: Object.fromEntries(query) })),
  );
  return known === undefined ? usual : [known, ...usual];
}

/** More records show more texts for "no value". */
const RECORDS_MAX = 16;

/** The outcome for an unknown id. */
type MissingRules = { readonly rules: readonly OutcomeDraft[]; readonly remark: Remark };

/** Whether a reply reports errors beside, or in place of, a record. */
function reportsErrors(document: Json | undefined): boolean {
  return isObject(document) && ['errors', 'error'].some((key) => !isAbsent(document[key]));
}

/** Drafts the outcome for an unknown id. */
function missingRules({ missing, item }: FoundRecord, success: Json): MissingRules {
  const unknown = (text: string): MissingRules => ({ rules: [], remark: toEdit(text) });
  const { status } = missing.reply;
  const rule = outcomeRule(missing, success, { on: 'get', is: 'not_found' });
  const answer = `an unknown id is answered with HTTP ${status}`;
  const isAny = status >= 500 || status === 401 || status === 403 || status === 429;
  if (isAny && (rule === undefined || status === 429))
    return unknown(`${answer}, which is ambiguous: add a code of the body that means not_found`);
  const remark = (isAny ? likely : sure)(
    rule !== undefined && 'at' in rule ? `${answer} with the code that is named` : answer,
  );
  if (rule !== undefined) return { rules: [rule], remark };
  if (status >= 300 || !isAbsent(compileItem(item, CHECKED)(missing.document ?? null)))
    return unknown('another record is returned for an unknown id');
  if (reportsErrors(missing.document))
    return unknown(
      `${answer}, without the record and with errors as any failure has them: name the part that means not_found`,
    );
  return {
    rules:
      typeof item !== 'string' || item === ''
        ? []
        : [{ status, on: 'get', at: item, present: false, is: 'not_found' }],
    remark,
  };
}

function mapRecords(context: RecordContext, found: FoundRecord): MapDraft | undefined {
  const { dialect, resource, columns, described } = context;
  const listPaths = Object.entries(context.list.map).flatMap(([field, draft]) =>
    typeof draft === 'string' ? [[field, draft] as const] : [],
  );
  const paths = { ...Object.fromEntries(listPaths), ...knownPaths(dialect, resource), ...columns };
  return mapFields(resource, 'get', found.records, {
    paths,
    described,
    zone: dialect?.zone,
    idKind: dialect?.idKind,
  });
}

/** A placeholder for a view that was not found. It refuses requests until the operator edits it. */
function placeholder({ request, resource, list, given, rows }: RecordContext): RecordDraft {
  const at = ['resources', resource.name, 'get'];
  const option = request.body === undefined ? '--one <address with an id>' : '--one-body <file with an id>';
  const how =
    given === undefined
      ? `give it with ${option}`
      : `the request given with ${option} finds no record for an id of the list`;
  const isPadded = rows.some((row) => /^0\d/.test(scalarText(compilePath(list.idPath)(row)) ?? ''));
  const padded =
    isPadded && list.id.kind === 'number' ? '; or id: { kind: text }, which keeps the zeros in front' : '';
  const text = `no view of one record was found, so each request for one is an error; ${how}${padded}`;
  const details = resource.detailFields.map(({ name }) => [name, list.map[name] ?? null] as const);
  return {
    get: { request: undefined, item: '', map: Object.fromEntries(details) },
    request: {
      method: 'GET',
      path: `${request.path.replace(/\/$/, '')}/{id}`,
      query: {},
      headers: request.headers,
    },
    records: [],
    outcomes: [],
    notes: notesAt(at, toEdit(text)),
    missing: undefined,
  };
}

/** Drafts the view of one record. */
export async function inferRecord(context: RecordContext): Promise<RecordDraft> {
  const { client, read, resource, list } = context;
  const ids = idsOf(context);
  const kind: IdKind = list.id.kind;
  // Ids from the whole list: the first records are often alike.
  const count = client.callsLeft > 60 ? RECORDS_MAX : 4;
  const spread = Array.from(
    { length: count },
    (_, index) => ids[Math.floor((index / count) * ids.length)] ?? '',
  );
  const tried = [...new Set(spread.filter((id) => id !== ''))];
  const requests = recordRequests(context, ids);
  const { isTable } = context;
  const search = { client, read, requests, ids: tried, kind, known: ids, isTable, link: linkOf(list) };
  const found = await findRecord(search);
  const own = found && mapRecords(context, found);
  if (found === undefined || own === undefined) return placeholder(context);
  const at = ['resources', resource.name, 'get'];
  const { rules, remark } = missingRules(found, found.records[0] ?? null);
  const { map, notes } = sameSteps(context, found.records, own);
  return {
    get: { request: undefined, item: found.item, map },
    records: found.records,
    request: found.request,
    outcomes: rules,
    notes: [
      ...notesAt(at, sure(`read with ${found.records.length} ids of the list`)),
      ...notesAt(['outcomes'], remark),
      ...notes,
    ],
    missing: found.missing.document,
  };
}
