import type { GatewayConfig } from '../../../src/config/schema/gateway.ts';
import type { SourceSpec } from '../../../src/config/schema/source.ts';

/** Longer than any thread of a busy machine stands still, milliseconds: it only ends a test that would hang. */
export const PATIENCE_MS = 60_000;

/** The times of a connection to Redis that a busy machine does not make look lost. */
export const patientTimes = { commandTimeoutMs: PATIENCE_MS, connectTimeoutMs: PATIENCE_MS };

/** Gives everything so much time that a busy machine is not taken for a service that fails, or for an overload. */
export function setGenerousTimeouts(config: GatewayConfig, sources: readonly SourceSpec[]): void {
  const { redis, overload, resources, passthrough } = config;
  Object.assign(redis, { commandTimeout: PATIENCE_MS, connectTimeout: PATIENCE_MS });
  overload.eventLoopDelayMax = PATIENCE_MS;
  for (const resource of Object.values(resources)) resource.deadline = PATIENCE_MS;
  for (const route of passthrough) {
    Object.assign(route, { deadline: PATIENCE_MS, connectTimeout: PATIENCE_MS });
    route.queue.time = PATIENCE_MS;
  }
  for (const { net, budget } of sources) {
    Object.assign(net, { timeout: PATIENCE_MS, connectTimeout: PATIENCE_MS });
    net.queue.time = PATIENCE_MS;
    budget.time = PATIENCE_MS;
  }
}
