import { resources } from '../reference.ts';
import { fault } from '../../../src/kernel/errors/fault.ts';
import type { NewSourceCall } from '../../../src/migration/counts/migration-counts.ts';
import { createLocalBreaker } from '../../../src/migration/routing/local-breaker.ts';
import type { AbortableCall } from '../../../src/migration/routing/abortable-call.ts';
import { createOriginStage } from '../../../src/migration/routing/origin-stage.ts';
import type { MigrationState } from '../../../src/migration/state/migration-state.ts';
import type { Call, Principal, CallAnswer } from '../../../src/pipeline/stages/call.ts';
import { createCall } from '../pipeline/call.ts';
import { migrationConfig, migrationState } from './migration-facts.ts';

type Answer = CallAnswer | Promise<CallAnswer>;

/** An answer of a source, which says who has made it. */
export const replyOf = (text: string, cache: CallAnswer['cache'] = 'miss'): CallAnswer => ({
  ...{ body: Buffer.from(text), etag: '"1"', storedAt: 0, freshSeconds: 1, cache },
});

export const failing = (code: Parameters<typeof fault>[0]) => () => Promise.reject(fault(code));

/** A caller. */
export const callerOf = (id: string, permissions: readonly string[] = []): Principal => ({
  ...{ kind: 'key', id, subject: `key:${id}`, permissions: new Set(permissions), tier: 'standard' },
});

/** The stage that chooses the source of `users.get`, over two sources that answer as a test says. */
export function openOriginStage(declared: object = {}) {
  let state: MigrationState | undefined = migrationState();
  const answers: Record<'legacy' | 'new' | 'complete', (call: Call) => Answer> = {
    legacy: () => replyOf('legacy'),
    new: () => Promise.resolve(replyOf('new')),
    complete: () => replyOf('complete'),
  };
  const attempts = new Set<AbortableCall>();
  const generations: number[] = [];
  const served: Omit<NewSourceCall, 'resource' | 'operation'>[] = [];
  const counted: string[] = [];
  const config = migrationConfig(declared);
  const stage = createOriginStage(
    {
      legacy: (call) => answers.legacy(call),
      complete: (call) => answers.complete(call),
      new(generation) {
        generations.push(generation);
        return { attempts, handler: (call) => answers.new(call) };
      },
      uncached: (origin) => (call) => answers[origin](call),
    },
    {
      ...config,
      ...{ resource: 'users', contract: resources.users, operation: 'users.get', attemptMs: () => 20 },
      states: { current: () => state },
      initial: migrationState({ rev: 0, stage: 'legacy' }),
      monotonic: () => 0,
      breaker: createLocalBreaker({ monotonic: () => 0, onChange: () => undefined }),
      onServed: (call) => void served.push(call),
      metrics: {
        migrationRequest: (_resource, operation, origin) => void counted.push(`${operation} ${origin}`),
        migrationFallback: (_resource, _operation, cause) => void counted.push(`fallback ${cause}`),
        migrationOverride: (_resource, origin) => void counted.push(`override ${origin}`),
      },
    },
  );
  return {
    ...{ answers, attempts, generations, served, counted },
    is: (changed: Partial<MigrationState> | undefined) =>
      (state = changed && migrationState({ rev: (state?.rev ?? 0) + 1, ...changed })),
    /** Who answers a call, or the code of the error; and what its trace says. */
    async ask(rest: Partial<Call> = {}) {
      const query: Call['query'] = { kind: 'get', resource: 'users', id: 'user_1' };
      const call = createCall({ operation: 'users.get', principal: callerOf('ana'), query, ...rest });
      const by = await Promise.resolve()
        .then(() => stage(call))
        .then(
          ({ body }) => body.toString(),
          (error: unknown) => (error as { code?: string }).code ?? (error as Error).message,
        );
      const { origin, fallback } = call.summary;
      return { by, origin, fallback };
    },
    stage,
  };
}
