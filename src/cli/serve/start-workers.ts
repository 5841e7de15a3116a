import { once } from 'node:events';
import { pino } from 'pino';
import type { GatewayConfig } from '../../config/schema/gateway.ts';
import { sharesWork } from '../../config/schema/redis.ts';
import { createPublicSide } from '../../gateway.ts';
import { systemClock } from '../../kernel/clock.ts';
import { createTracing } from '../../telemetry/create-tracing.ts';
import type { PrimaryChannel } from '../../workers/messages.ts';
import { createPrimary } from '../../workers/primary.ts';
import { type BuildGateway, serveAsWorker } from '../../workers/serve-as-worker.ts';
import type { WorkerPlan } from '../../workers/worker-slots.ts';
import { type CliContext, ExitError, exitCodes } from '../context.ts';
import { servedOpenapi } from '../generate/documents.ts';
import { type ReadyConfig, readConfigTexts } from '../input/read-config.ts';
import { tryConfig } from '../input/try-config.ts';
import { version } from '../input/version.ts';

/** How many processes serve a configuration on this machine. */
export function workersOf({ workers, redis }: GatewayConfig, { processes }: CliContext): number {
  if (workers !== 'auto') return workers;
  // Without Redis, limits and purges are those of one process.
  return sharesWork(redis) ? processes.cores : 1;
}

function planOf({ gateway, compiled, texts }: ReadyConfig, context: CliContext): WorkerPlan {
  return {
    texts,
    workers: workersOf(gateway, context),
    drainMs: gateway.listen.drain,
    concurrency: new Map(compiled.map(({ source: { spec } }) => [spec.name, spec.net.concurrency])),
  };
}

/** One worker of a gateway: serves what its primary sends, until the primary ends it. */
export async function runWorker(line: PrimaryChannel, context: CliContext): Promise<void> {
  const to = context.openLog(true);
  const build: BuildGateway = (texts, shareOf) => {
    const { gateway, compiled } = readConfigTexts(texts, context.env);
    const log = pino({ level: gateway.log.level, base: { pid: context.processes.pid } }, to);
    return createPublicSide(gateway, compiled, {
      log,
      tracing: createTracing(gateway.telemetry.traces, { version, log }),
      clock: systemClock,
      openapi: servedOpenapi(),
      version,
      nodeVersion: context.nodeVersion,
      shareOf,
      droppedLogLines: to.droppedLines,
    });
  };
  await serveAsWorker(line, build, context.stop);
}

/** The primary of several workers: has them serve until the process is asked to stop, then has them drain. */
export async function runPrimary(configFile: string, ready: ReadyConfig, context: CliContext): Promise<void> {
  const { processes, stop } = context;
  const { log: logConfig, admin } = ready.gateway;
  const log = pino({ level: logConfig.level, base: { pid: processes.pid } }, context.openLog(true));
  const primary = createPrimary({ plan: planOf(ready, context), admin, fork: processes.fork, log });

  function reload(): void {
    const found = tryConfig(configFile, context);
    if ('problems' in found) {
      primary.refuse(found.problems);
      return;
    }
    const { host, port, token } = found.gateway.admin;
    if (host !== admin.host || port !== admin.port || token?.reveal() !== admin.token?.reveal())
      log.warn({}, 'admin.host, admin.port and admin.token change only when the gateway is restarted');
    primary.reload(planOf(found, context));
  }

  processes.onHangUp(reload);
  try {
    await primary.listen();
  } catch (error) {
    context.err(`portico: ${(error as Error).message}\n`);
    throw new ExitError(exitCodes.failure);
  }
  const stopped = stop.aborted ? Promise.resolve() : once(stop, 'abort');
  const reason = await Promise.race([stopped.then(() => undefined), primary.givenUp]);
  await primary.drain();
  if (reason === undefined) return;
  context.err(`portico: ${reason}\n`);
  throw new ExitError(exitCodes.failure);
}
