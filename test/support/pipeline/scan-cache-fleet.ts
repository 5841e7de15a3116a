import { Redis } from 'ioredis';
import { createRedisKeys } from '../../../src/store/redis/redis-keys.ts';
import type { RedisNode } from '../../../src/store/redis/redis-profile.ts';
import { createRedis, type RedisConnection } from '../../../src/store/redis/redis.ts';
import { createRedisScanCaches } from '../../../src/store/scan-cache/redis-scan-caches.ts';
import { PATIENCE_MS } from '../gateway/generous-timeouts.ts';
import type { SharedRedis } from '../redis/redis-server.ts';
import { openSource, type ScriptedSource, type Serve } from './scripted-source.ts';
import { silentLog } from '../redis/connect-redis.ts';
import { endAfterTest } from '../jest/lifetime.ts';

/** One gateway of a fleet, as far as snapshots go: the pipeline of a products source, with a Redis connection. */
export type Member = ScriptedSource & { readonly redis: RedisConnection };

export type FleetOptions = {
  /** One Redis, or nodes of a cluster. */
  readonly url: string | readonly RedisNode[];
  readonly prefix: string;
  /** The source's file. */
  readonly text: string;
  /** How long a command may take. A test that is not about that must not fail on a busy machine. */
  readonly commandTimeoutMs?: number;
};

/** Opens a member that asks a scripted source. Whoever opens it closes it, and its connection. */
export async function openMember(
  { url, prefix, text, commandTimeoutMs = PATIENCE_MS }: FleetOptions,
  serve: Serve,
): Promise<Member> {
  const redis = createRedis(
    {
      ...(typeof url === 'string' ? { url } : { cluster: url, access: {} }),
      commandTimeoutMs,
      connectTimeoutMs: PATIENCE_MS,
    },
    silentLog,
  );
  if (!(await redis.untilReady(PATIENCE_MS))) throw new Error('the test has no Redis');
  const keys = createRedisKeys(prefix);
  const source = openSource('products', text, serve, { fresh: 0, notFound: 0 }, (codec) =>
    createRedisScanCaches({ client: redis.client, keys, scope: 'test', codec }),
  );
  return { ...source, redis };
}

/** Closes members as a gateway does. */
export async function closeMembers(members: readonly Member[]): Promise<void> {
  for (const { close, redis } of members) {
    await close();
    await redis.close();
  }
}

/** The members of a test file's fleet on some Redis. */
export type Members = {
  /** Opens one more, which is closed after the test. */
  readonly open: (serve: Serve, change?: Partial<FleetOptions>) => Promise<Member>;
  /** Closes those that were opened behind the first `kept`. */
  readonly close: (kept: number) => Promise<void>;
  /** A connection that is nobody's. */
  readonly client: Redis;
  /** The keys of the snapshots in Redis that end like this. */
  readonly keysLike: (ending: string) => Promise<string[]>;
  /** Whether a scan's rows are there for all, and nobody scans. */
  readonly isPublished: () => Promise<boolean>;
};

/** For tests of fleets: call it at the top of the file. `text` is the source's file. */
export function useMembers(redis: SharedRedis, text: string): Members {
  const members: Member[] = [];
  let client: Redis;
  beforeEach(() => {
    client = endAfterTest(new Redis(redis.url));
  });
  afterEach(async () => {
    await closeMembers(members.splice(0));
  });
  const keysLike = (ending: string) => client.keys(`${redis.prefix}snapshot:*${ending}`);

  return {
    keysLike,
    get client() {
      return client;
    },
    async open(serve, change = {}) {
      const member = await openMember({ url: redis.url, prefix: redis.prefix, text, ...change }, serve);
      members.push(member);
      return member;
    },
    close: (kept) => closeMembers(members.splice(kept)),
    isPublished: async () => (await keysLike(':now')).length === 1 && (await keysLike(':lock')).length === 0,
  };
}
