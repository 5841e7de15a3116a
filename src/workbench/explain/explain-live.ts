// Answers one query from its live source and records how, for `explain --live`.

import { explainReplies, type ReplyExplainer } from '../../source/adapter/read/explain-reply.ts';
import type { RecordView } from '../../source/adapter/map/row-fields.ts';
import type { GatewayConfig } from '../../config/schema/gateway.ts';
import type { LoadedSource } from '../../config/schema/loaded-config.ts';
import type { SourceSpec } from '../../config/schema/source.ts';
import type { Query } from '../../contract/query.ts';
import { fault, type GatewayError, toGatewayError } from '../../kernel/errors/fault.ts';
import type { UpstreamReply, UpstreamRequest } from '../../kernel/upstream-call.ts';
import type { CompiledResource } from '../../source/compile-sources.ts';
import type { SourceAnswer } from '../../pipeline/stages/call.ts';
import { type AnswerQuery, createAnswerQuery } from '../doctor/answer-request.ts';
import { MASK } from '../../kernel/secret.ts';
import { callToDisplay, compileMasked } from '../doctor/session/masked-source.ts';
import { type PairedAdapter, pairRequests, withoutValues } from '../doctor/session/pair-requests.ts';
import { openSession, type SessionCall } from '../doctor/session/source-session.ts';
import {
  displayAnswer,
  type DisplayedLive,
  type DisplayedLiveCall,
  displayField,
  type ViewedField,
} from './display-live.ts';
import { type PlacedClaim, placedClaim } from './explain-plan.ts';

/** What a live explanation needs. */
export type LiveDeps = {
  readonly gateway: GatewayConfig;
  readonly compiled: CompiledResource;
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
function outcomeAt(rule: number | undefined, { spec, yaml }: LoadedSource) {
  if (rule === undefined) return null;
  const { file, line } = yaml.problemAt(['outcomes', rule], '');
  return { is: spec.outcomes[rule]?.is ?? '', file, line };
}

function displayCall(
  call: SessionCall,
  explained: readonly Explained[],
  { counterparts, rows, views }: PairedAdapter,
  masked: SourceSpec,
  source: LoadedSource,
): DisplayedLiveCall {
  const { request, reply, ms, problem: { code, detail } = {} } = call;
  const view = (reply && views.get(reply)) ?? explained[0]?.view;
  const explainer = explained.find((one) => one.view === view)?.explainer;
  const shown = counterparts.get(request) ?? { ...HIDDEN_REQUEST, method: request.method };
  const { method, url } = callToDisplay(masked, shown);
  const received = reply && rows.get(reply);
  return {
    ...{ method, url, ms: Math.round(ms * 10) / 10 },
    ...(reply && { status: reply.status, outcome: outcomeAt(explainer?.rule(reply), source) }),
    ...(received !== undefined && { rows: received }),
    ...(code !== undefined && { problem: detail === undefined ? code : `${code}: ${detail}` }),
  };
}

/** Answers a query from the live source, as the gateway would on a cache miss, with the log of its calls. */
export async function explainLive(query: Query, deps: LiveDeps): Promise<DisplayedLive> {
  const { compiled, gateway, showValues, stop } = deps;
  const { source, resource } = compiled;
  const masked = compileMasked(compiled);
  const paired = pairRequests(compiled.adapter, masked.adapter, showValues ? {} : withoutValues);
  const session = openSession(source.spec, { keepsReplies: true });
  const missingValues: Record<string, number> = {};
  const contradicted: PlacedClaim[] = [];
  const answerQuery = createAnswerQuery(compiled, {
    session,
    adapter: paired.adapter,
    onMissingField(field, reason) {
      const name = `${field} ${reason}`;
      missingValues[name] = (missingValues[name] ?? 0) + 1;
    },
    onContradicted: (claim) => contradicted.push(placedClaim(source, resource, claim)),
  });
  try {
    const answer = await answerWithin(answerQuery, compiled.config, query, stop);
    const views: readonly RecordView[] = query.kind === 'list' ? ['list', 'details'] : ['get'];
    const explained = views.map((view) => ({ view, explainer: explainReplies(source.spec, resource, view) }));
    const record = findRecord(explained, session.calls, paired, firstIdOf(answer));
    return {
      calls: session.calls.map((call) => displayCall(call, explained, paired, masked.spec, source)),
      answer: displayAnswer(answer, gateway),
      contradicted,
      missingValues,
      ...(record && { record: record.map((field) => displayField(field, deps)) }),
    };
  } finally {
    session.close();
  }
}
