import http from 'node:http';
import https from 'node:https';
import { AxiosError, type AxiosResponse, CanceledError, type InternalAxiosRequestConfig } from 'axios';
import { readBoundedBody } from './bounded-body.ts';

/** A complete answer; the header names are in lower case. */
export type HttpAnswer = { readonly headers: http.IncomingHttpHeaders; readonly body: Buffer };

/** Names and values in turn: Node writes such a list as it is, at a third of the price of an object. */
function headerLines(config: InternalAxiosRequestConfig, url: URL): string[] {
  const lines = ['Host', url.host];
  for (const [name, value] of Object.entries(config.headers.toJSON())) {
    // A source's file may name another host than its address.
    if (name.toLowerCase() === 'host') lines[1] = String(value);
    else lines.push(name, String(value));
  }
  return lines;
}

function requestOf(config: InternalAxiosRequestConfig): http.ClientRequest {
  const url = new URL(config.url ?? '');
  const isTls = url.protocol === 'https:';
  const body = config.data as string | undefined;
  if (body !== undefined) config.headers.setContentLength(Buffer.byteLength(body));
  const { hostname, port, pathname, search } = url;
  const sent = (isTls ? https : http).request({
    // An IPv6 address without its brackets.
    hostname: hostname.startsWith('[') ? hostname.slice(1, -1) : hostname,
    ...(port !== '' && { port }),
    path: pathname + search,
    method: (config.method ?? 'get').toUpperCase(),
    headers: headerLines(config, url),
    agent: (isTls ? config.httpsAgent : config.httpAgent) as http.Agent,
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
    const request = requestOf(config);
    const { maxContentLength: bytesMax = Infinity } = config;
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
