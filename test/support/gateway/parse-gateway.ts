import { type GatewayConfig, gatewaySchema } from '../../../src/config/schema/gateway.ts';
import { referenceContract } from '../reference.ts';

/** A gateway file as it is loaded, with the built-in contract. @throws Error where its shape is wrong */
export function parseGateway(content: unknown): GatewayConfig {
  return { ...gatewaySchema.parse(content), contract: referenceContract };
}
