import type { FallenClaims } from '../../store/fallen-claims.ts';
import type { ActionHandlers } from './act.ts';
import { onRedis } from './on-redis.ts';

/** Creates the actions on the claims that replies have contradicted. */
export function createClaimActions(claims: Pick<FallenClaims, 'list' | 'reset'>): ActionHandlers {
  return {
    claims: () => ({ fallen: claims.list() }),
    'claims.reset': async (selection) => ({ reset: await onRedis('cache', () => claims.reset(selection)) }),
  };
}
