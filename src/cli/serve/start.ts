import { once } from 'node:events';
import { type Logger, pino } from 'pino';
import { createGateway, type Gateway } from '../../gateway.ts';
import { systemClock } from '../../kernel/clock.ts';
import { type CliContext, ExitError, exitCodes, type LogDestination } from '../context.ts';
import { servedOpenapi } from '../generate/documents.ts';
import { type ReadyConfig, readConfigOrExit } from '../input/read-config.ts';
import { tracingOrExit } from './tracing.ts';
import { runPrimary, runWorker, workersOf } from './start-workers.ts';
import { tryConfig } from '../input/try-config.ts';
import { version } from '../input/version.ts';

/** A gateway that listens, and where. */
export type RunningGateway = { readonly gateway: Gateway; readonly port: number; readonly adminPort: number };

/** What a gateway serves. */
export type ServedConfig = Pick<ReadyConfig, 'gateway' | 'compiled'>;

/** Starts a gateway that logs to `to`; a port that is taken ends the command with one line. */
export async function startGateway(
  { gateway: config, compiled }: ServedConfig,
  context: CliContext,
  to: LogDestination,
): Promise<RunningGateway> {
  const log = pino({ level: config.log.level, base: null }, to);
  const gateway = createGateway(config, compiled, {
    log,
    tracing: tracingOrExit(config, context, log),
    clock: systemClock,
    openapi: servedOpenapi(),
    version,
    nodeVersion: context.nodeVersion,
    droppedLogLines: to.droppedLines,
  });
  try {
    return { gateway, ...(await gateway.listen()) };
  } catch (error) {
    await gateway.close();
    const { code = 'error', port } = error as NodeJS.ErrnoException & { port?: number };
    context.err(`portico: cannot listen on port ${port ?? '?'} (${code})\n`);
    throw new ExitError(exitCodes.failure);
  }
}

/** Says of a changed configuration whether it is sound. A process that serves alone cannot change to it. */
function watchHangUp(configFile: string, context: CliContext, log: Pick<Logger, 'warn' | 'error'>): void {
  context.processes.onHangUp(() => {
    const found = tryConfig(configFile, context);
    if ('problems' in found) log.error(found, 'the configuration on disk is not sound; nothing changes');
    else
      log.warn(
        {},
        'the configuration is sound, but one process alone cannot change to it: restart it, or set workers',
      );
  });
}

/** `portico start`: serves until the process is asked to stop, then drains. */
export async function runStart(configFile: string, context: CliContext): Promise<void> {
  if (context.processes.primary !== undefined) {
    await runWorker(context.processes.primary, context);
    return;
  }
  const ready = readConfigOrExit(configFile, context);
  if (workersOf(ready.gateway, context) > 1) {
    await runPrimary(configFile, ready, context);
    return;
  }
  const to = context.openLog();
  const { gateway } = await startGateway(ready, context, to);
  watchHangUp(configFile, context, pino({ level: ready.gateway.log.level, base: null }, to));
  if (!context.stop.aborted) await once(context.stop, 'abort');
  await gateway.drain();
}
