import type { RateWindow } from '../../kernel/duration.ts';

/** The Redis keys of everything that Portico stores. All keys are built here and nowhere else. */
export type RedisKeys = Readonly<ReturnType<typeof createRedisKeys>>;

/**
 * The word in the keys of rate limit counts. It also names their format: `limit` is format 1. Another format needs another
 * word, so that no version of Portico reads counts that it does not understand.
 */
const COUNTS = 'limit';

/**
 * Builds the keys with `prefix`. The hash tag of a caller's counts is the caller, and the hash tag of the parts of an answer
 * or scan is that answer or scan, so each stays in one slot of a cluster. If the points or length of a window change, the
 * counts start anew.
 */
export function createRedisKeys(prefix: string) {
  return {
    /** The record of an API key (JSON). */
    apiKey: (id: string) => `${prefix}api-key:${id}`,
    /** Notes for a day that the record of an API key was deleted. */
    deletedApiKey: (id: string) => `${prefix}api-key:${id}:deleted`,
    /** The ids of all API keys (set). */
    apiKeyIndex: `${prefix}api-keys`,
    /** When each API key was last used (hash: id to ms). */
    apiKeyUses: `${prefix}api-keys-used`,
    /** The lines of the audit (list). */
    audit: `${prefix}audit`,
    /** The used points of a caller in a tier's windows (hash). */
    tierCounts: (tier: string, windows: readonly RateWindow[], subject: string) =>
      `${prefix}${COUNTS}:{${subject}}:${tier}:${windows.map(({ points, seconds }) => `${points}per${seconds}s`).join(',')}`,
    /** A part of a cached answer; `answer` identifies it and is safe in a key. */
    cache: (answer: string, part: string) => `${prefix}cache:{${answer}}:${part}`,
    /** The purges: their epoch and number (hash), and the tags by number (sorted set). */
    purges: (part: string) => `${prefix}{purges}:${part}`,
    /** A part of the data of migrations: states, acknowledgements, comparison counts, calls by caller, the channel of changes. */
    migration: (part: string) => `${prefix}{migration}:${part}`,
    /** The traces of one kind of requests in an hour; `hour` is its number since the epoch (list). */
    requests: (kind: string, hour: number) => `${prefix}{requests}:${kind}:${hour}`,
    /** A part of the caches of one scan; `scan` identifies it and is safe in a key. */
    scanCache: (scan: string, part: string) => `${prefix}snapshot:{${scan}}:${part}`,
    // The 1 or 2 in the following keys is the version of their layout; a process does not read another layout.
    /** The figures of all gateways in a minute, by its number since the epoch (hash: gateway to packed figures). */
    figures: (minute: number) => `${prefix}{figures}:1:${minute}`,
    /** The state that each gateway wrote in a minute (hash: gateway to packed text). */
    gatewayStates: (minute: number) => `${prefix}{figures}:state:1:${minute}`,
    // The key begins like that of the figures, so that the Redis user needs no further rights.
    /** The incidents that gateways saw in a minute (hash: gateway to packed text), or the merged ones of the fleet (JSON). */
    incidents: (minute: number | 'known') => `${prefix}{figures}:incidents:2:${minute}`,
  };
}
