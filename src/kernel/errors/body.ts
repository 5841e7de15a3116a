import type { GatewayError } from './fault.ts';

/** The status of server-side errors: the precise one, or 500 for all (`errors.serverStatus`). */
export type ServerStatus = 'precise' | 'contract';

/** The HTTP status a client sees for an error. */
export function publicStatus(error: GatewayError, mode: ServerStatus): number {
  return mode === 'contract' && error.status > 500 ? 500 : error.status;
}

/** The one error body of the contract. */
export function errorBody(error: GatewayError, requestId: string): string {
  return JSON.stringify({ error: { code: error.code, message: error.message, request_id: requestId } });
}
