import { setTimeout as sleep } from 'node:timers/promises';
import { instructionsWhile } from './instructions.ts';
import { processesOf, processMicroseconds } from './measures.ts';
import { type Load, median, sendLoad, sendUnchecked, type Target } from './rounds.ts';

/** A server and the process that was started for it. */
export type Server = { readonly target: Target; readonly pid: number };

/** A ratio of two servers: the median over the rounds, and the least and greatest of them. */
export type Ratio = { readonly median: number; readonly least: number; readonly greatest: number };

/** What the rounds measured of one server. */
export type Measured = {
  /** Answers per second, of half a core. */
  readonly rates: readonly number[];
  /** User and system time of an answer, microseconds. */
  readonly costs: readonly number[];
  /** Instructions of an answer outside the kernel; empty where the machine does not count them. */
  readonly instructions: readonly number[];
};

/** Two servers that were measured at the same time. */
export type Comparison = {
  readonly rival: string;
  readonly ours: Measured;
  readonly theirs: Measured;
  /** The cost of the rival's answers over that of ours: above 1, ours cost less. Absent where only instructions are counted. */
  readonly ratio: Ratio | undefined;
  /** The same of instructions; absent where they are not counted. */
  readonly instructions: Ratio | undefined;
};

/**
 * Until the compiler has seen everything, a request costs up to three times as much, and the more functions there are the
 * longer that takes.
 */
const WARM_CPU_MICROSECONDS = 20e6;
/** What hardly takes any CPU is warm before it has taken so much. */
const WARM_LOADS_MAX = 8;
const WARM_LOAD_SECONDS = 4;
const warm = new WeakSet<Server>();

async function warmUp(server: Server, load: Load): Promise<void> {
  if (warm.has(server)) return;
  const { target, pid } = server;
  const isWarmAt = (await processMicroseconds(pid)) + WARM_CPU_MICROSECONDS;
  for (let sent = 0; sent < WARM_LOADS_MAX && (await processMicroseconds(pid)) < isWarmAt; sent += 1)
    await sendUnchecked(target, { ...load, seconds: WARM_LOAD_SECONDS });
  warm.add(server);
}

/** What one round measured of one server. */
type Taken = { readonly rate: number; readonly cost: number; readonly instructions: number | undefined };

async function measure({ target, pid }: Server, load: Load): Promise<Taken> {
  const before = await processMicroseconds(pid);
  const { value, count } = await instructionsWhile(pid, () => sendLoad(target, load));
  const { answers, rate } = value;
  const cost = ((await processMicroseconds(pid)) - before) / answers;
  return { rate, cost, instructions: count === undefined ? undefined : count / answers };
}

/** Long beside what it takes until the caches of the core hold another program. */
const TURN_MS = 100;

function signalAll(pids: readonly number[], signal: 'SIGSTOP' | 'SIGCONT'): void {
  for (const pid of pids) process.kill(pid, signal);
}

/** Has servers run in turns until some work is done: each stands still while another one has the core. */
async function inTurns<T>(servers: readonly Server[], work: Promise<T>): Promise<T> {
  const processes = await Promise.all(servers.map(({ pid }) => processesOf(pid)));
  const ended = new AbortController();
  const done = work.finally(() => ended.abort());
  try {
    for (let turn = 0; !ended.signal.aborted; turn += 1) {
      for (const pids of processes) signalAll(pids, 'SIGSTOP');
      signalAll(processes[turn % processes.length] ?? [], 'SIGCONT');
      await Promise.race([sleep(TURN_MS), done]);
    }
    return await done;
  } finally {
    for (const pids of processes) signalAll(pids, 'SIGCONT');
  }
}

/** Compares what answers of two servers take, round by round. */
function ratioOf(ours: readonly number[], theirs: readonly number[]): Ratio {
  const ratios = ours.map((cost, round) => (theirs[round] ?? Number.NaN) / cost);
  return { median: median(ratios), least: Math.min(...ratios), greatest: Math.max(...ratios) };
}

/**
 * Compares a server with its rivals, one rival after the other in each round. Both are asked at the same time, and have the
 * core in turns of a tenth of a second. So a machine that gets slower and faster within seconds does so for both, and neither
 * clears the other's code from the caches all the time. The CPU of an answer is compared; its inverse is how many answers a
 * core of its own would give. Rates would compare the load, which shares the other core. Instructions are compared too.
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
      taken[index]?.push(
        await inTurns([ours, rival], Promise.all([measure(ours, load), measure(rival, load)])),
      );
  }
  return rivals.map((rival, index) => {
    const both = taken[index] ?? [];
    const [us, them] = [toMeasured(both.map(([one]) => one)), toMeasured(both.map(([, other]) => other))];
    const isCounted = us.instructions.length === rounds && them.instructions.length === rounds;
    return {
      rival: rival.target.name,
      ours: us,
      theirs: them,
      ratio: ratioOf(us.costs, them.costs),
      instructions: isCounted ? ratioOf(us.instructions, them.instructions) : undefined,
    };
  });
}

const toMeasured = (taken: readonly Taken[]): Measured => ({
  rates: taken.map(({ rate }) => rate),
  costs: taken.map(({ cost }) => cost),
  instructions: taken.flatMap(({ instructions }) => instructions ?? []),
});
