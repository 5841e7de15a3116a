import type { GatewayConfig } from '../config/schema/gateway.ts';
import { contentDigest } from '../pipeline/parts/content-digest.ts';

/** What a process is bound to for its life, by the key in the gateway's file. */
const FIXED: Readonly<Record<string, (config: GatewayConfig) => unknown>> = {
  workers: ({ workers }) => workers,
  'listen.host': ({ listen }) => listen.host,
  'listen.port': ({ listen }) => listen.port,
  'admin.host': ({ admin }) => admin.host,
  'admin.port': ({ admin }) => admin.port,
  redis: ({ redis }) => redis,
  telemetry: ({ telemetry }) => telemetry,
  'state.dir': ({ state }) => state.dir,
};

/** The keys whose change needs a restart, and that are not the same in both configurations. */
export function findFixed(before: GatewayConfig, after: GatewayConfig): readonly string[] {
  return Object.keys(FIXED).filter(
    (key) => contentDigest(FIXED[key]?.(before)) !== contentDigest(FIXED[key]?.(after)),
  );
}
