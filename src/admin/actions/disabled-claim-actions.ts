import type { DisabledClaims } from '../../store/disabled-claims.ts';
import type { ActionHandlers } from './act.ts';
import { refuseIfRedisFails } from './redis-refusal.ts';

/** Creates the actions on the claims that replies have contradicted. */
export function createClaimActions(claims: Pick<DisabledClaims, 'list' | 'reset'>) {
  return {
    claims: () => ({ disabled: claims.list() }),
    async 'claims.reset'({ source, claim }, { note }) {
      const target = [source ?? 'all', ...(claim === undefined ? [] : [claim])].join(' ');
      note({ target });
      const reset = await refuseIfRedisFails('cache', () => claims.reset({ source, claim }));
      note({ target, before: reset });
      return { reset };
    },
  } satisfies ActionHandlers;
}
