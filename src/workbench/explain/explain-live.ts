// Answers one query from its live source and records how, for `explain --live`.

import type { FieldProvenance } from '../../source/adapter/map/explain-record.ts';
import { explainReplies, type ReplyExplainer } from '../../source/adapter/read/explain-reply.ts';
import type { RecordView } from '../../source/adapter/map/row-fields.ts';
import type { Query } from '../../contract/query.ts';
import { fault, type GatewayError, toGatewayError } from '../../kernel/errors/fault.ts';
import type { UpstreamReply, UpstreamRequest } from '../../kernel/upstream-call.ts';
import type { CompiledResource } from '../../source/compile-sources.ts';
import type { SourceAnswer } from '../../pipeline/stages/call.ts';
import { type AnswerQuery, createAnswerQuery } from '../doctor/answer-request.ts';
import { MASK } from '../../kernel/secret.ts';
import { callToDisplay, type compileMasked } from '../doctor/session/masked-source.ts';
import { type PairedAdapter, pairRequests, withoutValues } from '../doctor/session/pair-requests.ts';
import { openSession, type SessionCall } from '../doctor/session/source-session.ts';

/** A call that was made for a query, as it may be displayed. */
export type DisplayedLiveCall = {
  readonly method: string;
  readonly url: string;
  readonly status?: number;
  readonly ms: number;
  readonly rows?: number;
  /** The outcome rule that decided; `null` if none fits. */
  readonly outcome?: { readonly is: string; readonly file: string; readonly line: number | undefined } | null;
  readonly problem?: string;
};

/** What came of a query that was answered from the live source. */
export type LiveResult = {
  readonly calls: readonly DisplayedLiveCall[];
  readonly answer: SourceAnswer | GatewayError;
  /** Claims that replies contradicted; the answer was then made without them. */
  readonly contradicted: readonly string[];
  /** Fields that became `null` because they were missing or unreadable: how often, by `field reason`. */
  readonly missingValues: ReadonlyMap<string, number>;
  /** How the first record of the answer was made; absent if the answer has no record. */
  readonly record: readonly ViewedField[] | undefined;
};

/** How a field was made, and the view that it was read from. */
export type ViewedField = FieldProvenance & { readonly view: RecordView };

/** What a live explanation needs. */
export type LiveDeps = {
  readonly compiled: CompiledResource;
  readonly masked: ReturnType<typeof compileMasked>;
  /** Whether values of records may be displayed, in addresses too. */
  readonly showValues: boolean;
  /** Aborts when the command is to end. */
  readonly stop: AbortSignal;
};

function firstIdOf(answer: SourceAnswer | GatewayError): string | undefined {
  if (answer instanceof Error || !answer.found) return undefined;
  const { data } = JSON.parse(answer.body.toString()) as { data: { id: string } | readonly { id: string }[] };
  return [data].flat()[0]?.id;
}

async function answerWithin(
  answer: AnswerQuery,
  { deadline: deadlineMs }: CompiledResource['config'],
  query: Query,
  stop: AbortSignal,
): Promise<SourceAnswer | GatewayError> {
  const deadline = AbortSignal.timeout(deadlineMs);
  try {
    return await answer(query, AbortSignal.any([stop, deadline]));
  } catch (error) {
    if (deadline.aborted) return fault('upstream_timeout', { detail: `deadline of ${deadlineMs} ms spent` });
    return toGatewayError(error);
  }
}

type Explained = { readonly view: RecordView; readonly explainer: ReplyExplainer | undefined };

/** How the record with an id was made from the replies of one view. */
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

/** How a record was made: from its row, and from its details if they were requested. */
function findRecord(
  explained: readonly Explained[],
  calls: readonly SessionCall[],
  { views }: PairedAdapter,
  id: string | undefined,
): readonly ViewedField[] | undefined {
  if (id === undefined) return undefined;
  const replies = calls.flatMap(({ reply }) => reply ?? []);
  const found = explained.flatMap((one) => {
    const own = replies.filter((reply) => views.get(reply) === one.view);
    const fields = findFields(one, own, id) ?? [];
    return one.view === 'details' ? fields.filter(({ field }) => field !== 'id') : fields;
  });
  return found.length === 0 ? undefined : found;
}

const HIDDEN_REQUEST: UpstreamRequest = { method: 'GET', target: MASK, headers: {}, body: undefined };

/** The place of the outcome rule with a number, from 0. */
function outcomeAt(rule: number | undefined, { spec, yaml }: CompiledResource['source']) {
  if (rule === undefined) return null;
  const { file, line } = yaml.problemAt(['outcomes', rule], '');
  return { is: spec.outcomes[rule]?.is ?? '', file, line };
}

function displayCall(
  call: SessionCall,
  explained: readonly Explained[],
  { counterparts, rows, views }: PairedAdapter,
  { compiled, masked }: LiveDeps,
): DisplayedLiveCall {
  const { request, reply, ms, problem: { code, detail } = {} } = call;
  const view = (reply && views.get(reply)) ?? explained[0]?.view;
  const explainer = explained.find((one) => one.view === view)?.explainer;
  const shown = counterparts.get(request) ?? { ...HIDDEN_REQUEST, method: request.method };
  const { method, url } = callToDisplay(masked.spec, shown);
  const received = reply && rows.get(reply);
  return {
    ...{ method, url, ms: Math.round(ms * 10) / 10 },
    ...(reply && { status: reply.status, outcome: outcomeAt(explainer?.rule(reply), compiled.source) }),
    ...(received !== undefined && { rows: received }),
    ...(code !== undefined && { problem: detail === undefined ? code : `${code}: ${detail}` }),
  };
}

/** Answers a query from the live source, as the gateway would on a cache miss, with the log of its calls. */
export async function explainLive(query: Query, deps: LiveDeps): Promise<LiveResult> {
  const { compiled, masked, showValues, stop } = deps;
  const { spec } = compiled.source;
  const paired = pairRequests(compiled.adapter, masked.adapter, showValues ? {} : withoutValues);
  const session = openSession(spec, { keepsReplies: true });
  const missingValues = new Map<string, number>();
  const contradicted: string[] = [];
  const answerQuery = createAnswerQuery(compiled, {
    session,
    adapter: paired.adapter,
    onMissingField: (field, reason) =>
      missingValues.set(`${field} ${reason}`, (missingValues.get(`${field} ${reason}`) ?? 0) + 1),
    onContradicted: (capability) => contradicted.push(capability),
  });
  try {
    const answer = await answerWithin(answerQuery, compiled.config, query, stop);
    const views: readonly RecordView[] = query.kind === 'list' ? ['list', 'details'] : ['get'];
    const explained = views.map((view) => ({
      view,
      explainer: explainReplies(spec, compiled.resource, view),
    }));
    const calls = session.calls.map((call) => displayCall(call, explained, paired, deps));
    const record = findRecord(explained, session.calls, paired, firstIdOf(answer));
    return { calls, answer, contradicted, missingValues, record };
  } finally {
    session.close();
  }
}
