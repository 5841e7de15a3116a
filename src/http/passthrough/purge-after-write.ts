// Purges what a passed-through write has changed, so that callers of the contract do not read old answers.

import type { Logger } from 'pino';
import type { PassthroughConfig } from '../../config/schema/passthrough.ts';
import type { Purges } from '../../store/cache/purges.ts';

/** Purges the resources that a write has changed, if `status` says that it succeeded; else `undefined`. */
export type PurgeAfterWrite = (status: number) => Promise<void> | undefined;

type PurgingDeps = {
  readonly purges: Pick<Purges, 'purge' | 'forgetHere'>;
  readonly log: Pick<Logger, 'warn'>;
};

/** Compiles the purge after writes of a route, so that callers read what they wrote; `undefined` if `purges` is empty. */
export function compilePurge(
  { name, purges: resources }: PassthroughConfig,
  { purges, log }: PurgingDeps,
): PurgeAfterWrite | undefined {
  if (resources.length === 0) return undefined;
  async function purge(): Promise<void> {
    try {
      await Promise.all(resources.map((resource) => purges.purge(resource)));
    } catch (err) {
      // Redis failed, so only this process forgets the answers. Other processes serve theirs until they are no longer fresh.
      purges.forgetHere();
      log.warn({ err, route: name, resources }, 'what a write has changed could not be purged');
    }
  }
  return (status) => (status >= 200 && status < 300 ? purge() : undefined);
}
