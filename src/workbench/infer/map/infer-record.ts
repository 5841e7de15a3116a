// Drafts the view of one record (`get`): finds a request, maps the fields, and asks for an unknown id to see that answer, too.

import type { ItemsSpec, RequestSpec } from '../../../config/schema/source.ts';
import type { Json, JsonObject } from '../../../kernel/json/json.ts';
import { pickEvenly } from '../../../kernel/pick-evenly.ts';
import { knownPaths } from '../dialects/example-names.ts';
import { maskedSample } from './describe-columns.ts';
import { mapFields, type MapDraft, refuseAbsentColumns } from './map-fields.ts';
import { mappedTo, unmapped } from './map-list.ts';
import { adoptListSteps } from './adopt-list-steps.ts';
import { type DraftNote, likely, notesAt, sure, toEdit } from '../notes/note.ts';
import { findRecord, type FoundRecord } from './find-record.ts';
import type { DecodedReply, OutcomeDraft } from '../detect/outcome-rules.ts';
import { missingRules } from './missing-rules.ts';
import type { RecordContext } from './infer-context.ts';
import { listedIds, guessRecordRequests } from './guess-record-requests.ts';

/** The `get` section of a draft. */
export type RecordDraft = {
  readonly get: { readonly item: ItemsSpec; readonly map: MapDraft['map'] };
  readonly request: RequestSpec;
  /** The records that were read by themselves. */
  readonly records: readonly JsonObject[];
  /** The reply with the first of them. */
  readonly first: DecodedReply | undefined;
  readonly outcomes: readonly OutcomeDraft[];
  readonly notes: readonly DraftNote[];
  /** The reply to an id that no record has; `undefined` if the service was not asked for one. */
  readonly missing: Json | undefined;
};

/** The most records that are asked for one by one: more of them show more texts for "no value". */
const RECORDS_MAX = 16;

function mapRecords(context: RecordContext, found: FoundRecord): MapDraft | undefined {
  const { response, resource, columns, described, list } = context;
  const { dialect } = response;
  const listPaths = Object.entries(list.map).flatMap(([field, draft]) =>
    typeof draft === 'string' ? [[field, draft] as const] : [],
  );
  const paths = { ...Object.fromEntries(listPaths), ...knownPaths(dialect, resource), ...columns };
  const own = resource.detailFields.filter((field) => !resource.itemFields.includes(field));
  refuseAbsentColumns(found.records, own, columns);
  return mapFields(resource, 'get', found.records, { paths, dialect, described });
}

/** A placeholder for a view that was not found. It refuses requests until the operator edits it. */
function placeholder(context: RecordContext): RecordDraft {
  const { response, resource, list, given, columns } = context;
  const { request } = response;
  const at = ['resources', resource.name, 'get'];
  const option = request.body === undefined ? '--one <address with an id>' : '--one-body <file with an id>';
  const [id = ''] = listedIds(context);
  const how =
    given === undefined
      ? `give it with ${option}, such as that of the list with a filter by the id`
      : `the request given with ${option} finds no record by an id as the list writes it (${maskedSample(id)})`;
  const text = `no view of one record was found, so each request for one is an error; ${how}; if the service has none, take \`single\` of ${resource.name} out of contract.yaml, and \`get\` out of this file`;
  const details = resource.detailFields.map((field) => {
    const path = columns[field.name];
    const named = path === undefined ? unmapped(field) : mappedTo(field, path);
    return [field.name, list.map[field.name] ?? named] as const;
  });
  return {
    get: { item: '', map: Object.fromEntries(details) },
    request: {
      method: 'GET',
      path: `${request.path.replace(/\/$/, '')}/{id}`,
      query: {},
      headers: request.headers,
    },
    records: [],
    first: undefined,
    outcomes: [],
    notes: notesAt(at, toEdit(text)),
    missing: undefined,
  };
}

/** Drafts the view of one record. */
export async function inferRecord(context: RecordContext): Promise<RecordDraft> {
  const { client, resource, response, given } = context;
  const ids = listedIds(context);
  // Ids from the whole list: the first records are often alike.
  const count = client.callsLeft > 60 ? RECORDS_MAX : 4;
  const tried = [...new Set(pickEvenly(ids, count))];
  const requests = guessRecordRequests(context, ids);
  const found = await findRecord({ ...context, requests, ids: tried, known: ids });
  const own = found && mapRecords(context, found);
  if (found === undefined || own === undefined) return placeholder(context);
  const at = ['resources', resource.name, 'get'];
  const { rules, remark } = missingRules(found);
  const { map, notes } = adoptListSteps(context, found.records, own);
  const isOfList = response.request.path === found.request.path && given === undefined;
  const ofList =
    isOfList &&
    likely('it filters the list by the id: if a record has an address of its own, name it by --one');
  return {
    get: { item: found.item, map },
    records: found.records,
    first: found.first,
    request: found.request,
    outcomes: rules,
    notes: [
      ...notesAt(at, sure(`read with ${found.records.length} ids of the list`), ofList),
      ...notesAt(['outcomes'], remark),
      ...notes,
    ],
    missing: found.missing.document,
  };
}
