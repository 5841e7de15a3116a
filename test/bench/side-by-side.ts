import { processMicroseconds } from './measures.ts';
import { type Load, median, sendLoad, sendUnchecked, type Target } from './rounds.ts';

/** A server and the process that was started for it. */
export type Server = { readonly target: Target; readonly pid: number };

/** A ratio of two servers: the median over the rounds, and the least and greatest of them. */
export type Ratio = { readonly median: number; readonly least: number; readonly greatest: number };

/** What the rounds measured of one server. */
export type Measured = {
  /** Answers per second, of a core that two servers share. */
  readonly rates: readonly number[];
  /** User and system time of an answer, microseconds. */
  readonly costs: readonly number[];
};

/** Two servers that were measured at the same time. */
export type Comparison = {
  readonly rival: string;
  readonly ours: Measured;
  readonly theirs: Measured;
  /** The cost of the rival's answers over that of ours: above 1, ours cost less. */
  readonly ratio: Ratio;
};

/** Until the compiler has seen everything, a request costs up to three times as much. */
const WARM_CPU_MICROSECONDS = 5e6;
/** What hardly takes any CPU is warm before it has taken so much. */
const WARM_LOADS_MAX = 8;
const WARM_LOAD_SECONDS = 2;

async function warmUp({ target, pid }: Server, load: Load): Promise<void> {
  const isWarmAt = (await processMicroseconds(pid)) + WARM_CPU_MICROSECONDS;
  for (let sent = 0; sent < WARM_LOADS_MAX && (await processMicroseconds(pid)) < isWarmAt; sent += 1)
    await sendUnchecked(target, { ...load, seconds: WARM_LOAD_SECONDS });
}

async function measure({ target, pid }: Server, load: Load): Promise<{ rate: number; cost: number }> {
  const before = await processMicroseconds(pid);
  const { answers, rate } = await sendLoad(target, load);
  return { rate, cost: ((await processMicroseconds(pid)) - before) / answers };
}

/** Compares the costs of two servers round by round. */
function ratioOf(ours: readonly number[], theirs: readonly number[]): Ratio {
  const ratios = ours.map((cost, round) => (theirs[round] ?? Number.NaN) / cost);
  return { median: median(ratios), least: Math.min(...ratios), greatest: Math.max(...ratios) };
}

/**
 * Compares a server with its rivals, one rival after the other in each round. The two are asked at the same time and share
 * one core: a machine that gets slower and faster within seconds does so for both. The CPU of an answer is compared; its
 * inverse is how many answers a core of its own would give. Rates would compare the load, which shares the other core.
 */
export async function compareSideBySide(
  ours: Server,
  rivals: readonly Server[],
  rounds: number,
  load: Load,
): Promise<readonly Comparison[]> {
  for (const server of [ours, ...rivals]) await warmUp(server, load);
  const taken = rivals.map(() => [] as (readonly [Taken, Taken])[]);
  for (let round = 0; round < rounds; round += 1) {
    for (const [index, rival] of rivals.entries())
      taken[index]?.push(await Promise.all([measure(ours, load), measure(rival, load)]));
  }
  return rivals.map((rival, index) => {
    const both = taken[index] ?? [];
    const [us, them] = [toMeasured(both.map(([one]) => one)), toMeasured(both.map(([, other]) => other))];
    return { rival: rival.target.name, ours: us, theirs: them, ratio: ratioOf(us.costs, them.costs) };
  });
}

type Taken = Awaited<ReturnType<typeof measure>>;

const toMeasured = (taken: readonly Taken[]): Measured => ({
  rates: taken.map(({ rate }) => rate),
  costs: taken.map(({ cost }) => cost),
});
