import type http from 'node:http';
import axios, { Axios } from 'axios';
import type { SourceSpec } from '../../config/schema/source.ts';
import type { UpstreamReply } from '../../kernel/upstream-call.ts';
import { createAgents } from './agents.ts';
import { decompress } from './decompress.ts';
import { sendOverHttp } from './axios-over-http.ts';
import { codeOf } from './network-fault.ts';
import type { ReplyHeaders } from './reply-headers.ts';

/** One exchange with an absolute URL. */
export type TransportRequest = {
  readonly method: 'GET' | 'POST';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
  readonly signal: AbortSignal;
};

/** Sends requests and reads complete replies. It throws the errors of the network. */
export type Transport = {
  send(request: TransportRequest): Promise<UpstreamReply>;
  /** Closes the kept connections. */
  close(): void;
};

/** A stale keep-alive: the other side closed an idle connection just as it was used, so the request never arrived. */
function diedIdle(error: unknown): boolean {
  if (!axios.isAxiosError(error) || codeOf(error) !== 'ECONNRESET' || error.response !== undefined)
    return false;
  return (error.request as http.ClientRequest | undefined)?.reusedSocket === true;
}

/** Creates the transport of one upstream. */
export function createTransport(net: SourceSpec['net']): Transport {
  const agents = createAgents(net, true);
  const agentsWithoutMemory = createAgents(net, false);
  // `new Axios` and not `axios.create`, which merges its defaults into every request and takes longer than all the
  // rest. Those defaults are for the adapters of axios; ours needs none of them.
  const client = new Axios({ ...agents, adapter: sendOverHttp, maxContentLength: net.bytesMax });
  const named = { 'Accept-Encoding': 'identity', 'User-Agent': 'portico', ...net.headers };
  return {
    async send({ body, ...request }) {
      // Default headers would be merged again for each request.
      const config = { ...request, headers: { ...named, ...request.headers }, data: body };
      const response = await client.request<Buffer>(config).catch((error: unknown) => {
        if (request.method !== 'GET' || !diedIdle(error) || request.signal.aborted) throw error;
        // If one kept connection was closed, the others probably were, too.
        return client.request<Buffer>({ ...config, ...agentsWithoutMemory });
      });
      const headers = response.headers as ReplyHeaders;
      const header = (name: string) => headers.named(name);
      const { status, data } = response;
      const encoding = header('content-encoding');
      const complete = encoding === undefined ? data : await decompress(data, encoding, net.bytesMax);
      return { status, header, body: complete };
    },
    close() {
      for (const { httpAgent, httpsAgent } of [agents, agentsWithoutMemory]) {
        httpAgent.destroy();
        httpsAgent.destroy();
      }
    },
  };
}
