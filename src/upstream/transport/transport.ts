import type http from 'node:http';
import axios, { Axios } from 'axios';
import type { SourceSpec } from '../../config/schema/source.ts';
import type { UpstreamReply } from '../../kernel/upstream-call.ts';
import { createAgents } from './agents.ts';
import { decompress } from './decompress.ts';
import { type HttpAnswer, sendOverHttp } from './axios-over-http.ts';
import { codeOf } from './network-fault.ts';

/** One exchange with an absolute address. */
export type TransportRequest = {
  readonly method: 'GET' | 'POST';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
  readonly signal: AbortSignal;
};

/** Sends requests and reads complete replies. Rejects with the errors of axios and of the network. */
export type Transport = {
  send(request: TransportRequest): Promise<UpstreamReply>;
  /** Ends the kept connections. */
  close(): void;
};

/** Whether the other side closed an idle connection just as it was used again: then the request never arrived. */
function isStaleKeepAlive(error: unknown): boolean {
  if (!axios.isAxiosError(error) || codeOf(error) !== 'ECONNRESET' || error.response !== undefined)
    return false;
  return (error.request as http.ClientRequest | undefined)?.reusedSocket === true;
}

/** The value of a header by its lower-case name; repeated lines are one value. */
function headerOf(headers: http.IncomingHttpHeaders, name: string): string | undefined {
  const value = Object.hasOwn(headers, name) ? headers[name] : undefined;
  // Node keeps repeated `Set-Cookie` lines as a list, and joins those of all other headers.
  return Array.isArray(value) ? value.join(', ') : value;
}

type TransportSettings = Pick<SourceSpec['net'], 'bytesMax' | 'connectTimeout' | 'headers' | 'tls'>;

/** Creates the transport of one upstream. */
export function createTransport(net: TransportSettings): Transport {
  const agents = createAgents(net, true);
  const unpooledAgents = createAgents(net, false);
  // Not `axios.create`: merging its defaults into every request costs more than all the rest, and they are for the
  // adapters of axios, which are not used here.
  const client = new Axios({ ...agents, adapter: sendOverHttp, maxContentLength: net.bytesMax });
  const named = { 'Accept-Encoding': 'identity', 'User-Agent': 'portico', ...net.headers };
  return {
    async send({ body, ...request }) {
      // Headers among the defaults would be merged once more for each request.
      const config = { ...request, headers: { ...named, ...request.headers }, data: body };
      const response = await client.request<HttpAnswer>(config).catch((error: unknown) => {
        if (request.method !== 'GET' || !isStaleKeepAlive(error) || request.signal.aborted) throw error;
        // Where one kept connection has died, the others have probably died, too.
        return client.request<HttpAnswer>({ ...config, ...unpooledAgents });
      });
      const { headers, body: sent } = response.data;
      const header = (name: string) => headerOf(headers, name);
      const encoding = header('content-encoding');
      const complete = encoding === undefined ? sent : await decompress(sent, encoding, net.bytesMax);
      return { status: response.status, header, headers, body: complete };
    },
    close() {
      for (const { httpAgent, httpsAgent } of [agents, unpooledAgents]) {
        httpAgent.destroy();
        httpsAgent.destroy();
      }
    },
  };
}
