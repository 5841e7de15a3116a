import { once } from 'node:events';
import { pino } from 'pino';
import { createGateway, type Gateway } from '../gateway.ts';
import { systemClock } from '../kernel/clock.ts';
import { type CliContext, ExitError, exitCodes, type LogDestination } from './context.ts';
import { servedOpenapi } from './documents.ts';
import { type ReadyConfig, readConfigOrExit } from './read-config.ts';
import { version } from './version.ts';

/** A gateway that listens, and where. */
export type RunningGateway = { readonly gateway: Gateway; readonly port: number; readonly adminPort: number };

/** Starts a gateway that logs to `to`; a port that is taken ends the command with one line. */
export async function startGateway(
  { gateway: config, compiled }: ReadyConfig,
  context: CliContext,
  to: LogDestination,
): Promise<RunningGateway> {
  const log = pino({ level: config.log.level, base: null }, to);
  const gateway = createGateway(config, compiled, {
    log,
    clock: systemClock,
    openapi: servedOpenapi(),
    version,
    nodeVersion: context.nodeVersion,
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

/** `portico start`: serves until the process is asked to stop, then drains. */
export async function runStart(configFile: string, context: CliContext): Promise<void> {
  const { gateway } = await startGateway(readConfigOrExit(configFile, context), context, context.openLog());
  if (!context.stop.aborted) await once(context.stop, 'abort');
  await gateway.drain();
}
