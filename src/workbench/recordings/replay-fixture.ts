// Replays a recorded case without a network, for `portico test` and `portico check`, and compares the answer with the
// recorded one.

import type { Fixture } from '../../config/fixture/fixture-schema.ts';
import { changeSpec } from '../../source/checks/evidence/spec-change.ts';
import type { CompiledSource } from '../../source/compile-sources.ts';
import { type Answer, answerRequest, reasonText } from '../doctor/answer-request.ts';
import { type Difference, differences } from '../doctor/session/compare-json.ts';
import { MASK } from '../../kernel/secret.ts';
import { compileValid, pairWithMasked } from '../doctor/session/masked-source.ts';
import type { Counterparts } from '../doctor/session/pair-requests.ts';
import { createReplay } from '../doctor/session/replay.ts';
import { createSession } from '../doctor/session/source-session.ts';

/** The result of replaying a case. It passed if exactly the recorded requests were made and the answer does not differ. */
export type ReplayOutcome = {
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

/** Whether a case was recorded with what its source fills in from the environment masked. */
function isMasked({ upstream }: Fixture): boolean {
  return upstream.some(({ request }) => `${request.target}${request.body ?? ''}`.includes(MASK));
}

/** The source with links that may name any origin: a case may have been recorded at another one than the file names now. */
function atAnyOrigin(compiled: CompiledSource): CompiledSource {
  const { source, resource } = compiled;
  if (source.spec.resources[resource.name]?.list.window.kind !== 'link') return compiled;
  const at = ['resources', resource.name, 'list', 'window', 'origin'];
  const spec = changeSpec(source.spec, [{ at, value: 'any' }]);
  return { resource, source: { ...source, spec }, adapter: compileValid(spec, resource) };
}

/**
 * Replays a case through the adapter, planner and pipeline of a source; only the network is missing. `sources` are
 * the resources of one source.
 */
export async function replayFixture(
  fixture: Fixture,
  sources: readonly CompiledSource[],
): Promise<ReplayOutcome> {
  let toDisplay: Counterparts | undefined;
  const replay = createReplay(fixture.upstream, { counterpart: (request) => toDisplay?.get(request) });
  const contradicted: string[] = [];
  const answer = await answerRequest(fixture.request, {
    sources,
    session: createSession(replay.upstream),
    adapterOf(compiled) {
      const replayed = atAnyOrigin(compiled);
      if (!isMasked(fixture)) return replayed.adapter;
      const masked = pairWithMasked(replayed);
      toDisplay = masked.counterparts;
      return masked.adapter;
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
    reason: answer.error && reasonText(answer.error),
  };
}
