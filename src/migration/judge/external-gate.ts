// Asks the URL of `gate.external` whether a step may be taken.

import { codeOf } from '../../source/client/transport/network-fault.ts';
import { createTransport } from '../../source/client/transport/transport.ts';
import type { AskExternalGate } from './evaluate-gate.ts';

const TIMEOUT_MS = 5_000;
const BYTES_MAX = 64 * 1024;

/** The client for external gates; `close` ends its connections. */
export type ExternalGates = { readonly ask: AskExternalGate; close(): void };

/** Creates the client. It follows no redirects, and only the status of an answer counts. */
export function createExternalGates(): ExternalGates {
  const transport = createTransport({
    bytesMax: BYTES_MAX,
    connectTimeout: TIMEOUT_MS,
    headers: {},
    tls: undefined,
  });
  return {
    async ask(url) {
      const signal = AbortSignal.timeout(TIMEOUT_MS);
      try {
        const headers = { Accept: '*/*' };
        const { status } = await transport.send({ method: 'GET', url, headers, body: undefined, signal });
        return String(status);
      } catch (error) {
        return signal.aborted ? 'no answer within 5s' : `no answer: ${codeOf(error)}`;
      }
    },
    close: () => transport.close(),
  };
}
