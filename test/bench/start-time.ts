import { build } from 'esbuild';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { bundleOptions } from '../../src/cli/build/bundle-options.ts';
import { startPortico } from './portico-server.ts';
import { runScript, startScript } from './processes.ts';
import type { RivalServices } from './rivals.ts';
import { median } from './rounds.ts';

// How long the compiled gateway takes from its start to its first answer, and its main packages alone.

const STARTS = 7;

/** The median of a few starts, one after the other, in milliseconds. */
async function medianOf(startOnce: (index: number) => Promise<number>): Promise<number> {
  const taken: number[] = [];
  for (let index = 0; index < STARTS; index += 1) taken.push(await startOnce(index));
  return median(taken);
}

/** From the start of the compiled gateway, `dist/main.js`, to its first answer. */
export function startOfCompiled(main: string, services: RivalServices): Promise<number> {
  return medianOf(async (index) => {
    const started = await startPortico({ name: `compiled-${String(index)}`, main, ...services });
    await started.stop();
    return started.startMs;
  });
}

const REST_MS = 15_000;

/** What the compiled gateway keeps resident some seconds after its first answer, bytes; NaN where the system does not tell. */
export async function residentAtRest(main: string, services: RivalServices): Promise<number> {
  const started = await startPortico({ name: 'at-rest', main, ...services });
  await delay(REST_MS);
  const status = await readFile(`/proc/${String(started.pid)}/status`, 'utf8').catch(() => '');
  await started.stop();
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) * 1_024;
}

/** Bundles `rivals/main-packages.js` with the options of the gateway's bundle, and fills its compile cache. */
async function buildPackages({ scratch, redisUrl, upstreamUrl }: RivalServices) {
  const outdir = join(scratch, 'packages');
  await build({
    ...bundleOptions,
    entryPoints: [join(import.meta.dirname, 'rivals/main-packages.js')],
    outdir,
    outExtension: { '.js': '.mjs' },
  });
  const env = { CACHE_FOLDER: join(outdir, 'cache'), REDIS_URL: redisUrl, UPSTREAM_URL: upstreamUrl };
  const main = join(outdir, 'main-packages.mjs');
  await runScript(main, [], 'load', { ...env, FILL: 'yes' });
  return { main, env };
}

/** From the start of a program that has only the gateway's packages to its first answer. */
export async function startOfPackages(services: RivalServices): Promise<number> {
  const { main, env } = await buildPackages(services);
  return medianOf(async (index) => {
    const logFile = join(services.scratch, `packages-${String(index)}.log`);
    const running = await startScript(main, { core: 'server', logFile, env });
    const { ok } = await fetch(`${running.url}/v1/users`);
    const startMs = performance.now() - running.startedAt;
    await running.stop();
    if (!ok) throw new Error('the packages alone did not answer');
    return startMs;
  });
}
