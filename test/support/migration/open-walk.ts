import { migration } from '../../../src/config/schema/migration.ts';
import { resources } from '../reference.ts';
import type { Comparison } from '../../../src/migration/compare/comparison.ts';
import { createDifferenceSampler } from '../../../src/migration/compare/sample.ts';
import { createWalk } from '../../../src/migration/walk/walk.ts';
import { createVirtualTime } from '../time/virtual-time.ts';
import { createLaggingStores } from './stores/lagging-stores.ts';

type Spoil = (number: number, name: string) => string | undefined;

/** Two stores of users of which the new one is spoilt, and what walking them finds. */
export function openWalk(users: number, spoil: Spoil, change: object = {}) {
  const time = createVirtualTime();
  const stores = createLaggingStores({ time, users, lagMs: () => 100, answerMs: () => 5, spoil });
  const config = migration.parse({ to: 'x', shadow: { maxRps: 100 }, ...change });
  const comparisons: Comparison[] = [];
  const wait = (ms: number) => time.sleep(ms);
  const walk = createWalk({
    ...{ resource: resources.users, config, sources: stores.sources, clock: time, wait },
    keptRules: () => [],
    toSample: createDifferenceSampler({ secret: 'key', showMask: [] }),
    counts: { compared: (comparison) => void comparisons.push(comparison) },
  });
  const signal = new AbortController().signal;
  const phases: Map<string, number[]> = new Map();
  const run = () =>
    walk({
      signal,
      progress(done, of = 1, phase = '') {
        phases.set(phase, [...(phases.get(phase) ?? []), done / of]);
      },
    });
  return { time, stores, config, comparisons, phases, signal, wait, run };
}
