// A connection to Redis that reconnects by itself, writes outages to the log, and says whether Redis serves.

import type { Redis } from 'ioredis';
import { type RedisRole, redisRoles } from '../../config/schema/redis.ts';
import { evictionNote } from './health/memory.ts';
import { openConnection } from './connection.ts';
import { redisHint } from './health/redis-hint.ts';
import type { RedisProfile } from './redis-profile.ts';
import { watchWrites, type WriteTrouble } from './health/watch-writes.ts';

/** The part of the log to which the connection writes. */
export type RedisLog = {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
};

/** Whether a Redis serves at this moment. `lost`: it is out of reach; `full` and `refusing`: it answers, but takes no writes. */
export type RedisHealth =
  { readonly state: 'ready' } | { readonly state: 'lost'; readonly detail: string } | WriteTrouble;

/** A connection to Redis. Redis may be down at the start and at any time later. */
export type RedisConnection = {
  /**
   * One server, the master that sentinels name, or a cluster. In a cluster, the keys of one command, script or pipeline
   * must share a slot.
   */
  readonly client: Redis;
  /** Whether commands are accepted at this moment; for a cluster, whether they are accepted for every key. */
  readonly isReady: () => boolean;
  /** The state of Redis at this moment. The detail says what to do, and names no host. */
  health(): RedisHealth;
  /** Waits until the connection is ready, at most `timeoutMs`; says whether it is. */
  untilReady(timeoutMs: number): Promise<boolean>;
  /** Closes the connection for good. */
  close(): Promise<void>;
};

/**
 * Copies the message of an error of ioredis, without its `command` property, because that holds the arguments of the
 * command, such as passwords. The result may be logged, and may be the cause of another error.
 */
export function plainRedisError(error: unknown): Error {
  const { message } = Object(error) as { message?: unknown };
  return new Error(typeof message === 'string' ? message : 'Redis failed');
}

/**
 * Connects to Redis and stays connected. Each outage is logged as one warning, however many requests it affects. A server
 * with a wrong `maxmemory-policy` for one of `roles` is also logged as one warning.
 */
export function createRedis(
  profile: RedisProfile,
  log: RedisLog,
  roles: readonly RedisRole[] = redisRoles,
): RedisConnection {
  const waiting = new Set<() => void>();
  let status: 'open' | 'lost' | 'closing' = 'open';
  let isPolicyChecked = false;
  let lastAdvice: string | undefined;
  let lostHint: string | undefined;

  async function checkEvictionPolicy(): Promise<void> {
    if (isPolicyChecked) return;
    isPolicyChecked = true;
    // Redis may refuse to tell its policy.
    const note = await evictionNote(client, roles).catch(() => undefined);
    if (note !== undefined && note.message !== lastAdvice) log.warn({ policy: note.policy }, note.message);
    lastAdvice = note?.message;
  }

  const { client, isReady } = openConnection(profile, {
    onLost(problem) {
      isPolicyChecked = false;
      const { message } = plainRedisError(problem);
      lostHint = redisHint(message) ?? lostHint;
      if (status !== 'open') return;
      status = 'lost';
      log.warn({ problem: message, hint: lostHint }, 'Redis is out of reach; reconnecting');
    },
    onChange() {
      if (!isReady()) return;
      if (status === 'lost') {
        log.info({}, 'Redis is back');
        status = 'open';
      }
      lostHint = undefined;
      for (const ready of waiting) ready();
      void checkEvictionPolicy();
    },
    onRefused: (error) => writes.onRefused(error),
  });
  const writes = watchWrites({ client, isReady, log });

  function health(): RedisHealth {
    if (isReady()) return writes.trouble() ?? { state: 'ready' };
    return { state: 'lost', detail: `out of reach${lostHint === undefined ? '' : `; ${lostHint}`}` };
  }

  function untilReady(timeoutMs: number): Promise<boolean> {
    if (isReady()) return Promise.resolve(true);
    return new Promise((resolve) => {
      const timer = setTimeout(() => settle(false), timeoutMs);
      const ready = () => settle(true);
      function settle(isUp: boolean): void {
        clearTimeout(timer);
        waiting.delete(ready);
        resolve(isUp);
      }
      waiting.add(ready);
    });
  }

  return {
    client,
    untilReady,
    isReady,
    health,
    async close() {
      if (status === 'closing') return;
      writes.close();
      status = 'closing';
      // A ready connection is ended by QUIT; one that hangs or is gone is just dropped.
      const ended = client.status === 'ready' && (await client.quit().catch(() => 'failed')) === 'OK';
      if (!ended) client.disconnect();
    },
  };
}
