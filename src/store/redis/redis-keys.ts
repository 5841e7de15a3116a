import type { RateWindow } from '../../kernel/duration.ts';

/** The names of everything Portico keeps in Redis; every key is spelled here and nowhere else. */
export type RedisKeys = {
  /** The record of an API key (JSON). */
  apiKey(id: string): string;
  /** The ids of all API keys (set). */
  readonly apiKeyIndex: string;
  /** What a caller has used of a tier's windows (hash). */
  tierCounts(tier: string, windows: readonly RateWindow[], subject: string): string;
  /** A part of what is kept of a finished answer; `answer` names it and is safe in a key. */
  cache(answer: string, part: string): string;
  /** What was purged: its epoch and number (hash), and the tags by their numbers (sorted set). */
  purges(part: string): string;
  /** A part of the row sets of one scan; `scan` names it and is safe in a key. */
  rowSet(scan: string, part: string): string;
};

/**
 * Spells the keys under `prefix`. What is counted for one caller carries that caller as the hash tag, and the parts
 * of one answer or one scan carry that, so that each stays in one slot of a cluster. Windows whose points or lengths change are
 * counted anew.
 */
export function createRedisKeys(prefix: string): RedisKeys {
  return {
    apiKey: (id) => `${prefix}api-key:${id}`,
    apiKeyIndex: `${prefix}api-keys`,
    tierCounts: (tier, windows, subject) =>
      `${prefix}limit:{${subject}}:${tier}:${windows.map(({ points, seconds }) => `${points}per${seconds}s`).join(',')}`,
    cache: (answer, part) => `${prefix}cache:{${answer}}:${part}`,
    purges: (part) => `${prefix}{purges}:${part}`,
    rowSet: (scan, part) => `${prefix}snapshot:{${scan}}:${part}`,
  };
}
