import http from 'node:http';
import https from 'node:https';
import axios, { AxiosHeaders, type AxiosResponse } from 'axios';
import PQueue from 'p-queue';
import { contentTypesOf } from '../config/content-types.ts';
import type { SourceSpec } from '../config/source-schema.ts';
import { fault, GatewayError } from '../errors/fault.ts';
import type { UpstreamReply, UpstreamRequest } from '../kernel/upstream.ts';
import { credentialOf } from './credential.ts';
import { decompress } from './decompress.ts';
import { codeOf, networkFault } from './network-fault.ts';

/** What a call costs is told to whoever asked for it. */
export type Meter = { upstreamCalls: number; upstreamMs: number };

/** Speaks to one upstream. */
export type Upstream = {
  /**
   * Sends a request; its target is appended to the base URL.
   * @throws GatewayError `upstream_unavailable`, `upstream_timeout`, `upstream_error`, `upstream_invalid_response`
   */
  send(request: UpstreamRequest, signal: AbortSignal, meter: Meter): Promise<UpstreamReply>;
  /** Calls under way and waiting for a place. */
  readonly load: { readonly active: number; readonly waiting: number };
  close(): void;
};

/** Called after every exchange; `outcome` is an HTTP status class, the code of the fault, or `cancelled`. */
export type OnExchange = (outcome: string, seconds: number) => void;

function headerOf(response: AxiosResponse): (name: string) => string | undefined {
  const headers = AxiosHeaders.from(response.headers as Record<string, string>);
  return (name) => {
    const value = headers.get(name);
    return typeof value === 'string' ? value : undefined;
  };
}

/** Whether an idle connection was closed by the other side just as it was used again: the request never arrived. */
function diedIdle(error: unknown): boolean {
  if (!axios.isAxiosError(error) || codeOf(error) !== 'ECONNRESET' || error.response !== undefined)
    return false;
  return (error.request as http.ClientRequest | undefined)?.reusedSocket === true;
}

/** Creates the client of one upstream. It keeps connections open; `close` drops them. */
export function createUpstream(
  spec: Pick<SourceSpec, 'net' | 'auth' | 'decode'>,
  onExchange: OnExchange,
): Upstream {
  const { net } = spec;
  const agents = {
    httpAgent: new http.Agent({ keepAlive: true }),
    httpsAgent: new https.Agent({ keepAlive: true }),
  };
  const agentsWithoutMemory = { httpAgent: new http.Agent(), httpsAgent: new https.Agent() };
  const credential = credentialOf(spec.auth);
  const queue = new PQueue({ concurrency: net.concurrency });
  const client = axios.create({
    ...agents,
    adapter: 'http',
    responseType: 'arraybuffer',
    transformRequest: [(body: unknown) => body],
    transformResponse: [(body: unknown) => body],
    // Our own decompression notices a stream that was cut short.
    decompress: false,
    maxContentLength: net.bytesMax,
    maxRedirects: 0,
    proxy: false,
    validateStatus: () => true,
    headers: {
      Accept: contentTypesOf(spec.decode).join(', '),
      'Accept-Encoding': 'identity',
      'User-Agent': 'portico',
      ...net.headers,
      ...credential.headers,
    },
  });

  async function exchange(request: UpstreamRequest, signal: AbortSignal): Promise<UpstreamReply> {
    const config = {
      method: request.method,
      url: net.baseUrl + credential.sign(request.target),
      headers: { ...request.headers, ...(request.body && { 'Content-Type': request.body.contentType }) },
      data: request.body?.text,
      signal,
    };
    const response = await client.request<Buffer>(config).catch((error: unknown) => {
      if (request.method !== 'GET' || !diedIdle(error) || signal.aborted) throw error;
      return client.request<Buffer>(config);
    });
    const header = headerOf(response);
    return {
      status: response.status,
      header,
      body: await decompress(response.data, header('content-encoding'), net.bytesMax),
    };
  }

  /** `exchange` within the call's deadline, with its failure told in our own words. */
  async function bounded(request: UpstreamRequest, signal: AbortSignal): Promise<UpstreamReply> {
    const deadline = AbortSignal.timeout(net.timeout);
    const either = AbortSignal.any([signal, deadline]);
    try {
      return await exchange(request, either);
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      if (deadline.aborted)
        throw fault('upstream_timeout', { detail: 'the source did not answer within net.timeout' });
      throw error instanceof GatewayError ? error : networkFault(error);
    }
  }

  async function measured(
    request: UpstreamRequest,
    signal: AbortSignal,
    meter: Meter,
  ): Promise<UpstreamReply> {
    const start = performance.now();
    let outcome = 'cancelled';
    try {
      const reply = await bounded(request, signal);
      outcome = `${Math.floor(reply.status / 100)}xx`;
      return reply;
    } catch (error) {
      if (error instanceof GatewayError) outcome = error.code;
      throw error;
    } finally {
      const ms = performance.now() - start;
      meter.upstreamCalls += 1;
      meter.upstreamMs += ms;
      onExchange(outcome, ms / 1_000);
    }
  }

  return {
    send: (request, signal, meter) => queue.add(() => measured(request, signal, meter), { signal }),
    get load() {
      return { active: queue.pending, waiting: queue.size };
    },
    close() {
      for (const { httpAgent, httpsAgent } of [agents, agentsWithoutMemory]) {
        httpAgent.destroy();
        httpsAgent.destroy();
      }
    },
  };
}
