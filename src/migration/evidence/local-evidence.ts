// Keeps evidence in the memory of one process, for a gateway without Redis.

import {
  addRecords,
  createDelta,
  CRITICAL_MAX,
  type Delta,
  FAILING_MAX,
  type GroupDelta,
  GROUPS_MAX,
  KEYS_MAX,
  OTHER_GROUP,
  SAMPLES_MAX,
  TRANSIENT_MAX,
} from './delta.ts';
import type { EvidenceScope, EvidenceStore, StoredEvidence } from './evidence-store.ts';

/** The evidence of one operation: a delta that grows and is never written. */
type Kept = Delta & { stepAt: number };

function addAll(to: Map<string, number>, from: ReadonlyMap<string, number>): void {
  for (const [field, count] of from) to.set(field, (to.get(field) ?? 0) + count);
}

function addGroup(groups: Kept['groups'], name: string, more: GroupDelta): void {
  const kept = groups.has(name) || groups.size < GROUPS_MAX ? name : OTHER_GROUP;
  const records = more.records && kept === name ? new Set<string>() : undefined;
  const group = groups.get(kept) ?? { count: 0, records, firstAt: more.firstAt, lastAt: 0, samples: [] };
  groups.set(kept, group);
  addRecords(group, more.records ?? [], more.count);
  group.lastAt = more.lastAt;
  const room = Math.max(0, SAMPLES_MAX - group.samples.length);
  const known = new Set(group.samples.map(({ key }) => key));
  group.samples.push(...more.samples.filter(({ key }) => !known.has(key)).slice(0, room));
}

function countKeys(keys: Kept['keys'], since: number) {
  let [all, mismatchedKeys] = [0, 0];
  for (const { at, isMismatched } of keys.values()) {
    if (at < since) continue;
    all += 1;
    if (isMismatched) mismatchedKeys += 1;
  }
  return { keys: all, mismatchedKeys };
}

function storedOf(kept: Kept, { stepAt }: EvidenceScope, recentAt: number): StoredEvidence {
  return {
    counts: Object.fromEntries(kept.counts),
    step: kept.stepAt === stepAt ? Object.fromEntries(kept.step) : {},
    keys: {
      all: countKeys(kept.keys, 0),
      step: countKeys(kept.keys, stepAt),
      recent: countKeys(kept.keys, recentAt),
    },
    critical: [...kept.critical],
    failing: kept.failing.toReversed(),
    transient: [...kept.transient],
    lastFallbackAt: kept.lastFallbackAt,
  };
}

function addDelta(kept: Kept, delta: Delta): void {
  addAll(kept.counts, delta.counts);
  addAll(kept.step, delta.step);
  kept.lastFallbackAt = Math.max(kept.lastFallbackAt, delta.lastFallbackAt);
  for (const [key, compared] of delta.keys)
    if (kept.keys.has(key) || kept.keys.size < KEYS_MAX) kept.keys.set(key, compared);
  for (const [member, at] of delta.critical)
    if (kept.critical.has(member) || kept.critical.size < CRITICAL_MAX) kept.critical.set(member, at);
  for (const [member, at] of delta.transient) {
    kept.transient.delete(member);
    kept.transient.set(member, at);
    const [oldest] = kept.transient.keys();
    if (kept.transient.size > TRANSIENT_MAX && oldest !== undefined) kept.transient.delete(oldest);
  }
  kept.failing.push(...delta.failing);
  kept.failing.splice(0, kept.failing.length - FAILING_MAX);
  for (const [name, group] of delta.groups) addGroup(kept.groups, name, group);
}

/** Creates the store. It keeps only the present evidence of each resource. */
export function createLocalEvidenceStore(): EvidenceStore {
  const resources = new Map<string, { evidence: string; operations: Map<string, Kept> }>();

  function operationsOf({ resource, evidence }: EvidenceScope): Map<string, Kept> {
    const known = resources.get(resource);
    if (known?.evidence === evidence) return known.operations;
    const operations = new Map<string, Kept>();
    resources.set(resource, { evidence, operations });
    return operations;
  }

  function keptOf(scope: EvidenceScope, operation: string): Kept {
    const operations = operationsOf(scope);
    const kept = operations.get(operation) ?? { ...createDelta(), stepAt: scope.stepAt };
    operations.set(operation, kept);
    if (kept.stepAt !== scope.stepAt) {
      kept.stepAt = scope.stepAt;
      kept.step.clear();
    }
    return kept;
  }

  function mapOperations<T>(scope: EvidenceScope, of: (kept: Kept) => T): Readonly<Record<string, T>> {
    return Object.fromEntries([...operationsOf(scope)].map(([operation, kept]) => [operation, of(kept)]));
  }

  return {
    add(scope, operation, delta) {
      addDelta(keptOf(scope, operation), delta);
      return Promise.resolve();
    },
    read: (scope, recentAt) =>
      Promise.resolve(mapOperations(scope, (kept) => storedOf(kept, scope, recentAt))),
    groups: (scope) =>
      Promise.resolve(
        mapOperations(scope, ({ groups }) => [...groups].map(([name, group]) => ({ name, ...group }))),
      ),
  };
}
