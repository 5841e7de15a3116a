import type { Fixture } from '../config/fixture-schema.ts';
import type { GatewayError } from '../errors/fault.ts';
import type { UpstreamRequest } from '../kernel/upstream.ts';
import type { CompiledSource } from '../pipeline/compile-sources.ts';
import { type Answer, answerRequest } from './answer-request.ts';
import { type Difference, differences } from './compare-json.ts';
import { MASK } from './mask-source.ts';
import { maskRequests } from './masked-requests.ts';
import { createReplay } from './replay.ts';

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

/** Whether a case was recorded with what its source fills in from the environment masked. */
function isMasked({ upstream }: Fixture): boolean {
  return upstream.some(({ request }) => `${request.target}${request.body ?? ''}`.includes(MASK));
}

/**
 * Replays a case through the adapter, planner and pipeline of a source; only the network is missing. `sources` are
 * the resources of one source.
 */
export async function replayFixture(fixture: Fixture, sources: readonly CompiledSource[]): Promise<Outcome> {
  let shown: (request: UpstreamRequest) => UpstreamRequest | undefined = () => undefined;
  const replay = createReplay(fixture.upstream, { shown: (request) => shown(request) });
  const contradicted: string[] = [];
  const answer = await answerRequest(fixture.request, {
    sources,
    upstreamOf(compiled) {
      if (!isMasked(fixture)) return { upstream: replay.upstream, adapter: compiled.adapter };
      const masked = maskRequests(compiled);
      shown = (request) => masked.shown.get(request);
      return { upstream: replay.upstream, adapter: masked.adapter };
    },
    onContradicted: (capability) => void contradicted.push(capability),
    signal: new AbortController().signal,
  });
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
