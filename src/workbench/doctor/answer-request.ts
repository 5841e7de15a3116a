// Answers requests without a gateway, by the same code: for `doctor`, recorded cases and drafts of `infer`.

import type { Adapter } from '../../source/adapter/compile.ts';
import type { OnMissingValue } from '../../source/adapter/map/map-record.ts';
import { type ReplyObserver, UNOBSERVED } from '../../source/adapter/map/reply-observer.ts';
import { compileParser } from '../../contract/parse-query.ts';
import type { Query } from '../../contract/query.ts';
import {
  errorBody,
  fault,
  type GatewayError,
  publicStatus,
  toGatewayError,
} from '../../kernel/errors/fault.ts';
import { systemClock } from '../../kernel/clock.ts';
import { type Json, readJson } from '../../kernel/json/json.ts';
import type { CompiledSource } from '../../source/compile-sources.ts';
import type { SourceAnswer } from '../../pipeline/stages/call.ts';
import { createAnswer } from '../../pipeline/answer/answer-query.ts';
import { createLocalClaims } from '../../pipeline/reading/windows/source-runtime.ts';
import type { Operation } from '../../contract/resource.ts';
import { parseRequestTarget } from '../../http/listener/request-head.ts';
import { compileRoutes } from '../../http/listener/routes.ts';
import type { SourceSession } from './session/source-session.ts';

/** Answers queries of one resource through a session. @throws GatewayError, SessionBudgetSpent */
export type AnswerQuery = (query: Query, signal: AbortSignal) => Promise<SourceAnswer>;

/** What `createAnswerQuery` needs. */
export type AnswerQueryDeps = {
  readonly session: SourceSession;
  /** Used in place of the adapter of the source's file. */
  readonly adapter?: Adapter;
  /** Claims that the answers must not depend on. */
  readonly switchedOff?: Iterable<string>;
  readonly onMissingField?: OnMissingValue;
  /** Called with the records of each usable reply. */
  readonly onRecords?: ReplyObserver['onRecords'];
  /** Called with every claim that replies contradict; the answer is then made without it. */
  readonly onContradicted?: (capability: string) => void;
};

/** Answers queries as the gateway does on a cache miss, without credentials, limits and cache. */
export function createAnswerQuery(compiled: CompiledSource, deps: AnswerQueryDeps): AnswerQuery {
  const { session, adapter = compiled.adapter, switchedOff = [], onRecords } = deps;
  const { onMissingField: onMissingValue = () => undefined, onContradicted = () => undefined } = deps;
  const answer = createAnswer(
    {
      resource: compiled.resource,
      adapter,
      upstream: session.upstream,
      budget: compiled.source.spec.budget,
      clock: systemClock,
      claims: createLocalClaims(switchedOff),
      observer: {
        ...UNOBSERVED,
        onMissingValue: (...gap) => gap[1] !== 'absent' && onMissingValue(...gap),
        onRecords,
        contradicted: onContradicted,
      },
    },
    { fresh: 1 },
  );
  return (query, signal) => answer({ query, usage: { upstreamCalls: 0, upstreamMs: 0 }, signal });
}

/** What a client is answered; `error` is the reason of an answer other than 200. */
export type Answer = {
  readonly status: number;
  readonly body: Json;
  readonly error: GatewayError | undefined;
};

/** Why there is no answer, as the log says it: the code, and its detail or, for an unexpected error, its cause. */
export function reasonText({ code, detail, cause }: GatewayError): string {
  const reason = detail ?? (code === 'server_error' ? String(cause) : undefined);
  return reason === undefined ? code : `${code}: ${reason}`;
}

/** What `answerRequest` needs. */
export type AnswerRequestDeps = Omit<AnswerQueryDeps, 'adapter'> & {
  /** The resources of one source. */
  readonly sources: readonly CompiledSource[];
  readonly adapterOf?: (compiled: CompiledSource) => Adapter;
  readonly signal: AbortSignal;
};

/**
 * Finds the operation that a client reaches with a target such as `/v1/users?page=2`; `undefined` if the gateway answers 404.
 * `rawId` is the id as it stands in the path, percent-encoded.
 */
export function findOperation(target: string, operations: readonly Operation[]) {
  const findRoute = compileRoutes(
    operations.map((operation) => ({ path: operation.path, target: operation })),
  );
  const parts = parseRequestTarget(target);
  const match = parts && findRoute(parts.path);
  return match && { operation: match.target, rawQuery: parts.query, rawId: match.rawId };
}

const REQUEST_ID = 'req_fixture';

/** The query of a request such as `GET /v1/users/user_7`, and the compiled source of its resource. @throws GatewayError */
export function parseRequest(request: string, sources: readonly CompiledSource[]) {
  const operations = sources.flatMap(({ resource }) => resource.operations);
  const match = findOperation(request.replace(/^GET /, ''), operations);
  if (match === undefined) throw fault('not_found', { detail: 'no operation of the source has this path' });
  const { operation, rawQuery, rawId } = match;
  const compiled = sources.find(({ resource }) => resource === operation.resource);
  if (compiled === undefined) throw fault('not_found', { detail: 'the source does not have this resource' });
  return { compiled, query: compileParser(operation, { limitOverflow: 'reject' })(rawQuery, rawId) };
}

async function makeBody(request: string, deps: AnswerRequestDeps): Promise<string> {
  const { compiled, query } = parseRequest(request, deps.sources);
  const adapter = deps.adapterOf?.(compiled) ?? compiled.adapter;
  const document = await createAnswerQuery(compiled, { ...deps, adapter })(query, deps.signal);
  if (!document.found) throw fault('not_found');
  return document.body.toString();
}

/** Answers a request as the gateway does, but without credentials, limits and cache. */
export async function answerRequest(request: string, deps: AnswerRequestDeps): Promise<Answer> {
  try {
    return { status: 200, body: readJson(await makeBody(request, deps)), error: undefined };
  } catch (thrown) {
    const error = toGatewayError(thrown);
    return {
      status: publicStatus(error, 'precise'),
      body: readJson(errorBody(error, REQUEST_ID)),
      error,
    };
  }
}
