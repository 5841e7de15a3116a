import type { Redis } from 'ioredis';
import { type RedisRole, redisRoles } from '../../config/schema/redis.ts';
import { evictionNote } from './eviction.ts';
import { openConnection } from './connection.ts';
import type { RedisProfile } from './redis-profile.ts';

/** The part of the log that the connection writes to. */
export type RedisLog = {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
};

/** A connection that keeps itself up. Redis may be down when it is made, and at any time after. */
export type RedisConnection = {
  /**
   * One server, the master that sentinels name, or a whole cluster: there the keys of one command, script or pipeline
   * must share a slot.
   */
  readonly client: Redis;
  /** Whether commands are accepted at this moment; of a cluster, for every key. */
  readonly isReady: () => boolean;
  /** Waits for the connection, at most `timeoutMs`; says whether it stands. */
  untilReady(timeoutMs: number): Promise<boolean>;
  /** Ends the connection; it is not made again. */
  close(): Promise<void>;
};

/**
 * An error of ioredis without its `command` property, which holds the arguments, credentials included: it may be
 * logged and may be a cause.
 */
export function plainRedisError(error: unknown): Error {
  const { message } = Object(error) as { message?: unknown };
  return new Error(typeof message === 'string' ? message : 'Redis failed');
}

/**
 * Connects to Redis and stays connected. An outage is one warning, however many requests it meets; so is a server whose
 * `maxmemory-policy` endangers what is kept there, which is everything where no roles are named.
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
    // Where Redis does not tell, nobody knows.
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
      // A connection that stands is ended in good order; one that hangs or is gone has nothing to wait for.
      const ended = client.status === 'ready' && (await client.quit().catch(() => 'failed')) === 'OK';
      if (!ended) client.disconnect();
    },
  };
}
