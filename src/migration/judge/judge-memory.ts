// Stores what the judge remembers between two looks, and elects the one process of a fleet that judges.

import type { Redis } from 'ioredis';
import { newToken } from '../../store/distributed-lock.ts';
import { expectType } from '../../store/redis/expect-type.ts';
import { compileScript } from '../../store/redis/script.ts';
import type { AnnouncedState } from '../notify/migration-events.ts';
import type { OperationMemory } from './rollback-rules.ts';

/** What the judge remembers of a resource. */
export type ResourceMemory = {
  /** The evidence and the step that it is about. */
  readonly step: string;
  readonly operations: Readonly<Record<string, OperationMemory>>;
  readonly announced: AnnouncedState;
};

/** What the judge remembers, and which process of the fleet is the judge. */
export type JudgeMemory = {
  /** Whether this process judges for the next seconds. Rejects where Redis fails. */
  acquireLeadership(): Promise<boolean>;
  read(resource: string): Promise<ResourceMemory | undefined>;
  write(resource: string, memory: ResourceMemory): Promise<void>;
  /** Lets another process judge. It never rejects. */
  releaseLeadership(): Promise<void>;
};

/** How long a judge that is silent stays the judge. */
const LOCK_MS = 6_000;
const KEPT_MS = 30 * 86_400_000;

/** KEYS: the lock. ARGV: the token of this process, the time to live. It takes the lock, or keeps it. */
const takeLock = compileScript(`
${expectType('KEYS[1]', 'string')}
local holder = redis.call('get', KEYS[1])
if holder and holder ~= ARGV[1] then return 0 end
redis.call('del', KEYS[1])
redis.call('set', KEYS[1], ARGV[1], 'PX', ARGV[2])
return 1`);

const releaseLock = compileScript(`
if redis.call('get', KEYS[1]) ~= ARGV[1] then return 0 end
return redis.call('del', KEYS[1])`);

/** KEYS: the memory. ARGV: its text, the time to live. The first write needs no memory, so it works where Redis is full. */
const writeMemory = compileScript(`
redis.call('del', KEYS[1])
redis.call('set', KEYS[1], ARGV[1], 'PX', ARGV[2])
return 1`);

/** Keeps the memory of the one process there is. */
export function createLocalJudgeMemory(): JudgeMemory {
  const kept = new Map<string, ResourceMemory>();
  return {
    acquireLeadership: () => Promise.resolve(true),
    read: (resource) => Promise.resolve(kept.get(resource)),
    write(resource, memory) {
      kept.set(resource, memory);
      return Promise.resolve();
    },
    releaseLeadership: () => Promise.resolve(),
  };
}

/** Keeps the memory of a fleet's judge in Redis, so that the next one goes on where it ends. */
export function createRedisJudgeMemory(
  client: Pick<Redis, 'callBuffer' | 'get'>,
  keyOf: (part: string) => string,
): JudgeMemory {
  const token = newToken();
  const lock = [keyOf('judge:lock')];
  const memoryKey = (resource: string) => keyOf(`judge:${resource}`);
  return {
    acquireLeadership: async () => (await takeLock(client, lock, [token, LOCK_MS])) === 1,
    async read(resource) {
      const text = await client.get(memoryKey(resource));
      return text === null ? undefined : (JSON.parse(text) as ResourceMemory);
    },
    async write(resource, memory) {
      await writeMemory(client, [memoryKey(resource)], [JSON.stringify(memory), KEPT_MS]);
    },
    async releaseLeadership() {
      await releaseLock(client, lock, [token]).catch(() => undefined);
    },
  };
}
