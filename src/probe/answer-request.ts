import { operations } from '../contract/operations.ts';
import { compileParser } from '../contract/parse-query.ts';
import { errorBody, publicStatus } from '../errors/body.ts';
import { fault, type GatewayError, toGatewayError } from '../errors/fault.ts';
import { systemClock } from '../kernel/clock.ts';
import { type Json, readJson } from '../kernel/json/json.ts';
import { createAnswer } from '../reading/run-plan.ts';
import type { CompiledSource } from '../pipeline/compile-sources.ts';
import type { Upstream } from '../upstream/client.ts';
import { ownCall } from './create-call.ts';

/** What a client is answered, with the error that an answer other than 200 is. */
export type Answer = {
  readonly status: number;
  readonly body: Json;
  readonly error: GatewayError | undefined;
};

/** What answers a request of the contract. */
export type AnswerDeps = {
  /** The resources of one source. */
  readonly sources: readonly CompiledSource[];
  /** The upstream that is asked for a resource. */
  readonly upstreamOf: (compiled: CompiledSource) => {
    upstream: Upstream;
    adapter: CompiledSource['adapter'];
  };
  /** Told of every claim that replies contradict. */
  readonly onContradicted: (capability: string) => void;
  readonly signal: AbortSignal;
};

const REQUEST_ID = 'req_fixture';

/** The operation, raw query and raw id of a request such as `GET /v1/users/user_7`. */
function route(request: string) {
  const [path = '', ...query] = request.replace(/^GET /, '').split('?');
  for (const operation of operations) {
    const pattern = new RegExp(`^${operation.path.replace(':id', '([^/]+)')}$`);
    const match = pattern.exec(path);
    if (match !== null) return { operation, rawQuery: query.join('?'), rawId: match[1] };
  }
  throw fault('not_found', { detail: 'no operation of the contract has this path' });
}

async function makeBody(request: string, deps: AnswerDeps): Promise<string> {
  const { operation, rawQuery, rawId } = route(request);
  const compiled = deps.sources.find(({ resource }) => resource === operation.resource);
  if (compiled === undefined) throw fault('not_found', { detail: 'the source does not have this resource' });
  const answer = createAnswer(
    {
      resource: compiled.resource,
      ...deps.upstreamOf(compiled),
      budget: compiled.source.spec.budget,
      clock: systemClock,
      switchedOff: new Set(),
      observer: { fieldGap: () => undefined, contradicted: deps.onContradicted },
    },
    { fresh: 1 },
  );
  const query = compileParser(operation, { limitOverflow: 'reject' })(rawQuery, rawId);
  const document = await answer(ownCall(query, REQUEST_ID, deps.signal), deps.signal);
  if (!document.found) throw fault('not_found');
  return document.body;
}

/** Answers a request as the gateway does, but without credentials, limits and cache. */
export async function answerRequest(request: string, deps: AnswerDeps): Promise<Answer> {
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
