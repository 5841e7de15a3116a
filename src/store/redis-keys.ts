/** The names of everything Portico keeps in Redis; every key is spelled here and nowhere else. */
export type RedisKeys = {
  /** The record of an API key (JSON). */
  apiKey(id: string): string;
  /** The ids of all API keys (set). */
  readonly apiKeyIndex: string;
  /** One window of a tier, counted for one caller. */
  tierWindow(tier: string, window: { points: number; seconds: number }, subject: string): string;
  /** The wrong credentials that an address has tried. */
  failedCredentials(seconds: number, subject: string): string;
  /** A finished answer; `key` is the cache's own canonical key. */
  cache(key: string): string;
  /** A part of the snapshots of one scan; `scan` names it and is safe in a key. */
  snapshot(scan: string, part: string): string;
};

/**
 * Spells the keys under `prefix`. What is counted for one caller carries that caller as the hash tag, so that in a
 * cluster all windows of a caller live in one slot; so do the snapshots of one scan. A window whose points or length
 * change is a new window.
 */
export function createRedisKeys(prefix: string): RedisKeys {
  return {
    apiKey: (id) => `${prefix}api-key:${id}`,
    apiKeyIndex: `${prefix}api-keys`,
    tierWindow: (tier, { points, seconds }, subject) =>
      `${prefix}limit:{${subject}}:${tier}:${points}per${seconds}s`,
    failedCredentials: (seconds, subject) => `${prefix}failed:{${subject}}:${seconds}s`,
    cache: (key) => `${prefix}cache:${key}`,
    snapshot: (scan, part) => `${prefix}snapshot:{${scan}}:${part}`,
  };
}
