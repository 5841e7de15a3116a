import type { Redis } from 'ioredis';
import { type RedisRole, redisRoles } from '../../config/schema/redis.ts';
import { evictionNote } from './eviction.ts';
import { openConnection } from './connection.ts';
import type { RedisProfile } from './redis-profile.ts';

/** The part of the log that the connection uses. */
export type RedisLog = {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
};

/** A connection that reconnects by itself. Redis may be down at its creation and at any time later. */
export type RedisConnection = {
  /**
   * A single server, the master behind sentinels, or a cluster, in which all keys of one command, script or pipeline
   * must share a slot.
   */
  readonly client: Redis;
  /** Whether commands are accepted now; for a cluster, on every slot. */
  readonly isReady: () => boolean;
  /** Waits for the connection, at most `timeoutMs`. Returns whether it is ready. */
  untilReady(timeoutMs: number): Promise<boolean>;
  /** Closes the connection for good. */
  close(): Promise<void>;
};

/**
 * Copies an error of ioredis without its `command` property, which holds the arguments, credentials included. The copy
 * may be logged and may be a cause.
 */
export function plainRedisError(error: unknown): Error {
  const { message } = Object(error) as { message?: unknown };
  return new Error(typeof message === 'string' ? message : 'Redis failed');
}

/**
 * Connects to Redis and reconnects after failures. The log gets one warning per outage, and one for a
 * `maxmemory-policy` that endangers the stored data. Without named roles, that is all data.
 */
export function createRedis(
  profile: RedisProfile,
  log: RedisLog,
  roles: readonly RedisRole[] = redisRoles,
): RedisConnection {
  const waiting = new Set<() => void>();
  let down = false;
  let closing = false;
  let looked = false;
  let advised: string | undefined;

  async function lookAtEviction(): Promise<void> {
    if (looked) return;
    looked = true;
    // If Redis does not report its policy, there is nothing to recommend.
    const note = await evictionNote(client, roles).catch(() => undefined);
    if (note !== undefined && note.message !== advised) log.warn({ policy: note.policy }, note.message);
    advised = note?.message;
  }

  const line = openConnection(profile, {
    onLost(problem) {
      looked = false;
      if (down || closing) return;
      down = true;
      log.warn({ problem: plainRedisError(problem).message }, 'Redis is out of reach; reconnecting');
    },
    onChange() {
      if (!line.isReady()) return;
      if (down) log.info({}, 'Redis is back');
      down = false;
      for (const ready of waiting) ready();
      void lookAtEviction();
    },
  });
  const { client, isReady } = line;

  function untilReady(timeoutMs: number): Promise<boolean> {
    if (isReady()) return Promise.resolve(true);
    return new Promise((resolve) => {
      const timer = setTimeout(() => settle(false), timeoutMs);
      const ready = () => settle(true);
      function settle(stands: boolean): void {
        clearTimeout(timer);
        waiting.delete(ready);
        resolve(stands);
      }
      waiting.add(ready);
    });
  }

  return {
    client,
    untilReady,
    isReady,
    async close() {
      if (closing) return;
      closing = true;
      // An open connection is closed with QUIT; a hung or lost one is dropped at once.
      const ended = client.status === 'ready' && (await client.quit().catch(() => 'failed')) === 'OK';
      if (!ended) client.disconnect();
    },
  };
}
