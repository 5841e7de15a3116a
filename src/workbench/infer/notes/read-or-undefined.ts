import { GatewayError } from '../../../kernel/errors/fault.ts';

/** What the gateway's own code reads from a reply; `undefined` if it refuses the reply. */
export function readOrUndefined<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof GatewayError) return undefined;
    throw error;
  }
}
