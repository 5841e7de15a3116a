// Fetches the key set of a token issuer over HTTP, for jwks.ts.

import { codeOf, networkFault } from '../../../source/client/transport/network-fault.ts';
import { createTransport } from '../../../source/client/transport/transport.ts';
import type { FetchJwks } from './jwks.ts';

const BYTES_MAX = 256 * 1024;
const CONNECT_MS_MAX = 1_000;

/** Reads key sets; `close` ends its connections. */
export type JwksClient = { readonly fetchJwks: FetchJwks; close(): void };

/** A failed call as an error with a sentence for the log. */
function plainError(error: unknown): Error {
  return networkFault(error).reason === 'too_large'
    ? new Error(`the key set is larger than ${BYTES_MAX} bytes`)
    : new Error(`the key set cannot be fetched: ${codeOf(error)}`);
}

/**
 * Creates the client. It accepts only status 200 with at most 256 KiB of JSON, and follows no redirects. `ca` is the PEM
 * text of the authority that signed the issuer's certificate; if it is absent, the authorities of Node are trusted.
 */
export function createJwksClient(ca: string | undefined): JwksClient {
  const transport = createTransport({
    bytesMax: BYTES_MAX,
    connectTimeout: CONNECT_MS_MAX,
    headers: {},
    tls: ca === undefined ? undefined : { ca },
  });
  return {
    async fetchJwks(url, signal) {
      const headers = { Accept: 'application/json' };
      const request = { method: 'GET', url, headers, body: undefined, signal } as const;
      const { status, body } = await transport.send(request).catch((error: unknown) => {
        signal.throwIfAborted();
        throw plainError(error);
      });
      if (status !== 200) throw new Error(`the key set was answered with status ${status}`);
      return JSON.parse(body.toString('utf8')) as unknown;
    },
    close: () => transport.close(),
  };
}
