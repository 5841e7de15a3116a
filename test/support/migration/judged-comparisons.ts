import { once } from 'node:events';
import { resources } from '../reference.ts';
import { createDifferenceSampler } from '../../../src/migration/compare/sample.ts';
import { createShadow } from '../../../src/migration/shadow/shadow.ts';
import { createRandom } from '../../../src/cli/demo/data/random.ts';
import { createVirtualTime } from '../time/virtual-time.ts';
import { openJudged } from './judged-migration.ts';
import { createLaggingStores } from './stores/lagging-stores.ts';
import { BEGAN } from './migration-facts.ts';

/** What happens to both stores, and to what is read of them. */
export type JudgedComparisons = {
  /** The share of the answers of the new store in which an e-mail address is another one, this once. */
  readonly faulty: number;
  /** How many names are written in a second, and how long each takes to reach the new store. */
  readonly writesPerSecond: number;
  readonly lagMs: number;
  /** Callers ask for these users alone, so many a second. */
  readonly users: number;
  readonly readsPerSecond: number;
  readonly critical?: readonly string[];
  readonly seed?: number;
};

/**
 * Two stores in virtual time, the comparisons of what callers ask for, and the judge over them. `runFor` lets time pass in the
 * stage at which the migration is, and returns after how many seconds the judge has rolled back.
 */
export async function openJudgedComparisons(options: JudgedComparisons) {
  const { writesPerSecond, lagMs, users, readsPerSecond, critical = ['data.email'], seed = 7 } = options;
  const time = createVirtualTime(BEGAN);
  const random = createRandom(seed);
  const anyUser = () => 1 + Math.floor(users * random.fraction());
  const stores = createLaggingStores({
    ...{ time, users, lagMs: () => lagMs, answerMs: () => 5 + 10 * random.fraction() },
    spoil: (_number, name) => name,
    isWrong: () => random.chance(options.faulty),
  });
  const judged = await openJudged({ time, declared: { compare: { critical } } });
  const { counts, config, current } = judged;
  const shadow = createShadow({
    ...{ resource: resources.users, sources: stores.sources, clock: time, random: () => 0, config, counts },
    ...{ state: current, rate: { take: () => true }, overload: () => undefined },
    toSample: createDifferenceSampler({ secret: 'key', showMask: [] }),
    metrics: { shadow: () => undefined, recheck: () => undefined, migrationAnswered: () => undefined },
    wait: (ms, signal) => Promise.race([time.sleep(ms), once(signal, 'abort')]),
  });

  async function ask(): Promise<void> {
    const query = { kind: 'get', resource: 'users', id: `user_${String(anyUser())}` } as const;
    const origin = current().stage === 'shadow' ? 'legacy' : 'new';
    const startedMs = time.monotonic();
    const usage = { upstreamCalls: 0, upstreamMs: 0 };
    const answer = await stores.sources[origin]({ query, usage, signal: new AbortController().signal });
    const ms = time.monotonic() - startedMs;
    if (origin === 'new') judged.serve({ ms });
    shadow.offer({ operation: 'users.get', origin, query, answer, ms, spans: undefined });
  }

  async function runFor(seconds: number): Promise<number> {
    const startedMs = time.monotonic();
    const before = judged.rollbacks.length;
    let rolledBackAfter = Infinity;
    const isOver = () => time.monotonic() - startedMs >= seconds * 1_000 || rolledBackAfter < Infinity;
    async function askOn(): Promise<void> {
      while (!isOver()) {
        void ask();
        await time.sleep(1_000 / readsPerSecond);
      }
    }
    async function writeOn(): Promise<void> {
      for (let writes = 0; !isOver(); writes += 1) {
        await time.sleep(writesPerSecond === 0 ? 1_000 : 1_000 / writesPerSecond);
        if (writesPerSecond > 0) stores.write(anyUser(), `Name ${String(time.monotonic())}`);
      }
    }
    async function judgeOn(): Promise<void> {
      while (!isOver()) {
        await time.sleep(2_000);
        await judged.judge.look();
        if (judged.rollbacks.length > before) rolledBackAfter = (time.monotonic() - startedMs) / 1_000;
      }
    }
    await time.run(Promise.all([askOn(), writeOn(), judgeOn()]));
    return rolledBackAfter;
  }

  return {
    ...{ judged, runFor },
    /** Takes a step without a look at the gate. */
    async goTo(stage: 'shadow' | 'ramp'): Promise<void> {
      const since = new Date(time.now()).toISOString();
      await judged.states.change(current(), {
        ...current(),
        stage,
        percent: stage === 'ramp' ? 100 : 0,
        since,
      });
    },
    async close(): Promise<void> {
      await time.run(shadow.close());
      await judged.close();
    },
  };
}
