import type { RateWindow } from '../../kernel/duration.ts';

/** The Redis keys of everything that Portico stores. All keys are built here and nowhere else. */
export type RedisKeys = Readonly<ReturnType<typeof createRedisKeys>>;

/**
 * The word of the counts of limits is also their format. `limit` is format 1; another format gets another word, so that no
 * version counts by what it does not understand.
 */
const COUNTS = 'limit';

/**
 * Builds the keys with `prefix`. A caller's counts have the caller as hash tag, the parts of one answer or scan have
 * that as hash tag, so each stays in one slot of a cluster. New points or lengths of windows start new counts.
 */
export function createRedisKeys(prefix: string) {
  return {
    /** The record of an API key (JSON). */
    apiKey: (id: string) => `${prefix}api-key:${id}`,
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
    /** A part of what is kept of migrations: states, acknowledgements, comparison counts, calls by digests of callers, the channel of changes. */
    migration: (part: string) => `${prefix}{migration}:${part}`,
    /** What is kept of the requests of one kind that came in an hour, counted from the epoch (list). */
    requests: (kind: string, hour: number) => `${prefix}{requests}:${kind}:${hour}`,
    /** A part of the caches of one scan; `scan` identifies it and is safe in a key. */
    scanCache: (scan: string, part: string) => `${prefix}snapshot:{${scan}}:${part}`,
    // The number of the layout: another one is not read.
    /** The figures of all gateways in a minute, by its number since the epoch (hash: gateway to packed figures). */
    figures: (minute: number) => `${prefix}{figures}:1:${minute}`,
    /** What each gateway says of itself in a minute (hash: gateway to packed text). */
    gatewayStates: (minute: number) => `${prefix}{figures}:state:1:${minute}`,
    // Beside the figures, so that the user of this Redis needs no more rights than it has.
    /** What the gateways see of incidents in a minute (hash: gateway to JSON), or what the fleet knows (JSON). */
    incidents: (minute: number | 'known') => `${prefix}{figures}:incidents:2:${minute}`,
  };
}
