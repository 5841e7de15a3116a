import type { Redis } from 'ioredis';
import { appendLine, restoreLines } from '../redis/scripts/record-scripts.ts';

/** The store of the audit's lines. It keeps the latest 10,000 in Redis, or the latest 1,000 in a process without Redis. */
export type AuditStore = {
  /** Appends the line that `next` makes from the last line (empty: there is none), and returns it. Rejects if Redis fails. */
  append(next: (last: string) => string): Promise<string>;
  /** All kept lines, the oldest first. Rejects if Redis fails. */
  lines(): Promise<readonly string[]>;
  /** Puts lines of a backup back, if the store is empty. False if it is not empty. Rejects if Redis fails. */
  restore(lines: readonly string[]): Promise<boolean>;
};

/** Lines that Redis keeps: about 3 MB, and 40 MB at most. */
const LINES_MAX = 10_000;
/** Lines that a process without Redis keeps. */
const LOCAL_LINES_MAX = 1_000;
const CHUNK = 1_000;
/** How often other processes may append a line first before `append` fails. */
const ATTEMPTS_MAX = 50;

/** Creates the audit of all gateways on one Redis, as a list under `key`. */
export function createRedisAuditStore(client: Pick<Redis, 'eval' | 'lrange'>, key: string): AuditStore {
  /** The last line that this process knows; usually no other process has appended a line since. */
  let known = '';
  return {
    async append(next) {
      for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt += 1) {
        const line = next(known);
        const reply = await appendLine(client, [key], [known, line, LINES_MAX]);
        known = reply === 1 ? line : String(reply);
        if (reply === 1) return line;
      }
      throw new Error('other processes write to the audit all the time');
    },
    async lines() {
      const found: string[] = [];
      for (;;) {
        const chunk = await client.lrange(key, found.length, found.length + CHUNK - 1);
        found.push(...chunk);
        if (chunk.length < CHUNK) return found;
      }
    },
    async restore(lines) {
      for (let from = 0; from < lines.length; from += CHUNK) {
        const chunk = lines.slice(from, from + CHUNK);
        if ((await restoreLines(client, [key], [from, ...chunk])) !== 1) return false;
      }
      return true;
    },
  };
}

/** Creates the audit of this process alone. */
export function createLocalAuditStore(): AuditStore {
  let kept: string[] = [];
  return {
    append(next) {
      const line = next(kept.at(-1) ?? '');
      kept = [...kept.slice(1 - LOCAL_LINES_MAX), line];
      return Promise.resolve(line);
    },
    lines: () => Promise.resolve(kept),
    restore(lines) {
      if (kept.length > 0) return Promise.resolve(false);
      kept = lines.slice(-LOCAL_LINES_MAX);
      return Promise.resolve(true);
    },
  };
}
