import type { Adapter } from '../adapter/compile.ts';
import type { FieldProvenance } from '../adapter/map/explain-record.ts';
import { explainReplies, type ReplyExplainer } from '../adapter/read/explain-reply.ts';
import type { View } from '../adapter/map/row-fields.ts';
import { compileSessionReader } from '../adapter/read/session-reader.ts';
import type { Query } from '../contract/query.ts';
import { fault, type GatewayError, toGatewayError } from '../errors/fault.ts';
import { systemClock } from '../kernel/clock.ts';
import type { UpstreamReply } from '../kernel/upstream-call.ts';
import { createAnswer } from '../reading/run-plan.ts';
import type { CompiledResource } from '../pipeline/compile-sources.ts';
import type { SourceRuntime } from '../reading/source-runtime.ts';
import type { Document } from '../policy/cache-stage.ts';
import { createUpstream } from '../upstream/client.ts';
import { ownCall } from '../probe/create-call.ts';
import { type MadeCall, witness, type Witnessed, withShownRequests } from '../probe/record-calls.ts';

/** What became of a query that was really asked. */
export type LiveResult = {
  readonly calls: readonly MadeCall[];
  readonly answer: Document | GatewayError;
  /** Claims that replies contradicted, which were then computed without. */
  readonly contradicted: readonly string[];
  /** Fields that became `null` because they were missing or unreadable: how often, by `field reason`. */
  readonly gaps: ReadonlyMap<string, number>;
  /** How the first record of the answer came about; absent where there is none. */
  readonly record: readonly ViewedField[] | undefined;
};

/** How a field came about, and of which view it is. */
export type ViewedField = FieldProvenance & { readonly view: View };

/** What a live explanation needs. */
export type LiveDeps = {
  readonly compiled: CompiledResource;
  /** The adapter of the masked source: its requests are those of the real one, fit to be shown. */
  readonly masked: Adapter;
  /** Whether values of records may be shown, in addresses too. */
  readonly showValues: boolean;
  /** Aborts when the person has had enough. */
  readonly stop: AbortSignal;
};

/** The id of the first record of an answer. */
function firstIdOf(answer: Document | GatewayError): string | undefined {
  if (answer instanceof Error || !answer.found) return undefined;
  const { data } = JSON.parse(answer.body) as { data: { id: string } | readonly { id: string }[] };
  return [data].flat()[0]?.id;
}

async function answerWithin(
  source: SourceRuntime,
  { config }: Pick<CompiledResource, 'config'>,
  query: Query,
  stop: AbortSignal,
): Promise<Document | GatewayError> {
  const deadline = AbortSignal.timeout(config.deadline);
  const signal = AbortSignal.any([stop, deadline]);
  try {
    return await createAnswer(source, config.cache)(ownCall(query, 'explain', signal), signal);
  } catch (error) {
    if (deadline.aborted)
      return fault('upstream_timeout', { detail: `deadline of ${config.deadline} ms spent` });
    return toGatewayError(error);
  }
}

type Explained = { readonly view: View; readonly explainer: ReplyExplainer | undefined };

/** How the record with an id came about in the replies of one view. */
function findFields(
  { view, explainer }: Explained,
  replies: readonly UpstreamReply[],
  id: string,
): readonly ViewedField[] | undefined {
  for (const reply of replies) {
    const record = explainer?.record(reply, id);
    if (record !== undefined) return record.map((field) => ({ ...field, view }));
  }
  return undefined;
}

/** How a record came about: of a row, and of its details where those are asked for. */
function findRecord(
  explained: readonly Explained[],
  made: readonly Witnessed[],
  viewOf: (reply: UpstreamReply) => View | undefined,
  id: string | undefined,
): readonly ViewedField[] | undefined {
  if (id === undefined) return undefined;
  const replies = made.flatMap(({ reply }) => reply ?? []);
  const found = explained.flatMap((one) => {
    const own = replies.filter((reply) => viewOf(reply) === one.view);
    const fields = findFields(one, own, id) ?? [];
    return one.view === 'details' ? fields.filter(({ field }) => field !== 'id') : fields;
  });
  return found.length === 0 ? undefined : found;
}

/** Answers a query from the live source, as the gateway would on a cache miss, and keeps what happened on the way. */
export async function explainLive(
  query: Query,
  { compiled, masked, showValues, stop }: LiveDeps,
): Promise<LiveResult> {
  const { spec } = compiled.source;
  const { adapter, shown, rows, views } = withShownRequests(compiled.adapter, masked, showValues);
  const upstream = createUpstream(spec, {
    onExchange: () => undefined,
    readSession: compileSessionReader(spec),
  });
  const { ask, made } = witness(upstream, shown);
  const gaps = new Map<string, number>();
  const contradicted: string[] = [];
  const source: SourceRuntime = {
    resource: compiled.resource,
    adapter,
    upstream: { ...upstream, ask },
    budget: spec.budget,
    clock: systemClock,
    switchedOff: new Set(),
    observer: {
      fieldGap: (field, reason) => gaps.set(`${field} ${reason}`, (gaps.get(`${field} ${reason}`) ?? 0) + 1),
      contradicted: (capability) => contradicted.push(capability),
    },
  };
  try {
    const answer = await answerWithin(source, compiled, query, stop);
    const kinds: readonly View[] = query.kind === 'list' ? ['list', 'details'] : ['get'];
    const explained = kinds.map((view) => ({
      view,
      explainer: explainReplies(spec, compiled.resource, view),
    }));
    for (const { call, reply } of made) {
      if (reply === undefined) continue;
      call.status = reply.status;
      call.rows = rows.get(reply);
      const view = views.get(reply) ?? query.kind;
      call.rule = explained.find((one) => one.view === view)?.explainer?.rule(reply);
    }
    const record = findRecord(explained, made, (reply) => views.get(reply), firstIdOf(answer));
    return { calls: made.map(({ call }) => call), answer, contradicted, gaps, record };
  } finally {
    upstream.close();
  }
}
