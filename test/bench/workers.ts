import { processMicroseconds } from './measures.ts';
import { type Portico, type PorticoOptions, startPortico } from './portico-server.ts';
import { median, sendLoad, type Target } from './rounds.ts';

/** How many processes serve, and how many requests each of them gets in a second. */
const LOADS = {
  hit: [
    { processes: 1, each: 250 },
    { processes: 4, each: 250 },
    { processes: 1, each: 500 },
    { processes: 2, each: 500 },
  ],
  miss: [
    { processes: 1, each: 50 },
    { processes: 4, each: 50 },
    { processes: 1, each: 100 },
    { processes: 2, each: 100 },
  ],
} as const;

/** CPU of one answer, all processes together, at a fixed rate. */
export type WorkersCost = {
  readonly measure: 'hit' | 'miss';
  /** `workers` of one gateway with a primary, or as many gateways `apart` that share only Redis and the core. */
  readonly as: 'workers' | 'apart';
  readonly processes: number;
  /** Requests a second for each process. */
  readonly each: number;
  /** Microseconds, the median of the rounds. */
  readonly cost: number;
  /** Of this, the primary; with one process, 0. */
  readonly primary: number;
};

type Services = Pick<PorticoOptions, 'scratch' | 'redisUrl' | 'upstreamUrl'>;

const SECONDS = 8;
/** Seconds of CPU for each process: a miss is not warm before. */
const WARM_SECONDS = 20;
const CONNECTIONS = 32;

function targetOf({ url, key }: Portico, measure: 'hit' | 'miss'): Target {
  return { name: measure, url: `${url}/v1/users`, key, distinct: measure === 'miss' };
}

/** Sends load to all gateways at once; how many answers came. `rate` is for all of them together. */
async function sendToAll(
  gateways: readonly Portico[],
  measure: 'hit' | 'miss',
  seconds: number,
  rate?: number,
): Promise<number> {
  const connections = CONNECTIONS / gateways.length;
  const load = { seconds, connections, ...(rate === undefined ? {} : { rate: rate / gateways.length }) };
  const rounds = await Promise.all(gateways.map((one) => sendLoad(targetOf(one, measure), load)));
  return rounds.reduce((sum, { answers }) => sum + answers, 0);
}

/** The CPU of all processes of the gateways, or of their first processes alone. */
async function cpuOf(gateways: readonly Portico[], withChildren: boolean): Promise<number> {
  const all = await Promise.all(gateways.map(({ pid }) => processMicroseconds(pid, withChildren)));
  return all.reduce((sum, one) => sum + one, 0);
}

async function costOf(gateways: readonly Portico[], measure: 'hit' | 'miss', rate: number) {
  const read = async () => [await cpuOf(gateways, true), await cpuOf(gateways, false)] as const;
  const [all, first] = await read();
  const answers = await sendToAll(gateways, measure, SECONDS, rate);
  const [allThen, firstThen] = await read();
  return { all: (allThen - all) / answers, first: (firstThen - first) / answers };
}

function startAll(as: WorkersCost['as'], processes: number, services: Services): Promise<Portico[]> {
  const gateways = as === 'workers' ? 1 : processes;
  const workers = processes / gateways;
  const name = (index: number) => `${as}-${String(processes)}-${String(index)}`;
  return Promise.all(
    Array.from({ length: gateways }, (_, index) => startPortico({ name: name(index), workers, ...services })),
  );
}

/** What an answer costs with more processes, at the same rate for each of them. */
export async function costsOfWorkers(rounds: number, services: Services): Promise<readonly WorkersCost[]> {
  const costs: WorkersCost[] = [];
  const groups = [
    { as: 'workers', processes: 1 },
    { as: 'workers', processes: 2 },
    { as: 'apart', processes: 2 },
    { as: 'workers', processes: 4 },
    { as: 'apart', processes: 4 },
  ] as const;
  for (const { as, processes } of groups) {
    const gateways = await startAll(as, processes, services);
    for (const measure of ['hit', 'miss'] as const) {
      await sendToAll(gateways, measure, WARM_SECONDS * processes);
      for (const { each } of LOADS[measure].filter((one) => one.processes === processes)) {
        const taken = [];
        for (let round = 0; round < rounds; round += 1)
          taken.push(await costOf(gateways, measure, each * processes));
        const cost = median(taken.map(({ all }) => all));
        const first = median(taken.map((one) => one.first));
        costs.push({ measure, as, processes, each, cost, primary: processes > gateways.length ? first : 0 });
      }
    }
    await Promise.all(gateways.map((one) => one.stop()));
  }
  return costs;
}
