// Starts a gateway of several processes for `portico start`: a primary, and workers that serve.

import { once } from 'node:events';
import { pino } from 'pino';
import type { GatewayConfig } from '../../config/schema/gateway.ts';
import { sharesWork } from '../../config/schema/redis.ts';
import { createExplainActions } from '../../workbench/explain/explain-action.ts';
import type { SoundConfig } from '../../gateway/reload/reload-outcome.ts';
import { createPublicSide } from '../../gateway/reload/public-side.ts';
import { configDigest } from '../../gateway/reload/snapshot.ts';
import { finishSteps, finishStepsInTurns } from '../../kernel/yield-to-loop.ts';
import { systemClock } from '../../kernel/clock.ts';
import { createTracing } from '../../telemetry/span-exporter.ts';
import type { PrimaryChannel } from '../../gateway/workers/messages.ts';
import { createPrimary } from '../../gateway/workers/primary.ts';
import { type BuildGateway, serveAsWorker } from '../../gateway/workers/serve-as-worker.ts';
import type { WorkerPlan } from '../../gateway/workers/worker-slots.ts';
import { type CliContext, ExitError, exitCodes, type Processes } from '../context/context.ts';
import { servedRunbook, version } from '../input/shipped-files.ts';
import { type ReadyConfig, readConfigTexts } from '../input/read-config.ts';
import type { OpenReloadTriggers } from './reload-triggers.ts';

/** How many processes serve a configuration on this machine. */
export function workersOf({ workers, redis }: GatewayConfig, { processes }: CliContext): number {
  if (workers !== 'auto') return workers;
  // Without Redis, processes cannot share limits and purges, so there is only one.
  return sharesWork(redis) ? processes.cores : 1;
}

/** What a gateway gets from this process, and the texts that it serves. */
export function processServices({
  processes,
  nodeVersion,
}: Pick<CliContext, 'nodeVersion'> & { readonly processes: Pick<Processes, 'pid' | 'host'> }) {
  return {
    ...{ clock: systemClock, createExplainActions, version, nodeVersion },
    runbook: servedRunbook(),
    instance: `${processes.host}:${processes.pid}`,
  };
}

function planOf(config: SoundConfig, context: CliContext): WorkerPlan {
  const { gateway, compiled, texts } = config;
  return {
    texts,
    digest: configDigest(config),
    workers: workersOf(gateway, context),
    drainMs: gateway.listen.drain,
    concurrency: new Map(compiled.map(({ source: { spec } }) => [spec.name, spec.net.concurrency])),
  };
}

/** Runs one worker of a gateway. It serves the configuration that its primary sends, until the primary ends it. */
export async function runWorker(line: PrimaryChannel, context: CliContext): Promise<void> {
  const to = context.openLog(true);
  const build: BuildGateway = (texts, quotaOf) => {
    const served = finishSteps(readConfigTexts(texts, context.env));
    const { log: logging, telemetry } = served.gateway;
    const log = pino({ level: logging.level, base: { pid: context.processes.pid } }, to);
    const side = createPublicSide(served, {
      ...processServices(context),
      log,
      tracing: createTracing(telemetry.traces, { version, log }),
      quotaOf,
      droppedLogLines: to.droppedLines,
    });
    return {
      ...side,
      // It compiles one file at a time, and serves requests in between.
      stage: async (next) => side.stage(await finishStepsInTurns(readConfigTexts(next, context.env))),
    };
  };
  await serveAsWorker(line, build, context.stop);
}

/** Starts several workers. Call the result to have them serve until the process is asked to stop, then drain. */
export async function openPrimary(
  ready: ReadyConfig,
  openReloadTriggers: OpenReloadTriggers,
  context: CliContext,
): Promise<() => Promise<void>> {
  const { processes, stop } = context;
  const log = pino({ level: ready.gateway.log.level, base: { pid: processes.pid } }, context.openLog(true));
  const { reloading, start } = openReloadTriggers(ready, log);
  function onInForce(config: SoundConfig): void {
    log.level = config.gateway.log.level;
    reloading.onInForce(config);
  }
  const primary = createPrimary({
    first: ready,
    planOf: (config) => planOf(config, context),
    reloading: { ...reloading, onInForce },
    fork: processes.fork,
    log,
    ...processServices(context),
  });
  start(primary.reload);
  try {
    await primary.listen();
  } catch (error) {
    throw new ExitError(exitCodes.failure, (error as Error).message);
  }
  return async function serve() {
    const stopped = stop.aborted ? Promise.resolve() : once(stop, 'abort');
    const reason = await Promise.race([stopped.then(() => undefined), primary.givenUp]);
    await primary.drain();
    if (reason !== undefined) throw new ExitError(exitCodes.failure, reason);
  };
}
