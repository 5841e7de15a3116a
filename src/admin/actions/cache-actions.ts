// The action that purges the cache, for the console, a running gateway and `portico cache purge`.

import type { Contract } from '../../contract/resource.ts';
import { EVERYTHING, type HeldCount, type Purges } from '../../store/cache/purges.ts';
import { ActionRefusal } from '../api/action.ts';
import { type ActionHandlers, refuseIfRedisFails } from './act.ts';

/**
 * What the action that purges the cache needs. `portico cache` without `--gateway` works on Redis itself. It gives no
 * `countHeld`, because it cannot see the memory of processes.
 */
export type CacheActionsDeps = {
  readonly purges: Pick<Purges, 'purge'>;
  readonly contract: () => Contract;
  /** Counts the entries with a tag, before they are purged. Absent: nothing is counted here. */
  readonly countHeld?: ((tag: string) => HeldCount) | undefined;
};

/**
 * The stored form of a tag: `user_42`, the id of the API, and `user:42` become `users:42`; `undefined` for a tag that no
 * answer can have.
 */
export function storedTag(tag: string, { resources }: Contract): string | undefined {
  const all = [...resources.values()];
  if (tag === EVERYTHING || all.some(({ name }) => tag === name || tag.startsWith(`${name}:`))) return tag;
  const start = tag.replace(':', '_');
  const named = all.find(({ idStart }) => idStart !== '' && start.startsWith(idStart));
  return named && `${named.name}:${tag.slice(named.idStart.length)}`;
}

/** A tag that no answer can have is a typing mistake, and its purge would remove nothing. */
function unknownTag(tag: string, { resources }: Contract): ActionRefusal {
  const tags = [...resources.keys()].flatMap((name) => [name, `${name}:<id>`]);
  return new ActionRefusal('bad_input', `no answer has the tag ${tag}`, `tags: ${tags.join(', ')}, *`);
}

/** Creates the action that purges the cache. */
export function createCacheActions({ purges, contract, countHeld }: CacheActionsDeps): ActionHandlers {
  return {
    async 'cache.purge'({ tag: text }, { note, held }) {
      note({ target: text });
      const tag = storedTag(text, contract());
      if (tag === undefined) throw unknownTag(text, contract());
      note({ target: tag });
      const reached = held ?? countHeld?.(tag);
      await refuseIfRedisFails('cache', () => purges.purge(tag));
      if (reached === undefined) return { purged: tag };
      note({ target: tag, after: { reached } });
      return { purged: tag, reached };
    },
  };
}
