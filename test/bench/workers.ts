import { offer, type OpenLoopFigure } from '../faults/harness/load/offer.ts';
import { processMicroseconds } from './measures.ts';
import { type Portico, type PorticoOptions, startPortico } from './portico-server.ts';
import { median, sendLoad } from './rounds.ts';

// What CPU an answer takes with one, two and four workers, and with as many gateways apart.

/** Requests a second for each process. At the higher ones, four processes nearly fill one core. */
const RATES = { hit: [250, 750], miss: [50, 130] } as const;

type Measure = keyof typeof RATES;

/** CPU of one answer, all processes together, at a fixed rate. */
export type WorkersCost = {
  readonly measure: Measure;
  /** `workers` of one gateway with a primary, or as many gateways `apart` that share Redis, the core and the caller. */
  readonly as: 'workers' | 'apart';
  readonly processes: number;
  // What CPU an answer takes with one, two and four workers, and with as many gateways apart.

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
const CONNECTIONS = 64;
/** More that were not sent or not answered would make the rate another one. */
const ANSWERED_SHARE_MIN = 0.95;

/** Has the gateways answer as fast as they can, one gateway after another, so that each process is equally warm. */
async function warm(gateways: readonly Portico[], measure: Measure, processes: number): Promise<void> {
  const seconds = (WARM_SECONDS * processes) / gateways.length;
  for (const { url, key } of gateways)
    await sendLoad(
      { name: measure, url: `${url}/v1/users`, key, distinct: measure === 'miss' },
      { seconds, connections: CONNECTIONS },
    );
}

/**
 * One caller asks all gateways at an even rate. One process sends all of it: with one for each gateway, the requests would
 * come in other groups than at one gateway with workers, and how many come together decides what each of them costs.
 */
async function sendEvenly(
  gateways: readonly Portico[],
  measure: Measure,
  rate: number,
): Promise<OpenLoopFigure> {
  const target = measure === 'hit' ? '/v1/users' : '/v1/users?page={new}';
  const figure = await offer({
    ports: gateways.map(({ url }) => Number(new URL(url).port)),
    request: `GET ${target} HTTP/1.1\r\nHost: bench\r\nX-API-Key: ${gateways[0]?.key ?? ''}\r\n\r\n`,
    perSecond: rate,
    seconds: SECONDS,
    warmSeconds: 0,
    connections: CONNECTIONS,
    obeys: false,
  });
  if (figure.good < ANSWERED_SHARE_MIN * figure.offered)
    throw new Error(`${measure}: ${JSON.stringify(figure)}`);
  return figure;
}

/** The CPU of all processes of the gateways, or of their first processes alone. */
async function cpuOf(gateways: readonly Portico[], withChildren: boolean): Promise<number> {
  const all = await Promise.all(gateways.map(({ pid }) => processMicroseconds(pid, withChildren)));
  return all.reduce((sum, one) => sum + one, 0);
}

async function costOf(gateways: readonly Portico[], measure: Measure, rate: number) {
  const read = async () => [await cpuOf(gateways, true), await cpuOf(gateways, false)] as const;
  const [all, first] = await read();
  const { good } = await sendEvenly(gateways, measure, rate);
  const [allThen, firstThen] = await read();
  return { all: (allThen - all) / good, first: (firstThen - first) / good };
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
    { as: 'workers', processes: 4 },
    { as: 'apart', processes: 4 },
  ] as const;
  for (const { as, processes } of groups) {
    const gateways = await startAll(as, processes, services);
    for (const measure of ['hit', 'miss'] as const) {
      await warm(gateways, measure, processes);
      for (const each of RATES[measure]) {
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
