import { once } from 'node:events';
import { pino } from 'pino';
import { ConfigError } from '../../config/problem.ts';
import { createGateway, type Gateway, type GatewayServices } from '../../gateway.ts';
import { systemClock } from '../../kernel/clock.ts';
import { type CliContext, ExitError, exitCodes, type LogDestination } from '../context.ts';
import { servedOpenapi } from '../generate/documents.ts';
import type { ServedConfig } from '../../reload/snapshot.ts';
import { printProblems, readConfig, type ReadyConfig } from '../input/read-config.ts';
import { tracingOrExit } from './tracing.ts';
import { runPrimary, runWorker, workersOf } from './start-workers.ts';
import { version } from '../input/version.ts';
import { readLastGood } from './last-good.ts';
import { createOpenReloading } from './open-reloading.ts';

/** A gateway that listens, and where. */
export type RunningGateway = { readonly gateway: Gateway; readonly port: number; readonly adminPort: number };

/** Starts a gateway that logs to `to`; a port that is taken ends the command with one line. */
export async function startGateway(
  { gateway: config, compiled }: ServedConfig,
  context: CliContext,
  to: LogDestination,
  reloading?: GatewayServices['reloading'],
): Promise<RunningGateway> {
  const log = pino({ level: config.log.level, base: null }, to);
  const gateway = createGateway(
    { gateway: config, compiled },
    {
      log,
      tracing: tracingOrExit(config, context, log),
      clock: systemClock,
      openapi: servedOpenapi(),
      version,
      nodeVersion: context.nodeVersion,
      instance: `${context.processes.host}:${context.processes.pid}`,
      droppedLogLines: to.droppedLines,
      reloading,
    },
  );
  try {
    return { gateway, ...(await gateway.listen()) };
  } catch (error) {
    await gateway.close();
    const { code = 'error', port } = error as NodeJS.ErrnoException & { port?: number };
    context.err(`portico: cannot listen on port ${port ?? '?'} (${code})\n`);
    throw new ExitError(exitCodes.failure);
  }
}

/** The configuration to start with. Where the files are broken, the last good one that was kept. */
function readFirst(configFile: string, context: CliContext): { ready: ReadyConfig; isFallback: boolean } {
  try {
    return { ready: readConfig(configFile, context.env), isFallback: false };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    printProblems(error, context);
    const ready = readLastGood(configFile, context);
    if (ready === undefined) throw new ExitError(exitCodes.config);
    context.err('portico: the last good configuration, kept in state.dir, is served instead\n');
    return { ready, isFallback: true };
  }
}

/** `portico start`: serves until the process is asked to stop, then drains. */
export async function runStart(configFile: string, context: CliContext): Promise<void> {
  if (context.processes.primary !== undefined) {
    await runWorker(context.processes.primary, context);
    return;
  }
  const { ready, isFallback } = readFirst(configFile, context);
  const openReloading = createOpenReloading(configFile, ready, isFallback, context);
  if (workersOf(ready.gateway, context) > 1) {
    await runPrimary(ready, openReloading, context);
    return;
  }
  const to = context.openLog();
  const log = pino({ level: ready.gateway.log.level, base: null }, to);
  const { reloading, start } = openReloading(log);
  const { gateway } = await startGateway(ready, context, to, {
    ...{ pid: context.processes.pid, texts: ready.texts },
    ...reloading,
  });
  if (gateway.reload !== undefined) start(gateway.reload);
  if (!context.stop.aborted) await once(context.stop, 'abort');
  await gateway.drain();
}
