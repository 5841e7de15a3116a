import { Redis, type RedisOptions } from 'ioredis';

export type RedisProfile = {
  /** `redis://…` or `rediss://…`, with credentials where Redis asks for them. */
  readonly url: string;
  /** How long a command may take before it counts as failed. */
  readonly commandTimeoutMs: number;
  readonly connectTimeoutMs: number;
};

/** The part of the log that the connection writes to. */
export type RedisLog = {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
};

/** A connection that keeps itself up. Redis may be down when it is made, and at any time after. */
export type RedisConnection = {
  readonly client: Redis;
  /** Whether commands are accepted at this moment. */
  isReady(): boolean;
  /** Waits for the connection, at most `timeoutMs`; says whether it stands. */
  untilReady(timeoutMs: number): Promise<boolean>;
  /** Ends the connection; it is not made again. */
  close(): Promise<void>;
};

const RECONNECT_MS_MAX = 1_000;
const SILENCE_MS_MAX = 1_000;
const FAILOVER_MS = 5_000;
/** How long Redis may take to hang up. ioredis keeps this timer, and the process, even where nobody is left to. */
const GOODBYE_MS_MAX = 100;

/** 50 ms, doubled with every attempt up to a second, and half of it by chance: a fleet must not return in step. */
function reconnectDelayMs(attempt: number): number {
  const ceiling = Math.min(RECONNECT_MS_MAX, 50 * 2 ** Math.min(attempt, 10));
  return Math.round(ceiling / 2 + (Math.random() * ceiling) / 2);
}

/**
 * Says which errors of commands ask for another connection: after a failover the old master says READONLY, a
 * restarting Redis LOADING or MASTERDOWN. One of them in `FAILOVER_MS`: where Redis stays like that, every command
 * would drop the connection anew.
 */
function createReconnectOnError(): (error: Error) => boolean {
  let reconnectedAt = -Infinity;
  return ({ message }) => {
    const now = performance.now();
    if (now - reconnectedAt < FAILOVER_MS || !/^(READONLY|LOADING|MASTERDOWN)/.test(message)) return false;
    reconnectedAt = now;
    return true;
  };
}

/**
 * A caller must never wait for Redis longer than the command timeout, whatever state Redis is in. ioredis' own
 * defaults keep commands in queues and send them again, for more than a minute (redis/ioredis#76, #1351).
 */
function optionsOf({ commandTimeoutMs, connectTimeoutMs }: RedisProfile) {
  return {
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    autoResendUnfulfilledCommands: false,
    commandTimeout: commandTimeoutMs,
    connectTimeout: connectTimeoutMs,
    socketTimeout: SILENCE_MS_MAX,
    disconnectTimeout: GOODBYE_MS_MAX,
    retryStrategy: reconnectDelayMs,
    reconnectOnError: createReconnectOnError(),
  } satisfies RedisOptions;
}

/**
 * An error of ioredis without its `command` property, which holds the arguments, credentials included: it may be
 * logged and may be a cause.
 */
export function plainRedisError(error: unknown): Error {
  const { message } = Object(error) as { message?: unknown };
  return new Error(typeof message === 'string' ? message : 'Redis failed');
}

/** Connects to Redis and stays connected. An outage is one warning, however many requests it meets. */
export function createRedis(profile: RedisProfile, log: RedisLog): RedisConnection {
  const client = new Redis(profile.url, optionsOf(profile));
  let down = false;
  let closing = false;

  function lost(problem: string): void {
    if (down || closing) return;
    down = true;
    log.warn({ problem }, 'Redis is out of reach; reconnecting');
  }

  // ioredis reports errors of the connection here, not those of commands.
  client.on('error', (error: unknown) => lost(plainRedisError(error).message));
  client.on('close', () => lost('the connection was closed'));
  client.on('ready', () => {
    if (down) log.info({}, 'Redis is back');
    down = false;
  });

  function untilReady(timeoutMs: number): Promise<boolean> {
    if (client.status === 'ready') return Promise.resolve(true);
    return new Promise((resolve) => {
      const timer = setTimeout(() => settle(false), timeoutMs);
      const ready = () => settle(true);
      function settle(stands: boolean): void {
        clearTimeout(timer);
        client.off('ready', ready);
        resolve(stands);
      }
      client.once('ready', ready);
    });
  }

  return {
    client,
    untilReady,
    isReady: () => client.status === 'ready',
    async close() {
      if (closing) return;
      closing = true;
      // A connection that stands is ended in good order; one that hangs or is gone has nothing to wait for.
      const ended = client.status === 'ready' && (await client.quit().catch(() => 'failed')) === 'OK';
      if (!ended) client.disconnect();
    },
  };
}
