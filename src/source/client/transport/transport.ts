// Sends requests to one upstream (a source, or the issuer of tokens) over kept connections, and reads complete, decompressed
// replies.

import type http from 'node:http';
import axios, { Axios, type AxiosRequestConfig } from 'axios';
import type { SourceSpec } from '../../../config/schema/source.ts';
import type { UpstreamReply } from '../../../kernel/upstream-call.ts';
import { createAddressReader, hasHeader, type RawHeaders, withHeaders, withHost } from './request-head.ts';
import { createConnectionPools } from './one-host-agent.ts';
import { decompress } from './decompress.ts';
import { type HttpAnswer, HttpExchange, sendOverHttp } from './axios-over-http.ts';
import { codeOf } from './network-fault.ts';

/** One request to an absolute address. */
export type TransportRequest = {
  readonly method: 'GET' | 'POST';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
  readonly signal: AbortSignal;
};

/** Sends requests and reads complete replies. Rejects with the errors of axios and of the network. */
export type Transport = ReturnType<typeof createTransport>;

/** Whether the other side closed an idle connection just when it was used again, so that the request never arrived. */
function isStaleKeepAlive(error: unknown): boolean {
  if (!axios.isAxiosError(error) || codeOf(error) !== 'ECONNRESET' || error.response !== undefined)
    return false;
  return (error.request as http.ClientRequest | undefined)?.reusedSocket === true;
}

/** The value of a header by its lower-case name. Repeated lines are joined to one value. */
function headerOf(headers: http.IncomingHttpHeaders, name: string): string | undefined {
  const value = Object.hasOwn(headers, name) ? headers[name] : undefined;
  // Node keeps repeated `Set-Cookie` lines as a list, and joins those of all other headers.
  return Array.isArray(value) ? value.join(', ') : value;
}

/** The headers that follow from the body of a POST. A POST without a content type is sent as a form. */
function ownHeaders(lines: RawHeaders, body: string | undefined): Readonly<Record<string, string>> {
  return {
    ...(!hasHeader(lines, 'content-type') && { 'Content-Type': 'application/x-www-form-urlencoded' }),
    ...(body !== undefined && { 'Content-Length': String(Buffer.byteLength(body)) }),
  };
}

type TransportSettings = Pick<SourceSpec['net'], 'bytesMax' | 'connectTimeout' | 'headers' | 'tls'>;

/** The headers of every request, unless the source file says something else. */
const ALWAYS_SENT = { 'Accept-Encoding': 'identity', 'User-Agent': 'portico' };

/** Creates the transport of one upstream. */
export function createTransport(net: TransportSettings) {
  const connections = createConnectionPools(net);
  const readAddress = createAddressReader();
  // Not `axios.create`: merging its defaults into every request costs more than all the rest, and they are for the
  // adapters of axios, which are not used here.
  const client = new Axios({ adapter: sendOverHttp });
  const constant = withHeaders([], { ...ALWAYS_SENT, ...net.headers });
  const { bytesMax } = net;

  function exchangeOf({ method, url, headers, body }: Omit<TransportRequest, 'signal'>, isFresh: boolean) {
    const address = readAddress(url);
    const { origin } = address;
    const given = withHeaders(constant, headers);
    const lines = method === 'GET' ? given : withHeaders(given, ownHeaders(given, body));
    const agent = connections.agentFor(origin, isFresh);
    return new HttpExchange({
      address,
      method,
      headers: withHost(lines, origin.host),
      body,
      agent,
      bytesMax,
    });
  }

  return {
    async send(request: TransportRequest): Promise<UpstreamReply> {
      const { signal } = request;
      const ask = (isFresh: boolean) =>
        client.request<HttpAnswer>({
          signal,
          data: exchangeOf(request, isFresh),
        } satisfies AxiosRequestConfig);
      const response = await ask(false).catch((error: unknown) => {
        if (request.method !== 'GET' || !isStaleKeepAlive(error) || signal.aborted) throw error;
        // If one kept connection has died, the others have probably died, too.
        return ask(true);
      });
      const { headers, body: sent } = response.data;
      const header = (name: string) => headerOf(headers, name);
      const encoding = header('content-encoding');
      const complete = encoding === undefined ? sent : await decompress(sent, encoding, net.bytesMax);
      return { status: response.status, header, headers, body: complete };
    },
    /** Ends the kept connections. */
    close: (): void => connections.close(),
  };
}
