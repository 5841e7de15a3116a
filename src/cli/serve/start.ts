// `portico start`: starts a gateway as one process; start-workers.ts starts several.

import { once } from 'node:events';
import { type Logger, pino } from 'pino';
import type { ConfigTexts } from '../../config/load.ts';
import type { GatewayConfig } from '../../config/schema/gateway.ts';
import { ConfigError } from '../../config/yaml/problem.ts';
import { createTracing } from '../../telemetry/span-exporter.ts';
import { createGateway, type GatewayServices } from '../../gateway/gateway.ts';
import { type CliContext, ExitError, exitCodes, type LogDestination } from '../context/context.ts';
import { version } from '../input/shipped-files.ts';
import { withTargets } from '../../source/compile-sources.ts';
import type { ServedConfig } from '../../gateway/reload/snapshot.ts';
import { readAtStart } from '../input/read-at-start.ts';
import { printOpenEdits, printProblems, type ReadyConfig } from '../input/read-config.ts';
import { openPrimary, processServices, runWorker, workersOf } from './start-workers.ts';
import { collectStartGarbage } from './collect-start-garbage.ts';
import { readLastGood } from './last-good.ts';
import { createReloadTriggers, type OpenReloadTriggers } from './reload-triggers.ts';

/** Opens the log of a gateway that is one process; a reload may change its level. */
export function openGatewayLog({ gateway }: ServedConfig, to: LogDestination) {
  return { log: pino({ level: gateway.log.level, base: null }, to), droppedLogLines: to.droppedLines };
}

/** Opens the tracing of a gateway, which records spans. @throws ExitError if its packages are not installed */
function openTracing({ telemetry }: GatewayConfig, log: Logger) {
  try {
    return createTracing(telemetry.traces, { version, log });
  } catch (error) {
    throw new ExitError(exitCodes.config, (error as Error).message);
  }
}

/** Starts a gateway, and returns it with its ports; a port that is taken ends the command with one line. */
export async function startGateway(
  { gateway: config, compiled, texts }: ServedConfig & { readonly texts?: ConfigTexts },
  context: CliContext,
  { log, droppedLogLines }: ReturnType<typeof openGatewayLog>,
  reloading?: GatewayServices['reloading'],
) {
  const gateway = createGateway(
    { gateway: config, compiled },
    {
      ...processServices(context),
      log,
      tracing: openTracing(config, log),
      droppedLogLines,
      reloading,
      fixed: texts && { pid: context.processes.pid, texts },
    },
  );
  try {
    return { gateway, ...(await gateway.listen()) };
  } catch (error) {
    await gateway.close();
    const { code = 'error', port } = error as NodeJS.ErrnoException & { port?: number };
    throw new ExitError(exitCodes.failure, `cannot listen on port ${port ?? '?'} (${code})`);
  }
}

/** Reads the first configuration. If the files are broken, it is the last good one that was kept. */
async function readFirst(configFile: string, context: CliContext) {
  try {
    return { ready: await readAtStart(configFile, context), isFallback: false };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    printProblems(error, context);
    const ready = readLastGood(configFile, context);
    if (ready === undefined) throw new ExitError(exitCodes.config);
    context.err('portico: the last good configuration, kept in state.dir, is served instead\n');
    return { ready, isFallback: true };
  }
}

/** Starts a gateway that is one process. Call the result to serve until the process is asked to stop, then drain. */
async function openAlone(
  ready: ReadyConfig,
  openReloadTriggers: OpenReloadTriggers,
  context: CliContext,
): Promise<() => Promise<void>> {
  const logging = openGatewayLog(ready, context.openLog());
  const { reloading, start } = openReloadTriggers(ready, logging.log);
  const { gateway } = await startGateway(ready, context, logging, {
    pid: context.processes.pid,
    texts: ready.texts,
    ...reloading,
  });
  if (gateway.reload !== undefined) start(gateway.reload);
  return async function serve() {
    if (!context.stop.aborted) await once(context.stop, 'abort');
    await gateway.drain();
  };
}

/** Starts one process or several. The result does not refer to the first configuration, so that a reload can free it. */
async function open(configFile: string, context: CliContext): Promise<() => Promise<void>> {
  const { ready, isFallback } = await readFirst(configFile, context);
  printOpenEdits(withTargets(ready.compiled), context);
  const openReloadTriggers = createReloadTriggers(configFile, isFallback, context);
  const openAll = workersOf(ready.gateway, context) > 1 ? openPrimary : openAlone;
  return openAll(ready, openReloadTriggers, context);
}

/** `portico start`: serves until the process is asked to stop, then drains. */
export async function runStart(configFile: string, context: CliContext): Promise<void> {
  collectStartGarbage(context.stop);
  const { primary } = context.processes;
  if (primary !== undefined) {
    await runWorker(primary, context);
    return;
  }
  const serve = await open(configFile, context);
  await serve();
}
