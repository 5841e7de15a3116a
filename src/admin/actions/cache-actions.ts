import type { Contract } from '../../contract/resource.ts';
import { EVERYTHING, type HeldCount, type Purges } from '../../store/cache/purges.ts';
import { ActionRefusal } from '../api/action.ts';
import { type ActionHandlers, refuseIfRedisFails } from './act.ts';

/**
 * `portico cache` without `--gateway` works on Redis itself. It gives no `countHeld`, because it cannot see the memory of
 * processes.
 */
export type CacheActionsDeps = {
  readonly purges: Pick<Purges, 'purge'>;
  /** The contract in force. */
  readonly contract: () => Contract;
  /** Counts the entries with a tag, before they are purged. Absent: nothing is counted here. */
  readonly countHeld?: ((tag: string) => HeldCount) | undefined;
};

/** The stored form of a tag: `user_42`, the id of the API, becomes `user:42`. */
export function tagOf(text: string): string {
  return text.replace('_', ':');
}

/** Refuses a tag that no answer can have: it is a typing mistake, and its purge would remove nothing. */
function refuseUnknownTag(tag: string, { resources }: Contract): void {
  const all = [...resources.values()];
  const isKnown = all.some(({ name, idPrefix }) => tag === name || tag.startsWith(`${idPrefix}:`));
  if (isKnown || tag === EVERYTHING) return;
  const tags = all.flatMap(({ name, idPrefix }) => [name, `${idPrefix}:<id>`]);
  throw new ActionRefusal('bad_input', `no answer has the tag ${tag}`, `tags: ${tags.join(', ')}, *`);
}

/** Creates the action that purges the cache. */
export function createCacheActions({ purges, contract, countHeld }: CacheActionsDeps): ActionHandlers {
  return {
    async 'cache.purge'({ tag: text }, { note, held }) {
      const tag = tagOf(text);
      note({ target: tag });
      refuseUnknownTag(tag, contract());
      const reached = held ?? countHeld?.(tag);
      await refuseIfRedisFails('cache', () => purges.purge(tag));
      if (reached === undefined) return { purged: tag };
      note({ target: tag, after: { reached } });
      return { purged: tag, reached };
    },
  };
}
