import { resources, type ResourceName } from '../contract/resources.ts';
import type { JsonObject } from '../kernel/json/json.ts';
import type { UpstreamReply } from '../kernel/upstream-call.ts';
import { type Asker, createAsker } from './ask/ask-service.ts';
import { composeDraft } from './write/compose-draft.ts';
import { acceptOf, firstLook, type Sight } from './detect/first-response.ts';
import { readListing } from './ask/list-view.ts';
import type { Note } from './note.ts';
import { readTarget, type Target, type TargetOptions } from './ask/read-target.ts';
import type { Recipe } from './ask/request-template.ts';
import { type OutcomesDraft, seeRefusal, settleOutcomes } from './detect/study-failures.ts';
import { type RecordDraft, studyRecord } from './map/study-record.ts';
import { type ListStudy, studyList } from './study-service.ts';
import { InferError } from './infer-error.ts';
import { writeDraft } from './write/write-draft.ts';

/** What is to be inferred, and how much the service may be asked. */
export type InferOptions = TargetOptions & {
  readonly resource: ResourceName;
  /** The address of the view of one record, with an id of the list in it; or a path. */
  readonly one: string | undefined;
  /** The body of a request for one record. */
  readonly oneBody: string | undefined;
  /** Saved replies, in place of asking: the list's first, then more of it. */
  readonly samples: readonly UpstreamReply[];
  readonly callsMax: number;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
};

/** A draft with what was seen on the way. */
export type Inferred = {
  readonly text: string;
  readonly name: string;
  readonly dialect: string | undefined;
  readonly notes: readonly Note[];
  readonly calls: number;
  /** Values of the variables that the draft names, for trying it. */
  readonly variables: Readonly<Record<string, string>>;
  /** The first reply to the list's own request, for trying the draft on it. */
  readonly reply: UpstreamReply;
};

function askerOf(target: Target, { callsMax, timeoutMs, signal, samples }: InferOptions): Asker {
  return createAsker({
    baseUrl: target.baseUrl,
    headers: target.headers.sent,
    credential: target.credential,
    reveal: (recipe) => target.secrets.reveal(recipe),
    callsMax: samples.length > 0 ? 0 : callsMax,
    timeoutMs,
    signal,
  });
}

async function look(target: Target, asker: Asker, { resource, samples }: InferOptions): Promise<Sight> {
  const [sample] = samples;
  if (sample !== undefined) return firstLook(resource, target.recipe, sample, undefined);
  const reply = await asker.ask(target.recipe);
  const sight = await firstLook(resource, target.recipe, reply, (recipe) => asker.ask(recipe));
  asker.accept = acceptOf(sight.format);
  return sight;
}

/** Rows of further saved replies, as far as they hold the list. */
function rowsOf(sight: Sight, samples: readonly UpstreamReply[]): readonly JsonObject[] {
  const view = { read: sight.format.read, items: sight.place.path, idPath: '' };
  return samples.flatMap((sample) => readListing(view, sample)?.rows ?? []);
}

/** The operation that a SOAP body asks for. */
function operationOf({ body }: Recipe): string | undefined {
  if (body === undefined || !('xml' in body)) return undefined;
  return /<(?:[\w.-]+:)?Body(?:\s[^<>]*)?>\s*<(?:[\w.-]+:)?([\w.-]+)/.exec(body.xml)?.[1];
}

/** The list's headers, for another request: a SOAPAction that names the one operation then names the other. */
function actionFor(list: Recipe, other: Recipe): Recipe['headers'] {
  const [from, to] = [operationOf(list), operationOf(other)];
  if (from === undefined || to === undefined) return list.headers;
  const named = Object.entries(list.headers).map(([name, value]) => [
    name,
    /^soapaction$/i.test(name) ? value.replaceAll(from, to) : value,
  ]);
  return Object.fromEntries(named) as Recipe['headers'];
}

/** The request for one record that a person names. */
function oneRecipe(options: InferOptions, target: Target): Recipe | undefined {
  const { one, oneBody } = options;
  if (one === undefined && oneBody === undefined) return undefined;
  const { origin } = new URL(options.url);
  const url = one === undefined ? new URL(options.url) : new URL(one, options.url);
  if (url.origin !== origin)
    throw new InferError(
      'the view of one record is at another host than the list',
      'a source has one net.baseUrl',
    );
  const read = readTarget({
    ...options,
    url: url.href,
    body: oneBody,
    method: undefined,
    name: target.name,
    headers: [],
  });
  const own = oneBody !== undefined ? {} : { method: 'GET' as const };
  return { ...read.recipe, ...own, headers: actionFor(target.recipe, read.recipe) };
}

async function findOutcomes(
  asker: Asker,
  target: Target,
  sight: Sight,
  list: ListStudy,
  record: RecordDraft | undefined,
): Promise<OutcomesDraft> {
  const hasCredential = Object.keys({ ...target.credential.headers, ...target.credential.query }).length > 0;
  const refusal = hasCredential ? await seeRefusal(asker, sight.recipe, sight.format.read) : undefined;
  const listings = [list.base, ...(list.walk?.windows ?? [])];
  return settleOutcomes({
    dialect: sight.dialect,
    successes: listings.map(({ document }) => document),
    statuses: [...list.lister.statuses],
    missing: isQuietFailure(record) ? record?.missing : undefined,
    recordRules: record?.outcomes ?? [],
    refusal,
    pastEnd: list.total.total === undefined ? list.walk?.pastEnd : undefined,
  });
}

/** Whether a record that is not there is told under the status of a success. */
function isQuietFailure(record: RecordDraft | undefined): boolean {
  return record?.outcomes.some(({ status }) => status === 200) === true;
}

/** A source file cannot hold what was given as a credential. */
function refuseLeaks(text: string, { secrets }: Target): string {
  const leak = Object.entries(secrets.variables).find(
    ([, value]) => value.length > 3 && text.includes(value),
  );
  if (leak === undefined) return text;
  throw new InferError(
    `the draft would hold the value of ${leak[0]}, so it is not written`,
    'give the request with the credential in one place only',
  );
}

function recordOf(asker: Asker, target: Target, sight: Sight, list: ListStudy, options: InferOptions) {
  const resource = resources[options.resource];
  if (resource.detail === null) return Promise.resolve(undefined);
  return studyRecord({
    asker,
    read: sight.format.read,
    resource,
    dialect: sight.dialect,
    recipe: sight.recipe,
    given: oneRecipe(options, target),
    rows: list.rows,
    list: list.mapping,
  });
}

/**
 * Looks at a service, or at saved replies of one, and drafts its source. The service is asked one call at a time, and
 * only for reading.
 * @throws InferError
 */
export async function inferSource(options: InferOptions): Promise<Inferred> {
  const target = readTarget(options);
  const asker = askerOf(target, options);
  try {
    const sight = await look(target, asker, options);
    const list = await studyList({
      asker,
      resource: resources[options.resource],
      sight,
      baseUrl: target.baseUrl,
      moreRows: rowsOf(sight, options.samples.slice(1)),
    });
    const record = await recordOf(asker, target, sight, list, options);
    const outcomes = await findOutcomes(asker, target, sight, list, record);
    const { calls, ms } = asker.made;
    const draft = composeDraft({
      target,
      resource: options.resource,
      decode: sight.format.decode,
      dialect: sight.dialect,
      list,
      record,
      outcomes,
      made: { calls, msEach: calls === 0 ? 100 : ms / calls },
      notes: [],
    });
    return {
      text: refuseLeaks(writeDraft(draft), target),
      name: target.name,
      dialect: sight.dialect?.key,
      notes: draft.notes,
      calls,
      variables: target.secrets.variables,
      reply: sight.reply,
    };
  } finally {
    asker.close();
  }
}
