// Does the work of an action on the API keys in Redis, and explains to the operator why it failed: all actions on keys use
// it.

import { refuseIfRedisFails } from '../act.ts';
import { KeyChangeError } from '../../../pipeline/stages/authentication/key-changes.ts';
import type { KeyStore } from '../../../store/key-store.ts';
import type { KeyLastUsed } from '../../../store/key-last-used.ts';
import type { Replication } from '../../../store/redis/await-replica.ts';
import { ActionRefusal } from '../../api/action.ts';

/** What actions on keys work on: the keys in Redis, the times of their last use, and a wait for replication. */
export type KeysStores = {
  readonly store: KeyStore;
  readonly uses: KeyLastUsed;
  /** Waits until a replica has the change, at most a second. */
  readonly confirm: () => Promise<Replication>;
};

/** Deletes a key and the time of its last use. Rejects if Redis fails. */
export async function forgetKey({ store, uses }: KeysStores, id: string): Promise<void> {
  await store.delete(id);
  await uses.forget(id);
}

/** When keys were last used, in ms since the epoch; nothing if it cannot be read, because a change does not depend on it. */
export function readLastUsed({ uses }: KeysStores, ids: readonly string[]) {
  return uses.read(ids).catch((): ReadonlyMap<string, number> => new Map());
}

/** Does some work on the keys in Redis. @throws ActionRefusal */
export type OnKeys = <T>(work: (stores: KeysStores) => Promise<T>) => Promise<T>;

const CODES = { absent: 'not_found', damaged: 'failed', conflict: 'conflict' } as const;

/** Makes the function that does some work on the keys, and that explains failures to operators. */
export function compileOnKeys(stores: KeysStores | undefined): OnKeys {
  return function onKeys(work) {
    if (stores === undefined)
      throw new ActionRefusal(
        'conflict',
        'the configuration has no redis.url, cluster or sentinel for its keys',
        'make keys for the embedded mode with portico keys create --print',
      );
    return refuseIfRedisFails('keys', async () => {
      try {
        return await work(stores);
      } catch (error) {
        if (!(error instanceof KeyChangeError)) throw error;
        throw new ActionRefusal(CODES[error.kind], error.message, 'portico keys list shows all keys');
      }
    });
  };
}
