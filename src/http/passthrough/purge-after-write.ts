import type { Logger } from 'pino';
import type { PassthroughConfig } from '../../config/schema/passthrough.ts';
import type { Purges } from '../../store/cache/purges.ts';

/** Purges what a route's writes change, once the upstream has answered a write with this status. */
export type PurgeAfterWrite = (status: number) => Promise<void> | undefined;

type PurgingDeps = {
  readonly purges: Pick<Purges, 'purge' | 'forgetHere'>;
  readonly log: Pick<Logger, 'warn'>;
};

/** Compiles what the writes of a route purge; `undefined` if the route names nothing. */
export function compilePurge(
  { name, purges: resources }: PassthroughConfig,
  { purges, log }: PurgingDeps,
): PurgeAfterWrite | undefined {
  if (resources.length === 0) return undefined;
  async function purge(): Promise<void> {
    try {
      await Promise.all(resources.map((resource) => purges.purge(resource)));
    } catch (err) {
      // The other processes keep what they have until it is no longer fresh.
      purges.forgetHere();
      log.warn({ err, route: name, resources }, 'what a write has changed could not be purged');
    }
  }
  return (status) => (status >= 200 && status < 300 ? purge() : undefined);
}
