import http from 'node:http';
import https from 'node:https';
import { AxiosError, type AxiosResponse, CanceledError, type InternalAxiosRequestConfig } from 'axios';
import type { Agents } from './agents.ts';
import { readBoundedBody } from './bounded-body.ts';
import { withHost } from './header-lines.ts';

/** A complete answer; the header names are in lower case. */
export type HttpAnswer = { readonly headers: http.IncomingHttpHeaders; readonly body: Buffer };

/**
 * One exchange, as the adapter takes it. axios hands on an instance of a class as it is; it would copy and check the
 * members of its own settings several times, which takes as long as the exchange itself.
 */
export class HttpExchange {
  readonly url: string;
  readonly method: string;
  /** Names and values in turn, without `Host`: Node writes such a list as it is, at a third of the price of an object. */
  readonly headers: readonly string[];
  readonly body: string | undefined;
  readonly agents: Agents;
  /** A longer body is an error. */
  readonly bytesMax: number;

  constructor(exchange: Pick<HttpExchange, 'url' | 'method' | 'headers' | 'body' | 'agents' | 'bytesMax'>) {
    this.url = exchange.url;
    this.method = exchange.method;
    this.headers = exchange.headers;
    this.body = exchange.body;
    this.agents = exchange.agents;
    this.bytesMax = exchange.bytesMax;
  }
}

function requestOf(exchange: HttpExchange): http.ClientRequest {
  const url = new URL(exchange.url);
  const isTls = url.protocol === 'https:';
  const { hostname, port, pathname, search } = url;
  const { agents, body, headers } = exchange;
  const sent = (isTls ? https : http).request({
    // An IPv6 address without its brackets.
    hostname: hostname.startsWith('[') ? hostname.slice(1, -1) : hostname,
    ...(port !== '' && { port }),
    path: pathname + search,
    method: exchange.method,
    headers: withHost(headers, url.host),
    agent: isTls ? agents.httpsAgent : agents.httpAgent,
  });
  sent.end(body);
  return sent;
}

/**
 * An adapter of axios over node:http, without what axios' own one has and Portico switches off: redirects, proxies,
 * decompression, streams and progress. Those cost more than the exchange itself. An incomplete answer is an error.
 */
export function sendOverHttp(config: InternalAxiosRequestConfig): Promise<AxiosResponse<HttpAnswer>> {
  return new Promise((resolve, reject) => {
    const exchange = config.data as HttpExchange;
    const request = requestOf(exchange);
    const { bytesMax } = exchange;
    const signal = config.signal as AbortSignal | undefined;
    /** Set once an answer has begun. An error that carries it shows that the request had arrived. */
    let reply: AxiosResponse<HttpAnswer> | undefined;

    function fail(error: AxiosError): void {
      signal?.removeEventListener('abort', cancel);
      reject(error);
      request.destroy();
    }
    const broken = (error: Error) => fail(AxiosError.from(error, undefined, config, request, reply));
    const cancel = () => fail(new CanceledError(undefined, config, request));

    function receive(response: http.IncomingMessage): void {
      const { statusCode: status = 0, statusMessage: statusText = '' } = response;
      const { headers } = response;
      // The headers are part of the data: axios would parse its own `headers` twice more.
      const withBody = (body: Buffer): AxiosResponse<HttpAnswer> => {
        const data = { headers, body };
        return { data, headers: {}, status, statusText, config, request };
      };
      const begun = withBody(Buffer.alloc(0));
      reply = begun;
      readBoundedBody(response, bytesMax, {
        onTooLarge() {
          const message = `maxContentLength size of ${String(bytesMax)} exceeded`;
          fail(new AxiosError(message, AxiosError.ERR_BAD_RESPONSE, config, request, begun));
        },
        onEnd(body) {
          signal?.removeEventListener('abort', cancel);
          resolve(withBody(body));
        },
      });
      response.on('error', broken);
    }

    request.on('response', receive);
    request.on('error', broken);
    signal?.addEventListener('abort', cancel, { once: true });
  });
}
