// The action `explain` of the API for operators: explains a request by the configuration that a running gateway has in force.

import type { ActionHandlers } from '../../admin/actions/act.ts';
import { ActionRefusal } from '../../admin/api/action.ts';
import type { GatewayConfig } from '../../config/schema/gateway.ts';
import type { CompiledResource } from '../../source/compile-sources.ts';
import { explainWithLive, readExplanation } from './read-explanation.ts';

/** What the action `explain` of a running gateway needs. */
export type ExplainActionDeps = {
  /** The configuration in force. */
  readonly served: () => {
    readonly config: GatewayConfig;
    readonly compiled: readonly CompiledResource[];
    readonly rev: number;
    readonly digest: string;
  };
  /** Aborts when the gateway closes. */
  readonly closing: AbortSignal;
};

const HINT = 'write it like GET /v1/users?page=2, percent-encoded';

/** Creates the action that explains a request; `live` asks its source, for one operator at a time. */
export function createExplainActions({ served, closing }: ExplainActionDeps): ActionHandlers {
  let isAsking = false;

  /** Runs one live explanation at a time, because several at once could use up the budget of the source. */
  async function alone<T>(work: () => Promise<T>): Promise<T> {
    if (isAsking)
      throw new ActionRefusal('conflict', 'another live explanation is under way', 'ask again in a moment');
    isAsking = true;
    try {
      return await work();
    } finally {
      isAsking = false;
    }
  }

  return {
    async explain({ request, live = false }, { actor, note }) {
      const { config: gateway, compiled, rev, digest } = served();
      // The explanation names its configuration, because a reload may come before somebody reads the explanation.
      const inForce = { rev, digest };
      const read = readExplanation(request, { gateway, compiled });
      if (read.kind === 'refused') throw new ActionRefusal('bad_input', read.why, HINT);
      if (!live) return { ...read.explanation, inForce };
      // This refusal comes before the note, so only the log has it. Repeated attempts must not fill the audit.
      if (actor.role !== 'operator')
        throw new ActionRefusal(
          'forbidden',
          `"${actor.name}" has the role ${actor.role}, which may not ask a source`,
          'use a token with the role operator, or leave out live',
        );
      // The audit names only the operation, because the query may contain personal data.
      note({ target: `live ${read.explanation.operation}` });
      if (read.kind === 'passthrough')
        throw new ActionRefusal('bad_input', 'a pass-through route has no source to ask', 'leave out live');
      // A request with a mistake is never sent to a source.
      if (read.kind === 'mistake') return { ...read.explanation, inForce };
      const asking = { gateway, compiled: read.compiled, showValues: false, stop: closing };
      return { ...(await alone(() => explainWithLive(read.asked, asking))), inForce };
    },
  };
}
