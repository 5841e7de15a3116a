import type { Logger } from 'pino';
import type { GatewayConfig } from '../../config/schema/gateway.ts';
import { createTracing } from '../../telemetry/span-exporter.ts';
import type { Tracing } from '../../telemetry/tracing.ts';
import { type CliContext, ExitError, exitCodes } from '../context/context.ts';
import { version } from '../input/version.ts';

/** What records the spans of a gateway; `undefined` where it records none. @throws ExitError without the packages */
export function tracingOrExit(
  { telemetry: { traces } }: GatewayConfig,
  context: Pick<CliContext, 'err'>,
  log: Pick<Logger, 'warn'>,
): Tracing | undefined {
  try {
    return createTracing(traces, { version, log });
  } catch (error) {
    context.err(`portico: ${(error as Error).message}\n`);
    throw new ExitError(exitCodes.config);
  }
}
