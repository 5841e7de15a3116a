// Keeps the comparison counts of a fleet in Redis, so that all its processes count together; local-counts.ts is for one alone.

import type { Redis } from 'ioredis';
import type { DifferenceSample } from '../compare/comparison.ts';
import {
  addComparisonCounts,
  comparisonCountParts,
} from '../../store/redis/scripts/comparison-counts-script.ts';
import { newToken } from '../../store/redis/distributed-lock.ts';
import {
  createDelta,
  CRITICAL_MAX,
  type Delta,
  FAILING_MAX,
  GROUPS_MAX,
  KEYS_MAX,
  OTHER_GROUP,
  RECORDS_MAX,
  SAMPLES_MAX,
  TRANSIENT_MAX,
} from './delta.ts';
import type { CountsScope, CountsStore, StoredCounts, StoredGroup } from './counts-store.ts';

/** The bounds of the counts of one operation. Redis deletes counts to which nothing was added for `ms` milliseconds. */
const BOUNDS = JSON.stringify({
  ...{ ms: 30 * 86_400_000, keys: KEYS_MAX, critical: CRITICAL_MAX, transient: TRANSIENT_MAX },
  ...{ groups: GROUPS_MAX, records: RECORDS_MAX, samples: SAMPLES_MAX, failing: FAILING_MAX },
});

type Part = keyof typeof comparisonCountParts;

type Client = Pick<Redis, 'callBuffer' | 'smembers' | 'hgetall' | 'zcard' | 'zcount' | 'zrange' | 'lrange'>;

/** A delta as JSON for the script. It has lists of lists, because an empty table of Lua is both an object and a list. */
function textOf({ counts, step, lastFallbackAt, keys, critical, transient, groups, failing }: Delta): string {
  return JSON.stringify({
    counts: [...counts],
    step: [...step],
    lastFallbackAt,
    keys: [...keys].map(([key, { at, isMismatched }]) => [key, at, isMismatched]),
    ...{ critical: [...critical], transient: [...transient], failing },
    groups: [...groups].map(([name, { count, firstAt, lastAt, samples, records }]) => [
      ...[name, count, firstAt, lastAt],
      samples.map((sample) => JSON.stringify(sample)),
      ...(records === undefined ? [] : [[...records]]),
    ]),
  });
}

const numbers = (fields: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(fields).map(([field, value]) => [field, Number(value)]));

/** Makes pairs from a flat list of members and their scores. */
function pairsOf(flat: readonly string[]): readonly (readonly [string, number])[] {
  return flat.flatMap((member, index) =>
    index % 2 === 0 ? [[member, Number(flat[index + 1])] as const] : [],
  );
}

function groupsOf(groups: Readonly<Record<string, string>>, samples: Readonly<Record<string, string>>) {
  const names = Object.keys(groups).flatMap((field) => (field.startsWith('n') ? [field.slice(1)] : []));
  const samplesOf = (name: string) =>
    Array.from({ length: SAMPLES_MAX }, (_, index) => samples[`${index + 1}${name}`]).flatMap((text) =>
      text === undefined ? [] : [JSON.parse(text) as DifferenceSample],
    );
  return names.map((name): StoredGroup => {
    const [count = 0, firstAt = 0, lastAt = 0] = ['n', 'f', 'l'].map((kind) =>
      Number(groups[`${kind}${name}`]),
    );
    return { name, count, firstAt, lastAt, samples: samplesOf(name) };
  });
}

/** Reads the counts of one operation, with the questions compared since the step began and since `recentAt`. */
async function readOperation(
  client: Client,
  key: (part: Part) => string,
  { stepAt, recentAt }: { readonly stepAt: number; readonly recentAt: number },
): Promise<StoredCounts> {
  const since = async (at: number) => {
    const [keys, mismatchedKeys] = await Promise.all([
      client.zcount(key('keys'), at, '+inf'),
      client.zcount(key('mismatched'), at, '+inf'),
    ]);
    return { keys, mismatchedKeys };
  };
  const [counts, step, all, inStep, recent, critical, transient, failing] = await Promise.all([
    client.hgetall(key('counts')),
    client.hgetall(key('step')),
    since(0),
    since(stepAt),
    since(recentAt),
    client.zrange(key('critical'), 0, '-1', 'WITHSCORES'),
    client.zrange(key('transient'), 0, '-1', 'WITHSCORES'),
    client.lrange(key('failing'), 0, -1),
  ]);
  return {
    counts: numbers(counts),
    step: numbers(step),
    keys: { all, step: inStep, recent },
    critical: pairsOf(critical),
    transient: pairsOf(transient),
    failing,
    lastFallbackAt: Number(counts['lastFallbackAt'] ?? 0),
  };
}

/** The most deltas that wait to be written; there are more only if Redis has been down for hours. */
const WAITING_MAX = 50;

/**
 * The counts of one operation that wait to be written. `sent` does not change until Redis has confirmed it, so it can be sent
 * again with the same token and is added only once. Meanwhile, new counts go into `next`.
 */
type Waiting = {
  readonly scope: CountsScope;
  readonly operation: string;
  sent: { readonly text: string; readonly token: string } | undefined;
  next: Delta | undefined;
};

/** Gathers deltas by scope and operation, and writes them with `add`. */
function createWriter(add: (one: Waiting, text: string, token: string) => Promise<unknown>) {
  const waiting = new Map<string, Waiting>();

  async function write(name: string, one: Waiting): Promise<void> {
    if (one.sent === undefined) {
      if (one.next === undefined) return void waiting.delete(name);
      one.sent = { text: textOf(one.next), token: newToken() };
      one.next = undefined;
    }
    await add(one, one.sent.text, one.sent.token);
    one.sent = undefined;
  }

  return {
    deltaOf(scope: CountsScope, operation: string): Delta {
      const name = JSON.stringify([scope, operation]);
      const one = waiting.get(name) ?? { scope, operation, sent: undefined, next: undefined };
      waiting.set(name, one);
      const [oldest] = waiting.keys();
      if (waiting.size > WAITING_MAX && oldest !== undefined) waiting.delete(oldest);
      return (one.next ??= createDelta());
    },
    async flush(): Promise<void> {
      const written = await Promise.allSettled([...waiting].map(([name, one]) => write(name, one)));
      for (const one of written) if (one.status === 'rejected') throw one.reason;
    },
  };
}

/** Creates the store. `keyOf` builds Redis keys, all in one slot of a cluster. */
export function createRedisCountsStore(client: Client, keyOf: (part: string) => string): CountsStore {
  const processName = newToken();

  const operationsKey = ({ resource, name }: CountsScope) => keyOf(`evidence:${resource}:${name}:operations`);
  function partKey({ resource, name, stepAt }: CountsScope, operation: string, part: Part): string {
    const partName = part === 'step' ? `step-${stepAt}` : part;
    return keyOf(`evidence:${resource}:${name}:${operation}:${partName}`);
  }

  async function mapOperations<T>(scope: CountsScope, of: (operation: string) => Promise<T>) {
    const operations = await client.smembers(operationsKey(scope));
    return Object.fromEntries(
      await Promise.all(operations.map(async (operation) => [operation, await of(operation)] as const)),
    );
  }

  const writer = createWriter(({ scope, operation }, text, token) => {
    const keys = (Object.keys(comparisonCountParts) as Part[]).map((part) => partKey(scope, operation, part));
    const last = keyOf(`evidence:${scope.resource}:last:${operation}:${processName}`);
    const args = [text, token, operation, OTHER_GROUP, BOUNDS];
    return addComparisonCounts(client, [...keys, operationsKey(scope), last], args);
  });

  return {
    ...writer,
    read: (scope, recentAt) =>
      mapOperations(scope, (operation) => {
        const key = (part: Part) => partKey(scope, operation, part);
        return readOperation(client, key, { stepAt: scope.stepAt, recentAt });
      }),
    groups: (scope) =>
      mapOperations(scope, async (operation) => {
        const [groups, samples] = await Promise.all([
          client.hgetall(partKey(scope, operation, 'groups')),
          client.hgetall(partKey(scope, operation, 'samples')),
        ]);
        return groupsOf(groups, samples);
      }),
  };
}
