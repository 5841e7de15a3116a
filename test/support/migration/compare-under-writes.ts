import { once } from 'node:events';
import { migration } from '../../../src/config/schema/migration.ts';
import { resources } from '../reference.ts';
import type { GetQuery, ListQuery } from '../../../src/contract/query.ts';
import type { Comparison } from '../../../src/migration/compare/comparison.ts';
import { createDifferenceSampler } from '../../../src/migration/compare/sample.ts';
import { createShadow } from '../../../src/migration/shadow/shadow.ts';
import { createRandom, type Random } from '../../../src/cli/demo/data/random.ts';
import { createVirtualTime } from '../time/virtual-time.ts';
import { migrationState } from './migration-facts.ts';
import { createLaggingStores } from './stores/lagging-stores.ts';

/** What comparing two stores has found while the legacy one was written to. */
export type FoundUnderWrites = {
  readonly verdicts: Readonly<Record<string, number>>;
  /** The questions with a confirmed difference. */
  readonly mismatched: ReadonlySet<string>;
  readonly asked: ReadonlySet<string>;
  /** Calls of both sources for each comparison, without the caller's own one and the first one of the shadow. */
  readonly furtherCalls: number;
};

export type UnderWrites = {
  readonly kind: 'get' | 'list';
  readonly comparisons: number;
  readonly writesPerSecond: number;
  /** The users that the new store has wrong; in lists it lacks them. */
  readonly spoilt: ReadonlySet<number>;
  readonly seed?: number;
};

const USERS = 4_000;
const PER_SECOND = 20;
const PAGE = 20;

/** Counts what comparing has found. */
function createFindings() {
  const verdicts: Record<string, number> = {};
  const mismatched = new Set<string>();
  const asked = new Set<string>();
  const findings = { verdicts, mismatched, asked, ended: 0 };
  function compared({ verdict, query }: Comparison): void {
    findings.ended += 1;
    asked.add(query);
    verdicts[verdict] = (verdicts[verdict] ?? 0) + 1;
    if (verdict === 'mismatch') mismatched.add(query);
  }
  return { findings, compared };
}

/** A number of the standard normal distribution (Box and Muller). */
function normal(random: Random): number {
  const radius = Math.sqrt(-2 * Math.log(1 - random.fraction()));
  return radius * Math.cos(2 * Math.PI * random.fraction());
}

/** A question: popular records are asked for more often, pages all alike. */
function randomQuestion(kind: UnderWrites['kind'], random: Random): GetQuery | ListQuery {
  if (kind === 'get')
    return { kind, resource: 'users', id: `user_${1 + Math.floor(USERS * random.fraction() ** 3)}` };
  const page = 1 + Math.floor((USERS / PAGE) * random.fraction());
  return { kind, resource: 'users', page, limit: PAGE, sort: null, filters: [] };
}

/** Compares what both stores give for random questions, 20 a second, in virtual time. */
export async function compareUnderWrites(options: UnderWrites): Promise<FoundUnderWrites> {
  const { kind, comparisons, writesPerSecond, spoilt, seed = 7 } = options;
  const time = createVirtualTime();
  const random = createRandom(seed);
  const isLacking = (number: number) => kind === 'list' && spoilt.has(number);
  const stores = createLaggingStores({
    ...{ time, users: USERS },
    // A lag of 0.2 s in the middle, and of 1.7 s for one write in a hundred.
    lagMs: () => 200 * Math.exp(0.92 * normal(random)),
    answerMs: () => 10 + 30 * random.fraction(),
    spoil: (number, name) => (isLacking(number) ? undefined : spoilt.has(number) ? name.toLowerCase() : name),
  });
  const { findings, compared } = createFindings();
  const shadow = createShadow({
    ...{ resource: resources.users, sources: stores.sources, clock: time, random: () => 0 },
    config: migration.parse({ to: 'x', shadow: { concurrency: 64 }, recheck: { maxRps: 1_000 } }),
    ...{
      state: () => migrationState({ stage: 'shadow' }),
      rate: { take: () => true },
      overload: () => undefined,
    },
    counts: {
      ...{ isKnown: () => false, rehearsed: () => undefined, reread: () => undefined },
      uncompared: () => undefined,
      compared,
    },
    toSample: createDifferenceSampler({ secret: 'key', showMask: [] }),
    metrics: { shadow: () => undefined, recheck: () => undefined, migrationAnswered: () => undefined },
    wait: (ms, signal) => Promise.race([time.sleep(ms), once(signal, 'abort')]),
  });

  const query = () => randomQuestion(kind, random);

  async function ask(): Promise<void> {
    const asked = query();
    const startedMs = time.monotonic();
    const usage = { upstreamCalls: 0, upstreamMs: 0 };
    const answer = await stores.sources.legacy({ query: asked, usage, signal: new AbortController().signal });
    const ms = time.monotonic() - startedMs;
    shadow.offer({
      operation: `users.${kind}`,
      origin: 'legacy',
      query: asked,
      answer,
      ms,
      spans: undefined,
    });
  }

  /** Names change; in lists, users come and go as well. The same few are written to most of the time. */
  async function writeOn(): Promise<void> {
    for (let writes = 0; findings.ended < comparisons; writes += 1) {
      await time.sleep(1_000 / writesPerSecond);
      const number = 1 + Math.floor(USERS * random.fraction() ** 3);
      const isGoing = kind === 'list' && random.chance(0.03) && !spoilt.has(number);
      stores.write(number, isGoing ? undefined : `User ${number} of ${writes}`);
    }
  }

  async function askOn(): Promise<void> {
    for (let asked = 0; asked < comparisons; asked += 1) {
      void ask();
      await time.sleep(1_000 / PER_SECOND);
    }
    while (findings.ended < comparisons) await time.sleep(100);
  }

  await time.run(Promise.all([askOn(), writesPerSecond > 0 ? writeOn() : undefined]));
  await shadow.close();
  const { legacy, new: next } = stores.calls;
  return { ...findings, furtherCalls: (legacy + next) / comparisons - 2 };
}
