import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { freePort } from '../support/process/free-port.ts';
import { againstLines, benchAgainst, measureNames, type Variant } from './against.ts';
import { cpuPerAnswer, latencyAt, memoryOfPages, type Server } from './measures.ts';
import { startPortico } from './portico-server.ts';
import { isPinned, type Running } from './processes.ts';
import { interleave, median, type Ratio, ratioOf, type Target } from './rounds.ts';
import {
  type RivalServices,
  startLura,
  startOthers,
  startRedis,
  startRival,
  startUpstream,
} from './rivals.ts';
import { printResult } from './print-result.ts';

/*
 * `npm run bench` measures Portico against its rivals. `npm run bench -- --against <commit>,<commit>` measures this checkout
 * against other commits, in pairs. This checkout is measured once more with each of `--traces 0.01` (it records that share
 * of its requests), `--migration` (its file declares one) and `--tabs` (five tabs of the console are open), and
 * `--measures hit,miss` leaves some measures out. With `--json`, the last line is the result as JSON.
 */

const { values } = parseArgs({
  options: {
    json: { type: 'boolean', default: false },
    /** Commits to compare this checkout with, in place of the rivals. */
    against: { type: 'string' },
    /** With `--against`: the share of requests that this checkout records and exports. The audit is always on. */
    traces: { type: 'string' },
    /** With `--against`: this checkout's file declares a migration of the users, which is at rest. */
    migration: { type: 'boolean', default: false },
    /** With `--against`: five tabs of the console are open. */
    tabs: { type: 'boolean', default: false },
    /** With `--against`: what is measured. */
    measures: { type: 'string', default: measureNames.join(',') },
    rounds: { type: 'string' },
    seconds: { type: 'string' },
    connections: { type: 'string', default: '32' },
    groups: { type: 'string', default: 'hot,miss,passthrough,latency,memory,start' },
  },
});
const isPaired = values.against !== undefined;
const rounds = Number(values.rounds ?? (isPaired ? 15 : 7));
const load = {
  seconds: Number(values.seconds ?? (isPaired ? 6 : 3)),
  connections: Number(values.connections),
};
const groups = new Set(values.groups.split(','));

const scratch = await mkdtemp(join(tmpdir(), 'portico-bench-'));
const stops: (() => Promise<void>)[] = [() => rm(scratch, { recursive: true, force: true })];
const keep = <T extends Pick<Running, 'stop'>>(running: T): T => {
  stops.unshift(() => running.stop());
  return running;
};
const rates: Record<string, readonly number[]> = {};
const ratios: Record<string, Ratio> = {};

/** Measures Portico and its rivals in turn, and compares. */
async function compare(ours: Target, theirs: readonly Target[], names: Readonly<Record<string, string>>) {
  const measured = await interleave([ours, ...theirs], rounds, load);
  for (const [name, values] of measured) rates[name] = values;
  for (const [rival, ratio] of Object.entries(names)) {
    const values = measured.get(rival);
    if (values !== undefined) ratios[ratio] = ratioOf(measured.get(ours.name) ?? [], values);
  }
}

/** Measures Portico against servers of other makes and the simplest ones that do the same. */
async function benchRivals(): Promise<void> {
  const redis = keep(await startRedis(scratch));
  const upstream = keep(await startUpstream(scratch));
  const shared = { scratch, redisUrl: redis.url, upstreamUrl: upstream.url };
  const portico = keep(await startPortico({ name: 'portico', ...shared }));
  const services: RivalServices = { ...shared, key: portico.key };
  const server = async (script: string, path: string, distinct: boolean): Promise<Server> => {
    const { target, running } = await startRival(script, path, services, distinct);
    return { target, pid: keep(running).pid };
  };
  const rival = async (script: string, path: string) => (await server(script, path, false)).target;
  const target = (name: string, path: string, distinct = false): Target => ({
    name,
    url: `${portico.url}${path}`,
    key: portico.key,
    distinct,
  });
  const result: Parameters<typeof printResult>[0] = {
    machine: { cpu: cpus()[0]?.model ?? 'unknown', cores: cpus().length, pinned: isPinned },
    rounds,
    ...load,
    rates,
    ratios,
    startMs: portico.startMs,
  };

  const lura = groups.has('hot') || groups.has('miss') ? await startLura(services) : undefined;
  if (lura !== undefined) keep(lura.running);
  const hot = target('portico hot', '/v1/users');
  const floor = await rival('express-floor', '/v1/users');
  if (groups.has('hot')) {
    const others = await startOthers(services);
    for (const { running } of others) keep(running);
    const rivals = [await rival('obvious-gateway', '/v1/users'), await rival('fastify-gateway', '/v1/users')];
    const builds = [...others.map((other) => other.target), ...(lura === undefined ? [] : [lura.kept])];
    await compare(hot, [floor, ...rivals, ...builds], {
      'express-floor': 'hotToExpressFloor',
      'obvious-gateway': 'hotToObviousGateway',
      'fastify-gateway': 'hotToFastify',
      nginx: 'hotToNginx',
      krakend: 'hotToKrakend',
      'lura kept': 'hotToLura',
    });
  }
  if (groups.has('miss')) {
    const byAxios = await server('naive-axios', '/v1/users', true);
    const byUndici = await server('naive-undici', '/v1/users', true);
    const ours = { target: target('portico miss', '/v1/users', true), pid: portico.pid };
    const rivals = [byAxios.target, byUndici.target, ...(lura === undefined ? [] : [lura.called])];
    await compare(ours.target, rivals, {
      'naive-axios': 'missToNaiveAxios',
      'naive-undici': 'missToNaiveUndici',
      lura: 'missToLura',
    });
    const [cost, theirCost] = await cpuPerAnswer([ours, byUndici], rounds, load);
    if (cost !== undefined && !Number.isNaN(cost)) {
      result.missMicroseconds = cost;
      result.undiciMicroseconds = theirCost ?? Number.NaN;
    }
  }
  if (groups.has('passthrough')) {
    const rivals = [await rival('bare-proxy', '/orders'), await rival('fastify-proxy', '/orders')];
    await compare(target('portico pass-through', '/orders'), rivals, {
      'bare-proxy': 'passthroughToBareProxy',
      'fastify-proxy': 'passthroughToFastifyProxy',
    });
  }
  if (groups.has('latency')) {
    const peak = median(rates[hot.name] ?? [(await interleave([hot], 1, load)).get(hot.name)?.[0] ?? 0]);
    const at = { rounds: Math.min(rounds, 3), ...load };
    const ours = await latencyAt(hot, peak / 2, at);
    const theirs = await latencyAt(floor, peak / 2, at);
    result.latency = { rate: peak / 2, portico: ours, floor: theirs };
  }
  if (groups.has('memory')) result.bytesPerPage = await memoryPerPage(shared);
  if (groups.has('start') && existsSync(COMPILED)) result.startCompiledMs = await startOfCompiled(shared);
  printResult(result, values.json);
}

/** What a kept page takes in a gateway that keeps all of them. */
async function memoryPerPage(shared: Pick<RivalServices, 'scratch' | 'redisUrl' | 'upstreamUrl'>) {
  const inspectorPort = await freePort();
  const nodeArgs = [`--inspect=127.0.0.1:${String(inspectorPort)}`];
  const cache = { localBytes: '512MiB', localSeconds: '600s' };
  const filled = keep(await startPortico({ name: 'memory', nodeArgs, ...cache, ...shared }));
  return memoryOfPages(filled, inspectorPort);
}

/** The compiled gateway, where `npm run build` has made it. */
const COMPILED = join(import.meta.dirname, '../../dist/main.js');
const STARTS = 5;

/** From the start of the compiled gateway to its first answer; the median of a few starts, one after the other. */
async function startOfCompiled(shared: Pick<RivalServices, 'scratch' | 'redisUrl' | 'upstreamUrl'>) {
  const taken: number[] = [];
  for (let start = 0; start < STARTS; start += 1) {
    const started = await startPortico({ name: `compiled-${String(start)}`, main: COMPILED, ...shared });
    taken.push(started.startMs);
    await started.stop();
  }
  return median(taken);
}

/** Measures this checkout against other commits of it. */
async function benchCommits(commits: readonly string[]): Promise<void> {
  const { traces, migration, tabs } = values;
  const variants: Record<string, Variant> = { 'this checkout': {} };
  if (traces !== undefined)
    variants[`this checkout, ${traces} of its requests traced`] = { traces: Number(traces) };
  if (migration) variants['this checkout, a migration declared'] = { migration };
  if (tabs) variants['this checkout, five tabs of the console open'] = { tabs };
  const measures = measureNames.filter((name) => values.measures.split(',').includes(name));
  const result = await benchAgainst(commits, { rounds, load, scratch, variants, measures });
  console.log(againstLines(result).join('\n'));
  if (values.json) console.log(JSON.stringify(result));
}

try {
  await (values.against === undefined ? benchRivals() : benchCommits(values.against.split(',')));
} finally {
  for (const stop of stops) await stop();
}
