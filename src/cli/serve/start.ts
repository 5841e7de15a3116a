import { once } from 'node:events';
import { pino } from 'pino';
import { createGateway, type Gateway, type GatewayServices } from '../../gateway.ts';
import { systemClock } from '../../kernel/clock.ts';
import { type CliContext, ExitError, exitCodes, type LogDestination } from '../context.ts';
import { servedOpenapi } from '../generate/documents.ts';
import type { ServedConfig } from '../../reload/snapshot.ts';
import { readConfigOrExit } from '../input/read-config.ts';
import { runPrimary, runWorker, workersOf } from './start-workers.ts';
import { version } from '../input/version.ts';
import { createReadAgain } from './read-again.ts';

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
      clock: systemClock,
      openapi: servedOpenapi(),
      version,
      nodeVersion: context.nodeVersion,
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
  const { gateway } = await startGateway(ready, context, to, {
    ...{ pid: context.processes.pid, texts: ready.texts },
    read: createReadAgain(configFile, context),
  });
  context.processes.onHangUp(() => void gateway.reload?.({ actor: 'signal' }));
  if (!context.stop.aborted) await once(context.stop, 'abort');
  await gateway.drain();
}
