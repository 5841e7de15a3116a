import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import type { FaultBench } from '../faults/harness/bench.ts';
import { noPrometheus } from '../operations/harness/prometheus.ts';
import { type BenchRow, promised } from '../faults/harness/row.ts';
import { copyConfig } from '../support/gateway/config-copy.ts';
import { NODE, startUpstreams } from '../support/gateway/gateway-process.ts';
import { freePort } from '../support/process/free-port.ts';
import { program } from '../support/process/program.ts';
import { runProcess, startProcess } from '../support/process/running-process.ts';
import { eventually } from '../support/time/eventually.ts';
import { type ComposeService, environmentOf, filledExample, readCompose } from './harness/compose-file.ts';

const run = promisify(execFile);

/** A command of the image for the program that tests start, run by the Node of the project. */
const ofProgram = (words: readonly string[]) =>
  words.map((word) => (word === 'node' ? NODE : word === 'dist/main.js' ? program() : word));

/** Runs the health check of a service; its container's port is another one here. */
async function checkHealth(
  { healthcheck, ...service }: ComposeService,
  port: number,
): Promise<number | null> {
  const [file = '', ...args] = ofProgram(healthcheck.test.slice(1));
  const aimed = args.map((word) => word.replace(/127\.0\.0\.1:\d+/, `127.0.0.1:${port}`));
  const words = file === 'redis-cli' ? ['-p', String(port), ...aimed] : aimed;
  return (await runProcess(file, words, environmentOf({ healthcheck, ...service }))).code;
}

/** Starts the services that always run, each by its own command and with its own variables. */
async function startServices(bench: FaultBench, passwords: Readonly<Record<string, string>>) {
  const samples = bench.own(await startUpstreams());
  const services = readCompose({ ...passwords, ...samples.env });
  const { gateway, redis, 'redis-cache': cache } = services;
  assert.ok(gateway && redis && cache);
  const keys = await bench.redis(...(redis.command ?? []).slice(1));
  const answers = await bench.redis(...(cache.command ?? []).slice(1));
  const config = copyConfig();
  bench.own({ close: () => config.remove() });
  const env: Record<string, string> = {
    ...environmentOf(gateway),
    ...{ PORT: '0', ADMIN_PORT: '0', HOST: '127.0.0.1' },
    PORTICO_CONFIG: join(dirname(config.file), 'compose.yaml'),
  };
  env['REDIS_URL'] = env['REDIS_URL']?.replace('redis:6379', `127.0.0.1:${keys.port}`) ?? '';
  env['CACHE_REDIS_URL'] =
    env['CACHE_REDIS_URL']?.replace('redis-cache:6379', `127.0.0.1:${answers.port}`) ?? '';
  const started = startProcess(NODE, [program(), 'start'], env);
  bench.own({ close: () => started.kill() });
  const [line] = await started.prints(/^\{.*"msg":"listening"\}$/m);
  const { port, adminPort } = JSON.parse(line) as { port: number; adminPort: number };
  return { services: { gateway, redis, cache }, keys, answers, config, env, port, adminPort };
}

/** The metrics of a gateway, as the token of a viewer reads them. */
async function readMetrics(adminPort: number, token: string): Promise<string> {
  const headers = { Authorization: `Bearer ${token}` };
  const answer = await fetch(`http://127.0.0.1:${adminPort}/metrics`, { headers });
  assert.equal(answer.status, 200);
  return answer.text();
}

const works: BenchRow = {
  id: 'compose-1',
  name: 'the services of docker-compose.yml start by their own commands and variables, are healthy by their own checks, answer with a key made as the file says, and put a changed file in force by themselves',
  fast: true,
  async run(bench) {
    assert.throws(() => readCompose({}), /copy config\/compose\.env\.example to \.env/);
    const passwords = filledExample();
    const { services, keys, answers, config, env, port, adminPort } = await startServices(bench, passwords);
    assert.equal(await checkHealth(services.redis, keys.port), 0);
    assert.equal(await checkHealth(services.cache, answers.port), 0);
    // The password of the other: an error is no health.
    assert.equal(await checkHealth(services.redis, answers.port), 1);
    assert.equal(await checkHealth(services.cache, keys.port), 1);
    await eventually(async () => (await checkHealth(services.gateway, adminPort)) === 0, {
      withinMs: 60_000,
    });

    const text = readFileSync('docker-compose.yml', 'utf8');
    const [, documented = ''] = /docker compose exec gateway (.*)$/m.exec(text) ?? [];
    const [file = '', ...words] = ofProgram(documented.split(' '));
    const { code, out, err } = await runProcess(file, words, env);
    assert.deepEqual({ code, err }, { code: 0, err: '' });
    const [key = ''] = /ptk_\w+/.exec(out) ?? [];
    const ask = () =>
      fetch(`http://127.0.0.1:${port}/v1/products?limit=3`, { headers: { Authorization: `Bearer ${key}` } });
    await eventually(async () => (await ask()).status === 200, { withinMs: 30_000, everyMs: 100 });

    const digest = async () =>
      /portico_config_info\{digest="([\w-]+)"/.exec(
        await readMetrics(adminPort, passwords['VIEWER_TOKEN'] ?? ''),
      )?.[1];
    const before = await digest();
    config.edit('compose.yaml', 'failedCredentials: 120', 'failedCredentials: 121');
    const startedAt = performance.now();
    await eventually(async () => (await digest()) !== before, { withinMs: 60_000, everyMs: 50 });
    return promised(true, {
      services: 3,
      passwords: Object.keys(passwords).length,
      'reload ms': performance.now() - startedAt,
    });
  },
};

const observed: BenchRow = {
  id: 'compose-2',
  name: 'Prometheus scrapes the gateway by config/prometheus/prometheus.yaml with the token of a viewer, and has loaded every alert',
  skip: noPrometheus,
  async run(bench) {
    const passwords = filledExample();
    const { adminPort } = await startServices(bench, passwords);
    const folder = mkdtempSync(join(tmpdir(), 'portico-observe-'));
    bench.own({ close: () => rmSync(folder, { recursive: true }) });
    const at = (name: string) => join(folder, name);
    const given = readFileSync('config/prometheus/prometheus.yaml', 'utf8');
    const aimed = given
      .replace('gateway:9090', `127.0.0.1:${adminPort}`)
      .replace('/run/secrets/viewer-token', at('viewer-token'))
      .replace('scrape_interval: 15s', 'scrape_interval: 1s');
    writeFileSync(at('prometheus.yml'), aimed);
    writeFileSync(at('viewer-token'), passwords['VIEWER_TOKEN'] ?? '');
    copyFileSync('config/alerts.yaml', at('alerts.yaml'));
    await run('promtool', ['check', 'config', at('prometheus.yml')]);
    const listen = `127.0.0.1:${await freePort()}`;
    const args = [
      `--config.file=${at('prometheus.yml')}`,
      `--storage.tsdb.path=${at('data')}`,
      `--web.listen-address=${listen}`,
    ];
    const prometheus = startProcess('prometheus', args);
    bench.own({ close: () => prometheus.kill() });
    const api = async (path: string) =>
      ((await (await fetch(`http://${listen}/api/v1/${path}`)).json()) as { data: never }).data;
    const isUp = async () => {
      const { result } = (await api('query?query=up{job="portico"}')) as {
        result: { value: [number, string] }[];
      };
      return result[0]?.value[1] === '1';
    };
    await eventually(isUp, { withinMs: 60_000, everyMs: 200 });
    const { groups } = (await api('rules')) as { groups: { rules: unknown[] }[] };
    const rules = groups.flatMap((group) => group.rules).length;
    const written = [...readFileSync('config/alerts.yaml', 'utf8').matchAll(/- alert:/g)].length;
    return promised(rules === written, { rules, 'of the file': written });
  },
};

/** The start for real use on one machine. */
export const composeRows: readonly BenchRow[] = [works, observed];
