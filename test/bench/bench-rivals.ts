import { existsSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../support/process/free-port.ts';
import { checkGateways } from './check-gateways.ts';
import { compare, nothingMeasured, type Rivals } from './compare.ts';
import { latenciesAt, type Memory, memoryOfPages } from './measures.ts';
import { type Host, type Portico, startPortico } from './portico-server.ts';
import type { BenchResult } from './print-result.ts';
import { isPinned, type Running, startServersWith } from './processes.ts';
import {
  type Lura,
  type Rival,
  type RivalServices,
  startLura,
  startOthers,
  startRedis,
  startRival,
  startUpstream,
} from './rivals.ts';
import { type Load, median, type Target } from './rounds.ts';
import { residentAtRest, startOfCompiled, startOfPackages } from './start-time.ts';
import { type Counting, valgrindPrefix } from './valgrind.ts';
import { costsOfWorkers } from './workers.ts';
import type { Server } from './side-by-side.ts';

export type RivalsOptions = {
  readonly rounds: number;
  readonly load: Load;
  readonly scratch: string;
  /** What is measured. */
  readonly groups: ReadonlySet<string>;
  /** How instructions are counted in Valgrind; absent: CPU is measured, and instructions where the machine counts them. */
  readonly counting?: Counting | undefined;
};

/** What all servers are given, and what ends them. */
type Bench = RivalsOptions & {
  readonly services: RivalServices;
  readonly portico: Portico;
  readonly lura: Lura | undefined;
  /** Has a process end with the bench. */
  readonly keep: <T extends Pick<Running, 'stop'>>(running: T) => T;
  readonly result: BenchResult;
};

const HOT = 'portico hot';

function toServer({ keep }: Bench, { target, running }: Rival): Server {
  return { target, pid: keep(running).pid };
}

async function serverOf(bench: Bench, script: string, path: string, distinct = false): Promise<Server> {
  return toServer(bench, await startRival(script, path, bench.services, distinct));
}

/** The rivals with the duties of Portico. */
async function gatewayRivals(bench: Bench, group: string, path: string, distinct = false): Promise<Rivals> {
  async function rival(script: string): Promise<Server> {
    const { target, pid } = await serverOf(bench, script, path, distinct);
    return { pid, target: { ...target, name: `${script} ${group}` } };
  }
  return {
    [`${group}ToExpress`]: await rival('express-gateway'),
    [`${group}ToFastify`]: await rival('fastify-gateway'),
  };
}

function ourServer(
  { portico }: Pick<Bench, 'portico'>,
  name: string,
  path: string,
  distinct = false,
): Server {
  const target: Target = { name, url: `${portico.url}${path}`, key: portico.key, distinct };
  return { target, pid: portico.pid };
}

const luraServer = ({ lura }: Bench, ratio: string, of: 'kept' | 'called'): Rivals =>
  lura === undefined ? {} : { [ratio]: { target: lura[of], pid: lura.running.pid } };

async function benchHits(bench: Bench): Promise<void> {
  const rival = (script: string) => serverOf(bench, script, '/v1/users');
  const floor = await rival('express-floor');
  const duties = await rival('duties-hit');
  const rivals: Record<string, Server> = {
    hotToExpressFloor: floor,
    hotToDuties: duties,
    ...(await gatewayRivals(bench, 'hot', '/v1/users')),
    ...luraServer(bench, 'hotToLura', 'kept'),
  };
  const { nginx, krakend } = await startOthers(bench.services);
  if (nginx !== undefined) rivals['hotToNginx'] = toServer(bench, nginx);
  if (krakend !== undefined) rivals['hotToKrakend'] = toServer(bench, krakend);
  await compare(bench, ourServer(bench, HOT, '/v1/users'), rivals);
  await compare(bench, duties, { dutiesToExpressFloor: floor });
}

/** A gateway that is mounted in a host, beside one that is a process of its own. */
async function benchMounted(bench: Bench): Promise<void> {
  async function mounted(host: Host): Promise<Server> {
    const name = `mounted-${host}`;
    const portico = bench.keep(await startPortico({ name, host, takesTurns: true, ...bench.services }));
    return ourServer({ portico }, name, '/v1/users');
  }
  const [bare, alone] = [await mounted('bare'), ourServer(bench, HOT, '/v1/users')];
  await compare(bench, bare, { hotMounted: alone });
  const node = await mounted('node');
  await compare(bench, await mounted('tuned'), { hotMountedTuned: alone, hotMountedExpress: node });
  await compare(bench, node, { hotMountedNode: alone });
  await compare(bench, await mounted('authenticates'), { hotAuthenticated: bare });
}

async function benchMisses(bench: Bench): Promise<void> {
  const rival = (script: string) => serverOf(bench, script, '/v1/users', true);
  const byUndici = await rival('naive-undici');
  const duties = await rival('duties-miss');
  await compare(bench, ourServer(bench, 'portico miss', '/v1/users', true), {
    ...(await gatewayRivals(bench, 'miss', '/v1/users', true)),
    missToNaiveAxios: await rival('naive-axios'),
    missToNaiveUndici: byUndici,
    missToDuties: duties,
    ...luraServer(bench, 'missToLura', 'called'),
  });
  await compare(bench, duties, { dutiesToNaiveUndici: byUndici });
}

async function benchPassThrough(bench: Bench): Promise<void> {
  const rival = (script: string) => serverOf(bench, script, '/orders');
  const bare = await rival('bare-proxy');
  const duties = await rival('duties-pass-through');
  await compare(bench, ourServer(bench, 'portico pass-through', '/orders'), {
    ...(await gatewayRivals(bench, 'passthrough', '/orders')),
    passthroughToBareProxy: bare,
    passthroughToDuties: duties,
    passthroughToFastifyProxy: await rival('fastify-proxy'),
  });
  await compare(bench, duties, { dutiesToBareProxy: bare });
}

/** Servers with ever more of the duties, beside the same one without any; Portico, which has all and more, comes last. */
const DUTIES = [
  { floor: 'express-floor', script: 'duties-hit', path: '/v1/users', parts: ['', 'caller', 'caller,log'] },
  {
    ...{ floor: 'naive-undici', script: 'duties-miss', path: '/v1/users', distinct: true },
    parts: ['caller', 'caller,redis', 'caller,redis,log'],
  },
  { floor: 'bare-proxy', script: 'duties-pass-through', path: '/orders', parts: ['caller', 'caller,log'] },
] as const;

/** What each part of the duties costs: the CPU of an answer with it, to that of an answer without any. */
async function benchDuties(bench: Bench): Promise<void> {
  for (const { floor, script, path, parts, ...one } of DUTIES) {
    const isDistinct = 'distinct' in one;
    const rivals: Record<string, Server> = {};
    for (const duties of parts) {
      const services = { ...bench.services, duties };
      const name = `${script}: headers${duties === '' ? '' : `,${duties}`}`;
      rivals[name] = toServer(bench, await startRival(script, path, services, isDistinct));
    }
    rivals[`${script}: portico`] = ourServer(bench, `portico ${script}`, path, isDistinct);
    const result = { ...bench.result, ...nothingMeasured() };
    await compare({ ...bench, result }, await serverOf(bench, floor, path, isDistinct), rivals);
    bench.result.duties = { ...bench.result.duties, ...result.ratios };
  }
}

/** At half of what Portico answers on a core of its own. */
async function benchLatency(bench: Bench): Promise<void> {
  const { rounds, load, result } = bench;
  const hot = ourServer(bench, HOT, '/v1/users');
  const floor = await serverOf(bench, 'express-floor', '/v1/users');
  if (result.costs[HOT] === undefined)
    await compare({ ...bench, rounds: 1 }, hot, { hotToExpressFloor: floor });
  const rate = 1e6 / median(result.costs[HOT] ?? []) / 2;
  result.latency = await latenciesAt([hot.target, floor.target], Math.round(rate), { rounds, ...load });
}

/** What a kept page takes in a gateway that keeps all of them. */
async function memoryPerPage({ services, keep }: Bench): Promise<Memory> {
  const inspectorPort = await freePort();
  const nodeArgs = [`--inspect=127.0.0.1:${String(inspectorPort)}`];
  const cache = { localBytes: '512MiB', localSeconds: '600s' };
  const filled = keep(await startPortico({ name: 'memory', nodeArgs, ...cache, ...services }));
  return memoryOfPages(filled, inspectorPort);
}

/** The compiled gateway, where `npm run build` has made it. */
const COMPILED = join(import.meta.dirname, '../../dist/main.js');
async function benchGroups(bench: Bench): Promise<void> {
  const { groups, result } = bench;
  if (groups.has('hot')) await benchHits(bench);
  if (groups.has('hotMounted')) await benchMounted(bench);
  if (groups.has('miss')) await benchMisses(bench);
  if (groups.has('passthrough')) await benchPassThrough(bench);
  if (groups.has('latency')) await benchLatency(bench);
  if (groups.has('memory')) result.bytesPerPage = await memoryPerPage(bench);
  if (groups.has('duties')) await benchDuties(bench);
  if (groups.has('workers')) result.workers = await costsOfWorkers(bench.rounds, bench.services);
  if (groups.has('start')) result.startPackagesMs = await startOfPackages(bench.services);
  if (!existsSync(COMPILED)) return;
  if (groups.has('start')) result.startCompiledMs = await startOfCompiled(COMPILED, bench.services);
  if (groups.has('memory')) result.bytesAtRest = await residentAtRest(COMPILED, bench.services);
}

/** Measures Portico against servers of other makes and the simplest ones that do the same. */
export async function benchRivals(options: RivalsOptions): Promise<BenchResult> {
  const { rounds, load, scratch, groups } = options;
  const stops: (() => Promise<void>)[] = [];
  const keep: Bench['keep'] = (running) => {
    stops.unshift(() => running.stop());
    return running;
  };
  try {
    if (['hot', 'miss', 'passthrough'].some((group) => groups.has(group))) await checkGateways(scratch);
    if (options.counting !== undefined) startServersWith(valgrindPrefix(options.counting.folder));
    const redis = keep(await startRedis(scratch));
    const upstream = keep(await startUpstream(scratch));
    const shared = { scratch, redisUrl: redis.url, upstreamUrl: upstream.url };
    const portico = keep(await startPortico({ name: 'portico', takesTurns: true, ...shared }));
    const services: RivalServices = { ...shared, key: portico.key };
    const lura = groups.has('hot') || groups.has('miss') ? await startLura(services) : undefined;
    if (lura !== undefined) keep(lura.running);
    const machine = { cpu: cpus()[0]?.model ?? 'unknown', cores: cpus().length, pinned: isPinned };
    const { startMs } = portico;
    const result: BenchResult = { machine, rounds, ...load, ...nothingMeasured(), startMs };
    await benchGroups({ ...options, services, portico, lura, keep, result });
    return result;
  } finally {
    for (const stop of stops) await stop();
  }
}
