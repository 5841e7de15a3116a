// Drafts the source file of a service for one resource: the whole of `portico infer`, from the first reply to the trials.

import type { Resource } from '../../contract/resource.ts';
import type { JsonObject } from '../../kernel/json/json.ts';
import type { UpstreamReply } from '../../kernel/upstream-call.ts';
import { type ServiceClient, createServiceClient } from './requests/service-client.ts';
import { composeDraft } from './compose-draft.ts';
import { itemsOf } from './detect/find-rows.ts';
import type { FirstResponse } from './detect/first-response.ts';
import { compileTextReader, readListReply } from './requests/list-reader.ts';
import { type DraftNote, InferError, sure } from './notes/note.ts';
import { readInferTarget, type InferTarget } from './requests/read-target.ts';
import { singleRecordRequest, type SingleRecordOptions } from './requests/single-record-request.ts';
import { type OutcomesDraft, probeWithoutCredential, inferOutcomes } from './infer-outcomes.ts';
import { decideEmptyTexts } from './map/empty-texts.ts';
import { inferProof, type ProofDraft } from './verify/infer-proof.ts';
import type { InferContext, RecordContext } from './map/infer-context.ts';
import { type RecordDraft, inferRecord } from './map/infer-record.ts';
import { type ListDraft, inferList } from './infer-list.ts';
import { type FirstOptions, readFirst } from './read-first.ts';
import type { CompiledSource } from '../../source/compile-sources.ts';
import type { ClaimRun } from '../doctor/run-claims.ts';
import { isSamePlace, withNotes, withPagingFirst } from './verify/draft-edits.ts';
import { refineDraft } from './verify/refine-draft.ts';
import { trialNotes } from './verify/trial-notes.ts';
import { type DraftTrial, tryDraft } from './verify/try-draft.ts';
import { describedFor, type DraftPurpose, writeAndCompile } from './write/write-and-compile.ts';
import type { Draft } from './write/write-draft.ts';

/** What to draft, and the budget of calls. */
export type InferOptions = SingleRecordOptions &
  FirstOptions &
  DraftPurpose & {
    /** The paths of columns that the operator names, by the field of the contract; `id` among them. */
    readonly columns: Readonly<Record<string, string>>;
    readonly callsMax: number;
    readonly timeoutMs: number;
    readonly signal: AbortSignal;
  };

/** A draft, with what the command prints about it. */
export type InferredSource = {
  readonly text: string;
  readonly name: string;
  readonly dialect: string | undefined;
  readonly notes: readonly DraftNote[];
  readonly calls: number;
  /** The values of the draft's variables, to try the draft. */
  readonly variables: Readonly<Record<string, string>>;
  /** The draft as `portico check` reads it. */
  readonly compiled: CompiledSource;
  /** The result of doctor for this draft; `undefined` if the draft was made from saved replies. */
  readonly diagnosis: ClaimRun | undefined;
  /** How the draft answers one request of each kind; none if it was made from saved replies. */
  readonly trials: readonly DraftTrial[];
};

/** The rows of the other saved replies. */
function rowsOf(response: FirstResponse, samples: readonly UpstreamReply[]): readonly JsonObject[] {
  const view = { read: response.format.read, items: itemsOf(response.place), idPath: '' };
  return samples.flatMap((sample) => readListReply(view, sample)?.rows ?? []);
}

async function findOutcomes(
  { client, response }: InferContext,
  target: InferTarget,
  list: ListDraft,
  record: RecordDraft | undefined,
): Promise<OutcomesDraft & { readonly proof: ProofDraft | undefined }> {
  const { read } = response.format;
  const refusal = target.auth && (await probeWithoutCredential(client, response.request, read));
  const listings = [list.base, ...(list.walk?.windows ?? [])];
  const drafted = inferOutcomes({
    dialect: response.dialect,
    successes: listings.map(({ document }) => document),
    statuses: [...list.reader.statuses],
    // Only if an unknown id is answered with a success status, a code must distinguish the two.
    missing: record?.outcomes.some(({ status }) => status === 200) ? record.missing : undefined,
    recordRules: record?.outcomes ?? [],
    refusal,
    pastEnd: list.total.total === undefined ? list.walk?.pastEnd : undefined,
  });
  if (refusal === undefined || !drafted.servesVisitors) return { ...drafted, proof: undefined };
  const proof = await inferProof({
    ...{ client, read, request: response.request, lists: listings, visitor: refusal },
    record: record?.first,
  });
  return { ...drafted, proof };
}

/** A list and its records, with what empty texts mean in both. */
function withEmptyTexts(resource: Resource, list: ListDraft, record: RecordDraft | undefined) {
  const { mapping, rows } = list;
  const views = [
    { name: 'list' as const, map: mapping.map, rows },
    ...(record === undefined ? [] : [{ name: 'get' as const, map: record.get.map, rows: record.records }]),
  ];
  const { maps, notes } = decideEmptyTexts(resource, views);
  const [map = mapping.map, one = {}] = maps;
  return {
    list: { ...list, mapping: { ...mapping, map } },
    record: record && { ...record, get: { ...record.get, map: one } },
    notes,
  };
}

/** The list with the zeros in front of its ids taken in the other way, as a part of them or not; `undefined` if it has none. */
function withOtherZeros({ mapping, notes, rows, ...list }: ListDraft): ListDraft | undefined {
  const ids = rows.map(compileTextReader(mapping.idPath));
  const isPadded = ids.every((id) => /^\d+$/.test(id)) && ids.some((id) => /^0\d/.test(id));
  if (!isPadded) return undefined;
  const isNumber = mapping.id.kind === 'number';
  const kind = isNumber ? 'text' : 'number';
  const what = isNumber
    ? 'texts: a record is found only with'
    : 'whole numbers: a record is found only without';
  const text = sure(`${what} the zeros in front`);
  const noted = notes.map((note) =>
    note.at.at(-1) === 'id' && note.at.length === 3 ? { ...note, ...text } : note,
  );
  return { ...list, rows, mapping: { ...mapping, id: { kind } }, notes: noted };
}

/** Drafts the view of one record. If no id finds a record, ids are tried with or without the zeros in front of them. */
async function inferBoth(context: InferContext & Pick<RecordContext, 'given'>, list: ListDraft) {
  const readWith = ({ rows, mapping }: ListDraft) => inferRecord({ ...context, rows, list: mapping });
  const record = await readWith(list);
  const other = record.first === undefined ? withOtherZeros(list) : undefined;
  const again = other && (await readWith(other));
  return other && again?.first !== undefined ? { list: other, record: again } : { list, record };
}

/** Composes the draft that the replies suggest. Doctor has not checked it yet. @throws InferError */
async function proposeDraft(target: InferTarget, client: ServiceClient, options: InferOptions) {
  const { resource, columns } = options;
  const given = singleRecordRequest(options, target);
  if (given !== undefined && !resource.hasSingle)
    throw new InferError(
      `the contract reads no single record of ${resource.name}, so its view is not needed`,
      `leave the address of one record out, or give ${resource.name} \`single: true\` in contract.yaml first`,
    );
  const response = await readFirst(target, client, options);
  const context = { client, resource, response, columns, described: describedFor(options) };
  const moreRows = rowsOf(response, options.samples.slice(1));
  const listed = await inferList({ ...context, moreRows });
  const one = resource.hasSingle ? await inferBoth({ ...context, given }, listed) : { list: listed };
  const { list, record, notes } = withEmptyTexts(
    resource,
    one.list,
    'record' in one ? one.record : undefined,
  );
  const outcomes = await findOutcomes(context, target, list, record);
  const { upstreamCalls: calls, upstreamMs: ms } = client.usage;
  const { proof } = outcomes;
  const auth = proof === undefined ? target.auth : { ...target.auth, proof: proof.proof };
  const draft = composeDraft({
    target: { ...target, auth },
    resource: resource.name,
    response,
    list,
    record,
    outcomes,
    usage: { calls, msEach: calls === 0 ? 100 : ms / calls },
    notes: [...notes, ...(proof?.notes ?? [])],
  });
  return { draft, response, calls };
}

/** The share of the calls that the proposal may use; the rest is for doctor. */
const PROPOSAL_SHARE = 0.5;

/**
 * Drafts the source file of a service, from its live replies or from saved ones: proposes a draft, has doctor examine
 * it, changes what differs, and tries every kind of request. Calls are made one at a time, and only read.
 * @throws InferError
 */
export async function inferSource(options: InferOptions): Promise<InferredSource> {
  const target = readInferTarget(options);
  const { timeoutMs, signal, samples } = options;
  const callsMax = samples.length > 0 ? 0 : Math.ceil(options.callsMax * PROPOSAL_SHARE);
  const client = createServiceClient(target, { callsMax, timeoutMs, signal });
  try {
    const { draft: proposed, response, calls } = await proposeDraft(target, client, options);
    const write = (draft: Draft) => writeAndCompile(draft, response, target, options);
    const { variables } = target.secrets;
    const about = { name: target.name, dialect: response.dialect?.key, variables };
    const finish = (draft: Draft, verified: Pick<InferredSource, 'calls' | 'diagnosis' | 'trials'>) => ({
      ...about,
      ...verified,
      ...write(draft),
      notes: draft.notes,
    });
    if (calls === 0) return finish(proposed, { calls, diagnosis: undefined, trials: [] });
    const refined = await refineDraft(proposed, { write, callsMax: options.callsMax - calls, signal });
    const { draft, compiled, diagnosis } = refined;
    const trials = await tryDraft(compiled, signal);
    // If a place must be edited anyway, that note says more than a note about the request that fails there.
    const isOpen = ({ at }: DraftNote) =>
      draft.notes.some((note) => note.level === 'edit' && isSamePlace(note.at, at));
    const tried = withNotes(
      draft,
      trialNotes(trials, compiled).filter((note) => !isOpen(note)),
    );
    return finish(withPagingFirst(tried), { calls: calls + refined.calls, diagnosis, trials });
  } finally {
    client.close();
  }
}
