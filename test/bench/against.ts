import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { checkOut } from './checkout.ts';
import { openConsoleTabs } from './console-tabs.ts';
import { instructionsWhile } from './instructions.ts';
import { cpuMicroseconds } from './measures.ts';
import { type PairedResult, pairRounds, type Sample } from './paired.ts';
import { type Portico, startPortico } from './portico-server.ts';
import { startRedis, startUpstream } from './rivals.ts';
import { type Load, median, sendLoad, sendUnchecked, type Target } from './rounds.ts';

/** What is asked of both gateways. */
const MEASURES = {
  hit: { path: '/v1/users', distinct: false },
  miss: { path: '/v1/users', distinct: true },
  // The source gives 40 rows at once, so a page of 50 takes two calls.
  'two-call miss': { path: '/v1/products', distinct: true },
  'sorted miss': { path: '/v1/users?sort=email', distinct: true },
  'pass-through': { path: '/orders', distinct: false },
} as const;
export type Measure = keyof typeof MEASURES;
export const measureNames = Object.keys(MEASURES) as Measure[];

/**
 * How much CPU each gateway gets before it is measured, seconds per measure. Until the compiler has seen everything, a
 * request costs up to three times as much, and the more functions there are the longer that takes.
 */
const WARM_CPU_SECONDS = 5;
const WARM_LOAD_SECONDS = 3;

/** With fewer rounds no interval holds the true median with 95 % confidence. */
const ROUNDS_OF_AN_INTERVAL = 6;

/** What one gateway has that the commits before it lack; without any of it, the file is the same for all. */
export type Variant = {
  /** The share of requests that it records and exports; absent: tracing is off. */
  readonly traces?: number | undefined;
  /** Whether its file declares a migration, which is at rest. */
  readonly migration?: boolean;
  /** Whether its configuration has a webhook. An event is sent to it, because a key expires soon. */
  readonly webhooks?: boolean;
  /** Whether five tabs of the console are open. */
  readonly tabs?: boolean;
  /** How many gateways share the Redis, at least one; each of several has five tabs open that show the overview. */
  readonly replicas?: number;
};

export type AgainstOptions = {
  readonly rounds: number;
  readonly load: Load;
  readonly scratch: string;
  /** In what this checkout is measured, by what is printed of it. */
  readonly variants: Readonly<Record<string, Variant>>;
  /** What is measured of each gateway. */
  readonly measures: readonly Measure[];
  /** Gets what the rounds so far have measured. */
  readonly onInterim: (result: AgainstResult) => void;
};

/** This checkout, in one variant, beside a commit. */
export type Comparison = {
  readonly commit: string;
  /** The name of the variant. */
  readonly variant: string;
  readonly measures: Readonly<Record<string, PairedResult & { readonly medians: readonly [Sample, Sample] }>>;
};

/** What `npm run bench -- --against` measured. */
export type AgainstResult = {
  readonly rounds: number;
  readonly seconds: number;
  readonly comparisons: readonly Comparison[];
};

type Samples = Record<Measure, Sample[]>;

/** A gateway that is measured in each round: `main` is that of a commit, absent for this checkout. */
type Contender = {
  readonly name: string;
  readonly main?: string;
  readonly variant: Variant;
  readonly samples: Samples;
};

/** A gateway in one round. */
type Side = { readonly portico: Portico; readonly samples: Samples; stop(): Promise<void> };

type SideServices = { readonly scratch: string; readonly upstreamUrl: string };

/** Starts a gateway with a Redis of its own: no round finds what an earlier one or another gateway has cached. */
async function startSide(
  { name, main, variant, samples }: Contender,
  { scratch, upstreamUrl }: SideServices,
): Promise<Side> {
  const folder = join(scratch, name);
  await mkdir(folder, { recursive: true });
  const redis = await startRedis(folder);
  const { traces, migration = false, webhooks = false, tabs = false, replicas = 1 } = variant;
  const started = {
    name,
    scratch: folder,
    redisUrl: redis.url,
    upstreamUrl,
    migration,
    webhooks,
    ...(main === undefined ? {} : { main }),
    ...(traces === undefined ? {} : { traces }),
  };
  const gateways: Portico[] = [];
  try {
    for (let number = 1; number <= replicas; number += 1)
      gateways.push(await startPortico({ ...started, name: `${name} ${String(number)}` }));
  } catch (error) {
    for (const gateway of gateways) await gateway.stop();
    await redis.stop();
    throw error;
  }
  const [portico] = gateways as [Portico];
  const withTabs = replicas > 1 ? gateways : tabs ? [portico] : [];
  const open = withTabs.map(({ adminUrl }) => openConsoleTabs(adminUrl, replicas > 1));
  return {
    portico,
    samples,
    async stop() {
      for (const each of open) each.close();
      for (const gateway of gateways) await gateway.stop();
      await redis.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function targetOf({ url, key }: Portico, measure: Measure): Target {
  const { path, distinct } = MEASURES[measure];
  return { name: measure, url: `${url}${path}`, key, distinct };
}

async function warmUp({ portico }: Side, measure: Measure, load: Load): Promise<void> {
  const isWarmAt = (await cpuMicroseconds(portico)) + 1e6 * WARM_CPU_SECONDS;
  while ((await cpuMicroseconds(portico)) < isWarmAt)
    await sendUnchecked(targetOf(portico, measure), { ...load, seconds: WARM_LOAD_SECONDS });
}

async function sendCounted({ portico }: Side, measure: Measure, load: Load): Promise<Sample> {
  const before = await cpuMicroseconds(portico);
  const { value, count } = await instructionsWhile(portico.pid, () =>
    sendLoad(targetOf(portico, measure), load),
  );
  const { answers, rate } = value;
  return {
    rate,
    cpuPerRequest: ((await cpuMicroseconds(portico)) - before) / answers,
    instructionsPerRequest: count === undefined ? undefined : count / answers,
  };
}

/**
 * Measures all sides at the same time, on one core, which the system gives to each for some milliseconds in turn. A machine
 * that is shared gets slower and faster by a third within seconds, and that falls on all sides alike.
 */
async function measureTogether(sides: readonly Side[], measure: Measure, load: Load): Promise<void> {
  const taken = await Promise.all(sides.map((side) => sendCounted(side, measure, load)));
  for (const [index, sample] of taken.entries()) sides[index]?.samples[measure].push(sample);
}

/** Starts all and asks them of everything, first to warm them and then to measure. */
async function runRound(
  starts: readonly (() => Promise<Side>)[],
  measures: readonly Measure[],
  load: Load,
): Promise<void> {
  const sides: Side[] = [];
  try {
    for (const start of starts) sides.push(await start());
    for (const measure of measures) await Promise.all(sides.map((side) => warmUp(side, measure, load)));
    for (const measure of measures) await measureTogether(sides, measure, load);
  } finally {
    for (const side of sides) await side.stop();
  }
}

const noSamples = () => Object.fromEntries(measureNames.map((name) => [name, [] as Sample[]])) as Samples;

function medianSample(samples: readonly Sample[]): Sample {
  return {
    rate: median(samples.map(({ rate }) => rate)),
    cpuPerRequest: median(samples.map(({ cpuPerRequest }) => cpuPerRequest)),
    instructionsPerRequest: median(samples.map((sample) => sample.instructionsPerRequest ?? Number.NaN)),
  };
}

/**
 * A paired bench: the gateways of commits and those of this checkout are started anew in each round, because two runs
 * of the very same code differ; which of them comes first changes with the round. All have the same configuration and the
 * same upstream, but for what a variant of this checkout adds. The CPU of a request says most: its inverse is how many
 * requests a core answers. The rates are of a core that all share.
 */
export async function benchAgainst(
  commits: readonly string[],
  { rounds, load, scratch, variants, measures, onInterim }: AgainstOptions,
): Promise<AgainstResult> {
  const theirs = commits.map((commit): Contender => {
    const checkout = checkOut(commit, scratch);
    return { name: checkout.commit, main: checkout.main, variant: {}, samples: noSamples() };
  });
  const ours = Object.entries(variants).map(([name, variant]): Contender => ({
    name,
    variant,
    samples: noSamples(),
  }));
  const compareAll = (): AgainstResult => ({
    rounds,
    seconds: load.seconds,
    comparisons: theirs.flatMap((their) => ours.map((our) => compareContenders(their, our, measures))),
  });
  const upstream = await startUpstream(scratch);
  try {
    for (let round = 0; round < rounds; round += 1) {
      const services = { scratch: join(scratch, `round-${String(round)}`), upstreamUrl: upstream.url };
      const starts = [...theirs, ...ours].map((contender) => () => startSide(contender, services));
      await runRound(round % 2 === 0 ? starts : starts.toReversed(), measures, load);
      console.error(`round ${String(round + 1)} of ${String(rounds)}`);
      // A run takes up to an hour: what it measured is not lost when somebody ends it early.
      if (round + 1 >= ROUNDS_OF_AN_INTERVAL && round + 1 < rounds)
        onInterim({ ...compareAll(), rounds: round + 1 });
    }
  } finally {
    await upstream.stop();
  }
  return compareAll();
}

function compareContenders(their: Contender, our: Contender, names: readonly Measure[]): Comparison {
  const compare = (measure: Measure) => ({
    ...pairRounds(their.samples[measure], our.samples[measure]),
    medians: [medianSample(their.samples[measure]), medianSample(our.samples[measure])] as const,
  });
  const measures = Object.fromEntries(names.map((measure) => [measure, compare(measure)]));
  return { commit: their.name, variant: our.name, measures };
}
