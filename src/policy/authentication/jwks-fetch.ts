import type { FetchJwks } from './jwks.ts';

const BYTES_MAX = 256 * 1024;

/** Reads a key set over HTTP: status 200, at most 256 KiB of JSON, no redirects. */
export const fetchJwks: FetchJwks = async (url, signal) => {
  const response = await fetch(url, { signal, redirect: 'error', headers: { accept: 'application/json' } });
  if (response.status !== 200 || response.body === null) {
    await response.body?.cancel();
    throw new Error(`the key set was answered with status ${response.status}`);
  }
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  // Leaving the loop cancels the rest of the body.
  for await (const chunk of response.body as AsyncIterable<Uint8Array>) {
    bytes += chunk.byteLength;
    if (bytes > BYTES_MAX) throw new Error(`the key set is larger than ${BYTES_MAX} bytes`);
    chunks.push(chunk);
  }
  return JSON.parse(Buffer.concat(chunks).toString('utf8')) as unknown;
};
