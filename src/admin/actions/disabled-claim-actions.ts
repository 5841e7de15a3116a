import type { DisabledClaims } from '../../store/disabled-claims.ts';
import { type ActionHandlers, refuseIfRedisFails } from './act.ts';

/** Creates the actions on claims that replies have contradicted. */
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
