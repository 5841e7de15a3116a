// Stores what the judge (judge.ts) remembers from round to round, and elects the one process of a fleet that judges.

import type { Redis } from 'ioredis';
import { newToken } from '../../store/redis/distributed-lock.ts';
import { takeOrRenewLock, unlock } from '../../store/redis/scripts/lock-scripts.ts';
import { replaceText } from '../../store/redis/scripts/record-scripts.ts';
import type { AnnouncedState } from '../notify/migration-events.ts';
import type { OperationMemory } from './rollback-rules.ts';
import type { NoiseMemory } from './transient-rules.ts';

/** What the judge remembers of a resource from one round to the next. */
export type ResourceMemory = {
  /** The comparison counts and the step of `operations`. In another step, the judge begins with an empty memory. */
  readonly step: string;
  readonly operations: Readonly<Record<string, OperationMemory>>;
  /** The noise by operation. It stays from step to step, until the counts begin anew. Absent if nothing was measured yet. */
  readonly noise?: Readonly<Record<string, NoiseMemory>> | undefined;
  readonly announced: AnnouncedState;
};

/** The memory of the judge, and the lock that makes one process of the fleet the judge. */
export type JudgeMemory = {
  /** Takes or renews the lock. True: this process judges for the next seconds. Rejects if Redis fails. */
  acquireLeadership(): Promise<boolean>;
  read(resource: string): Promise<ResourceMemory | undefined>;
  write(resource: string, memory: ResourceMemory): Promise<void>;
  /** Gives the lock up, so that another process can judge at once. It never rejects. */
  releaseLeadership(): Promise<void>;
};

/** The lock ends this long after its last renewal, so that another process soon takes over if the judge dies. */
const LOCK_MS = 6_000;
const KEPT_MS = 30 * 86_400_000;

/** Creates the memory of a gateway without Redis, whose only process is always the judge. */
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

/** Creates the memory of a fleet in Redis, so that the next judge continues where the last one ended. */
export function createRedisJudgeMemory(
  client: Pick<Redis, 'callBuffer' | 'get'>,
  keyOf: (part: string) => string,
): JudgeMemory {
  const token = newToken();
  const lock = [keyOf('judge:lock')];
  const memoryKey = (resource: string) => keyOf(`judge:${resource}`);
  return {
    acquireLeadership: async () => (await takeOrRenewLock(client, lock, [token, LOCK_MS])) === 1,
    async read(resource) {
      const text = await client.get(memoryKey(resource));
      return text === null ? undefined : (JSON.parse(text) as ResourceMemory);
    },
    async write(resource, memory) {
      await replaceText(client, [memoryKey(resource)], [JSON.stringify(memory), KEPT_MS]);
    },
    async releaseLeadership() {
      await unlock(client, lock, [token]).catch(() => undefined);
    },
  };
}
