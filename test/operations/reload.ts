import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { readSettledTexts } from '../../src/cli/input/checked-config.ts';
import { watchedFiles } from '../../src/cli/serve/config-fingerprint.ts';
import { readConfig } from '../../src/cli/input/read-config.ts';
import { createConfigWatch } from '../../src/gateway/reload/watch-config.ts';
import type { ReloadAnswer } from '../../src/admin/api/config-action-specs.ts';
import type { FaultBench } from '../faults/harness/bench.ts';
import { injectVitals, readVitals } from '../faults/harness/soak/vitals.ts';
import { copyConfig } from '../support/gateway/config-copy.ts';
import {
  type GatewayProcess,
  startGatewayProcess,
  startUpstreams,
} from '../support/gateway/gateway-process.ts';
import { mountConfig } from '../support/gateway/mounted-config.ts';
import { startUpstream } from '../support/upstream/scripted-upstream.ts';
import { forwardingTo } from '../support/upstream/scripts.ts';
import { createRandom } from '../../src/cli/demo/data/random.ts';
import { mutate } from './harness/mutate-config.ts';
import {
  answerOf,
  DIFFERING,
  numbered,
  openToAll,
  QUESTIONS,
  underLoad,
  writeVariant,
} from './harness/two-configurations.ts';
import { type BenchRow, promised } from '../faults/harness/row.ts';

/** Collecting the garbage of several processes takes time: the row of `npm test` leaves it out. */
const isHeapRead = (times: number) => times >= 100;
/** Lines of the audit, and answers that were read by sources as they were. A lost configuration is a multiple for each reload. */
const GROWN_MIB_MAX = 1;
const toText = (heaps: readonly number[]) => heaps.map((mib) => mib.toFixed(1)).join(', ');

const reload = async (gateway: GatewayProcess) => (await gateway.reload()).outcome;

/** MiB that each process of a gateway holds once its garbage is collected, without compiled code, which comes with use. */
async function readHeaps(bench: FaultBench, gateway: GatewayProcess, serving: ReloadAnswer['processes']) {
  const heaps: number[] = [];
  for (const pid of new Set([gateway.process.pid, ...serving.map((one) => one.pid)]))
    heaps.push((await readVitals(bench, gateway, pid)).data);
  return heaps;
}

async function reloadOften(bench: FaultBench, times: number, workers: number) {
  const config = copyConfig();
  openToAll(config, workers);
  const { CATALOG_URL, ...samples } = bench.own(await startUpstreams()).env;
  const catalog = bench.own(await startUpstream(forwardingTo(CATALOG_URL)));
  const redis = workers > 1 ? { REDIS_URL: (await bench.redis()).url } : undefined;
  const vitals = bench.own(injectVitals());
  const env = { ...samples, ...redis, ...vitals.env, CATALOG_URL: catalog.origin };
  const gateway = bench.own(await startGatewayProcess(env, config.file));
  const models = new Map(QUESTIONS.map((question) => [question, new Set<string>()]));
  for (const isOther of [false, true]) {
    if (isOther) writeVariant(config, true);
    if (isOther) await reload(gateway);
    for (const [question, answers] of models) answers.add(await answerOf(gateway.url + question));
  }
  const heaps: (readonly number[])[] = [];
  const connections: number[] = [];
  let applied = 0;
  const { odd, answers } = await underLoad(gateway.url, models, async () => {
    for (let time = 0; time < times; time += 1) {
      writeVariant(config, time % 2 === 1);
      config.edit('sources/crm.yaml', numbered(time), numbered(time + 1));
      const { kind, processes, digest } = await reload(gateway);
      if (kind === 'applied' && processes.every((one) => one.digest === digest)) applied += 1;
      const isDue = time === Math.floor(times / 5) || time === times - 1;
      if (isHeapRead(times) && isDue) heaps.push(await readHeaps(bench, gateway, processes));
      connections.push(catalog.connections);
    }
  });
  config.remove();
  const [early = [], late = []] = heaps;
  const grownMib = Math.max(0, ...late.map((mib, at) => mib - (early[at] ?? 0)));
  const differing = [...models.values()].filter((both) => both.size > 1).length;
  const opened = (connections.at(-1) ?? 0) - (connections[Math.floor(times / 4)] ?? 0);
  return promised(
    applied === times &&
      odd.length === 0 &&
      opened <= times / 10 &&
      differing === DIFFERING &&
      grownMib <= GROWN_MIB_MAX,
    {
      reloads: applied,
      answers,
      'of neither or failed': odd.length,
      'differing questions': differing,
      'first odd': odd[0] ?? 'none',
      'connections opened to the unchanged source in the last three quarters': opened,
      ...(isHeapRead(times) && {
        'MiB in each process, garbage collected, after a fifth of them': toText(early),
        'and after all': toText(late),
      }),
    },
  );
}

const often = (id: string, times: number, workers: number, fast: boolean): BenchRow => ({
  id,
  name: `${times} reloads under load, ${workers === 1 ? 'one process' : `${workers} workers`}: each answer is right by one of the two configurations, none fails, connections of an unchanged source stay, no process grows`,
  fast,
  run: (bench) => reloadOften(bench, times, workers),
});

async function mutateOften(bench: FaultBench, times: number) {
  const config = copyConfig();
  const folder = dirname(config.file);
  const sources = readdirSync(join(folder, 'sources')).map((name) => join('sources', name));
  const files = ['portico.yaml', ...sources].map((name) => join(folder, name));
  const originals = new Map(files.map((file) => [file, readFileSync(file, 'utf8')]));
  const env = { HOST: '127.0.0.1', PORT: '0', ADMIN_PORT: '0', ...bench.samples.env };
  const gateway = bench.own(await startGatewayProcess(env, config.file));
  const random = createRandom(1);
  const kinds: Record<string, number> = {};
  let servedThoughRefused = 0;
  for (let time = 0; time < times; time += 1) {
    const file = random.pick(files);
    writeFileSync(file, mutate(originals.get(file) ?? '', random));
    const { kind } = await reload(gateway);
    kinds[kind] = (kinds[kind] ?? 0) + 1;
    if (kind !== 'refused')
      await readSettledTexts(config.file, { ...process.env, ...env }).catch(() => (servedThoughRefused += 1));
    writeFileSync(file, originals.get(file) ?? '');
  }
  const isAlive = (await reload(gateway)).kind !== 'refused';
  config.remove();
  const { refused = 0, applied = 0, unchanged = 0 } = kinds;
  return promised(servedThoughRefused === 0 && isAlive && refused > 0, {
    mutations: times,
    refused,
    applied,
    equivalent: unchanged,
    'served though check refuses': servedThoughRefused,
  });
}

const mutations = (id: string, times: number, fast: boolean): BenchRow => ({
  id,
  name: `of ${times} mutated configurations none is served that check would refuse`,
  fast,
  run: (bench) => mutateOften(bench, times),
});

const watched = (id: string, times: number, fast: boolean): BenchRow => ({
  id,
  name: `a folder swapped ${times} times as Kubernetes does it is seen each time within 31 s`,
  fast,
  async run(bench) {
    const mounted = mountConfig((config) =>
      config.edit('portico.yaml', 'workers: ${WORKERS:-1}', 'reload: watch\nworkers: 1'),
    );
    const gateway = bench.own(await startGatewayProcess(bench.samples.env, mounted.file));
    let [seen, slowestMs] = [0, 0];
    for (let time = 1; time <= times; time += 1) {
      mounted.swap((config) => config.edit('portico.yaml', 'notFound: 2s', `notFound: ${2 + time}s`));
      const counted = () => gateway.counted('portico_config_reloads_total', 'outcome="applied"');
      slowestMs = Math.max(slowestMs, await bench.until(async () => (await counted()) >= time, 60_000, 20));
      seen += 1;
    }
    mounted.remove();
    bench.atMost('ms until a swap is in force', slowestMs, 31_000);
    return promised(seen === times, { swaps: times, seen, 'slowest s': slowestMs / 1_000 });
  },
});

const polled: BenchRow = {
  id: 'reload-6',
  name: 'without a word from the system, every one of 20 swaps is found at the next look, every 30 s with --long',
  async run(bench) {
    const mounted = mountConfig(() => undefined);
    const { texts } = readConfig(mounted.file, process.env);
    let found = 0;
    const watch = createConfigWatch({
      ...watchedFiles(mounted.file, () => texts),
      folders: () => [],
      onChange: () => Promise.resolve((found += 1)),
      onUnwatched: () => undefined,
      quietMs: 10,
      ...(!bench.long && { pollMs: 100 }),
    });
    watch.set(true);
    let slowestMs = 0;
    for (let time = 1; time <= 20; time += 1) {
      // After a change it looks once more; this one is to be found by the clock alone.
      await bench.sleep(60);
      mounted.swap((config) => config.edit('portico.yaml', 'notFound: 2s', `notFound: ${2 + time}s`));
      slowestMs = Math.max(slowestMs, await bench.until(() => found === time));
    }
    watch.close();
    mounted.remove();
    bench.atMost('ms until a swap is found', slowestMs, 31_000);
    return promised(found === 20, { swaps: 20, found, 'slowest s': slowestMs / 1_000 });
  },
};

/** What is promised of changes of the configuration. */
export const reloadRows: readonly BenchRow[] = [
  often('reload-1', 200, 1, false),
  often('reload-2', 200, 2, false),
  often('reload-1a', 8, 1, true),
  mutations('reload-3', 1_000, false),
  mutations('reload-3a', 15, true),
  watched('reload-5', 20, false),
  polled,
];
