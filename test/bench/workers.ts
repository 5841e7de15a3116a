import { processMicroseconds } from './measures.ts';
import { type Portico, type PorticoOptions, startPortico } from './portico-server.ts';
import { median, sendLoad, type Target } from './rounds.ts';

/** How many workers, and how many requests each of them gets in a second. */
const LOADS = {
  hit: [
    { workers: 1, each: 250 },
    { workers: 4, each: 250 },
    { workers: 1, each: 500 },
    { workers: 2, each: 500 },
    { workers: 1, each: 1_000 },
  ],
  miss: [
    { workers: 1, each: 50 },
    { workers: 4, each: 50 },
    { workers: 1, each: 100 },
    { workers: 2, each: 100 },
    { workers: 1, each: 200 },
  ],
} as const;

/** CPU of one answer of a gateway, all its processes together, at a fixed rate. */
export type WorkersCost = {
  readonly measure: 'hit' | 'miss';
  readonly workers: number;
  /** Requests a second for each worker. */
  readonly each: number;
  /** Microseconds, the median of the rounds. */
  readonly cost: number;
  /** Of this, the first process: with more than one worker, the primary. */
  readonly primary: number;
};

const SECONDS = 8;
const WARM_SECONDS = 20;
const CONNECTIONS = 32;

function targetOf({ url, key }: Portico, measure: 'hit' | 'miss'): Target {
  return { name: measure, url: `${url}/v1/users`, key, distinct: measure === 'miss' };
}

async function costOf(
  portico: Portico,
  measure: 'hit' | 'miss',
  rate: number,
): Promise<{ all: number; first: number }> {
  const read = async () => ({
    all: await processMicroseconds(portico.pid),
    first: await processMicroseconds(portico.pid, false),
  });
  const before = await read();
  const { answers } = await sendLoad(targetOf(portico, measure), {
    seconds: SECONDS,
    connections: CONNECTIONS,
    rate,
  });
  const after = await read();
  return { all: (after.all - before.all) / answers, first: (after.first - before.first) / answers };
}

/** What an answer costs with more workers, at the same rate for each of them. */
export async function costsOfWorkers(
  rounds: number,
  services: Pick<PorticoOptions, 'scratch' | 'redisUrl' | 'upstreamUrl'>,
): Promise<readonly WorkersCost[]> {
  const costs: WorkersCost[] = [];
  for (const workers of [1, 2, 4]) {
    const portico = await startPortico({ name: `workers-${String(workers)}`, workers, ...services });
    for (const measure of ['hit', 'miss'] as const) {
      const load = { seconds: WARM_SECONDS, connections: CONNECTIONS };
      await sendLoad(targetOf(portico, measure), load);
      for (const { each } of LOADS[measure].filter((one) => one.workers === workers)) {
        const taken = [];
        for (let round = 0; round < rounds; round += 1)
          taken.push(await costOf(portico, measure, each * workers));
        const [cost, primary] = [
          median(taken.map(({ all }) => all)),
          median(taken.map(({ first }) => first)),
        ];
        costs.push({ measure, workers, each, cost, primary });
      }
    }
    await portico.stop();
  }
  return costs;
}
