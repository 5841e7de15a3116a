// Sends the requests of axios over node:http, with less work than axios' own adapter does.

import http from 'node:http';
import https from 'node:https';
import { AxiosError, type AxiosResponse, CanceledError, type InternalAxiosRequestConfig } from 'axios';
import type { RequestAddress } from './request-head.ts';
import { noteKeepAlive } from './one-host-agent.ts';

const NO_BODY = Buffer.alloc(0);

/** A complete answer; the header names are in lower case. */
export type HttpAnswer = { readonly headers: http.IncomingHttpHeaders; readonly body: Buffer };

/**
 * One exchange for the adapter `sendOverHttp`. axios passes an instance of a class on as it is; it would copy and check the
 * members of its own settings several times, which takes as long as the exchange itself.
 */
export class HttpExchange {
  readonly request: HttpRequest;

  constructor(request: HttpRequest) {
    this.request = request;
  }
}

type HttpRequest = {
  readonly address: RequestAddress;
  readonly method: string;
  /** Names and values in turn, `Host` first. Node writes such a list as it is, in a third of the time that an object takes. */
  readonly headers: readonly string[];
  readonly body: string | undefined;
  readonly agent: http.Agent;
  /** The most bytes of a body as it is sent. A longer body is an error. */
  readonly bytesMax: number;
};

function requestOf({ address, method, headers, body, agent }: HttpRequest): http.ClientRequest {
  const { origin, path } = address;
  const { hostname, port } = origin;
  const sent = (origin.isTls ? https : http).request({ hostname, port, path, method, headers, agent });
  sent.end(body);
  return sent;
}

/**
 * Reads the body of an upstream's answer as it was sent, and bounds its size: beyond `bytesMax` (`net.bytesMax`) it calls
 * `onTooLarge`, which must end the connection. `decompress` bounds the size after decompression.
 */
function readBoundedBody(
  response: http.IncomingMessage,
  bytesMax: number,
  { onEnd, onTooLarge }: { readonly onEnd: (body: Buffer) => void; readonly onTooLarge: () => void },
): void {
  const chunks: Buffer[] = [];
  let bytes = 0;
  response.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    chunks.push(chunk);
    if (bytes > bytesMax) onTooLarge();
  });
  response.on('end', () => onEnd(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks, bytes)));
}

/**
 * An adapter of axios over node:http. It lacks what axios' own adapter has and Portico does not use: redirects, proxies,
 * decompression, streams and progress. These would take longer than the exchange itself. An incomplete answer is an error.
 */
export function sendOverHttp(config: InternalAxiosRequestConfig): Promise<AxiosResponse<HttpAnswer>> {
  return new Promise((resolve, reject) => {
    const { request: asked } = config.data as HttpExchange;
    const request = requestOf(asked);
    const { bytesMax } = asked;
    const signal = config.signal as AbortSignal | undefined;
    /** Set once an answer has begun. An error with this reply shows that the request had arrived. */
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
      if (headers['keep-alive'] !== undefined) noteKeepAlive(response.socket, String(headers['keep-alive']));
      // The headers are part of the data: axios would parse its own `headers` twice more.
      const withBody = (body: Buffer): AxiosResponse<HttpAnswer> => {
        const data = { headers, body };
        return { data, headers: {}, status, statusText, config, request };
      };
      const begun = withBody(NO_BODY);
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
