import type { Fixture } from '../config/fixture-schema.ts';
import { operations } from '../contract/operations.ts';
import { compileParser } from '../contract/parse-query.ts';
import { errorBody, publicStatus } from '../errors/body.ts';
import { fault, type GatewayError, toGatewayError } from '../errors/fault.ts';
import { systemClock } from '../kernel/clock.ts';
import { type Json, readJson } from '../kernel/json.ts';
import { createAnswer } from '../pipeline/answer.ts';
import type { CompiledSource } from '../pipeline/compile-sources.ts';
import { type Difference, differences } from './compare-json.ts';
import { ownCall } from './own-call.ts';
import { createReplay, type Replay } from './replay.ts';

/** What became of a case. It passed where the source was asked just what was recorded and nothing differs. */
export type Outcome = {
  readonly passed: boolean;
  /** Requests to the source that the case does not have. */
  readonly unexpected: readonly string[];
  /** Requests of the case that were not made. */
  readonly unasked: readonly string[];
  readonly differences: readonly Difference[];
  /** Claims of the source file that the recorded replies contradict. */
  readonly contradicted: readonly string[];
  /** Why the answer is an error, as the log would say it. */
  readonly reason: string | undefined;
};

type Answer = { readonly status: number; readonly body: Json; readonly error: GatewayError | undefined };

const REQUEST_ID = 'req_fixture';

/** The operation, raw query and raw id of a request such as `GET /v1/users/user_7`. */
function route(request: string) {
  const [path = '', ...query] = request.replace(/^GET /, '').split('?');
  for (const operation of operations) {
    const pattern = new RegExp(`^${operation.path.replace(':id', '([^/]+)')}$`);
    const match = pattern.exec(path);
    if (match !== null) return { operation, rawQuery: query.join('?'), rawId: match[1] };
  }
  throw fault('not_found');
}

/** The body of an answer, made as the gateway makes it but without credentials, limits and cache. */
async function makeBody(
  { request }: Fixture,
  sources: readonly CompiledSource[],
  replay: Replay,
  contradicted: string[],
): Promise<string> {
  const { operation, rawQuery, rawId } = route(request);
  const compiled = sources.find(({ resource }) => resource === operation.resource);
  if (compiled === undefined) throw fault('not_found', { detail: 'the source does not have this resource' });
  const answer = createAnswer(
    {
      ...compiled,
      upstream: replay.upstream,
      budget: compiled.source.spec.budget,
      clock: systemClock,
      switchedOff: new Set(),
      observer: {
        fieldGap: () => undefined,
        contradicted: (capability) => void contradicted.push(capability),
      },
    },
    { fresh: 1, notFound: 1 },
  );
  const query = compileParser(operation, { limitOverflow: 'reject' })(rawQuery, rawId);
  const { signal } = new AbortController();
  const document = await answer(ownCall(query, REQUEST_ID, signal), signal);
  if (!document.found) throw fault('not_found');
  return document.body;
}

async function answerOf(make: Promise<string>): Promise<Answer> {
  try {
    return { status: 200, body: readJson(await make), error: undefined };
  } catch (thrown) {
    const error = toGatewayError(thrown);
    return {
      status: publicStatus(error, 'precise'),
      body: readJson(errorBody(error, REQUEST_ID)),
      error,
    };
  }
}

function compare({ status, expected }: Fixture, answer: Answer): readonly Difference[] {
  if ('error' in expected) {
    const actual = { status: answer.status, error: answer.error?.code ?? null };
    return differences({ status, error: expected.error }, actual);
  }
  return differences({ status, body: expected.body }, { status: answer.status, body: answer.body });
}

function reasonOf(error: GatewayError | undefined): string | undefined {
  if (error === undefined) return undefined;
  const cause = error.code === 'server_error' ? String(error.cause) : undefined;
  return [error.code, error.detail ?? cause].filter((part) => part !== undefined).join(': ');
}

/**
 * Replays a case through the adapter, planner and pipeline of a source; only the network is missing. `sources` are
 * the resources of one source.
 */
export async function replayFixture(fixture: Fixture, sources: readonly CompiledSource[]): Promise<Outcome> {
  const replay = createReplay(fixture.upstream);
  const contradicted: string[] = [];
  const answer = await answerOf(makeBody(fixture, sources, replay, contradicted));
  const { unexpected } = replay;
  const unasked = replay.unasked();
  const different = compare(fixture, answer);
  return {
    passed: unexpected.length + unasked.length + different.length === 0,
    unexpected,
    unasked,
    differences: different,
    contradicted,
    reason: reasonOf(answer.error),
  };
}
