// Compiles the state of a migration into the function that chooses the source of a call, for origin-stage.ts.

import type { MigrationConfig } from '../../config/schema/migration.ts';
import type { Origin } from '../../kernel/migration-origin.ts';
import type { Call } from '../../pipeline/stages/call.ts';
import { type MigrationState, positionOf } from '../state/migration-state.ts';
import { bucketsBelow, createBuckets, NO_BUCKET } from './bucket.ts';

/** The keys of a configuration that decide about a route. */
export type RouteSpec = Pick<MigrationConfig, 'bucketBy' | 'allow' | 'deny'> & {
  readonly resource: string;
  readonly operation: string;
};

/** Counts a call by its bucket, which is `NO_BUCKET` if no share can reach the call. */
export type CountCall = (bucket: number, call: Call) => void;

/** Compiles the function that finds the key from which a call gets its bucket. Without a key the legacy source answers. */
function compileKey(bucketBy: RouteSpec['bucketBy']): (call: Call) => string | undefined {
  switch (bucketBy) {
    case 'caller':
      // The subject of a caller without a credential is its address.
      return ({ principal }) => principal?.subject;
    case 'record':
      return ({ query }) => (query?.kind === 'get' ? query.id : undefined);
    case 'request':
      return ({ requestId }) => requestId;
  }
}

/** Compiles the route of one operation in one state: the stage, the generation, and the function that chooses the source. */
export function compileRoute(spec: RouteSpec, state: MigrationState, count?: CountCall) {
  const { stage, percent } = positionOf(state, spec.operation);
  const bucketOf = createBuckets({ salt: state.salt, resource: spec.resource });
  const keyOf = compileKey(spec.bucketBy);
  const [allowed, denied] = [new Set(spec.allow), new Set(spec.deny)];
  const below = bucketsBelow(percent);

  function inRamp(call: Call, bucket: number | undefined): Origin {
    const id = call.principal?.id ?? '';
    if (denied.has(id)) return 'legacy';
    return allowed.has(id) || (bucket !== undefined && bucket < below) ? 'new' : 'legacy';
  }

  /** Chooses the source of a call. It is called only in `shadow`, `ramp` and `live`. */
  function choose(call: Call): Origin {
    const key = keyOf(call);
    const bucket = key === undefined ? undefined : bucketOf(key);
    count?.(bucket ?? NO_BUCKET, call);
    if (stage === 'ramp') return inRamp(call, bucket);
    return stage === 'live' ? 'new' : 'legacy';
  }

  return { stage, generation: state.generation, choose };
}
