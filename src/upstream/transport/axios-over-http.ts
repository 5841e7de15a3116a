import http from 'node:http';
import https from 'node:https';
import { AxiosError, type AxiosResponse, CanceledError, type InternalAxiosRequestConfig } from 'axios';
import { ReplyHeaders } from './reply-headers.ts';

/** Names and values in turn: Node checks and writes such a list in a third of the time of an object. */
function headerLines(config: InternalAxiosRequestConfig, url: URL): string[] {
  const lines = ['Host', url.host];
  for (const [name, value] of Object.entries(config.headers.toJSON())) {
    // A configured Host header replaces the host of the address.
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
 * An HTTP adapter for axios, without what is switched off here: redirects, proxies, decompression, streams and progress
 * cost more than the exchange itself. A reply is complete, or it is an error.
 */
export function sendOverHttp(config: InternalAxiosRequestConfig): Promise<AxiosResponse<Buffer>> {
  return new Promise((resolve, reject) => {
    const request = requestOf(config);
    const { maxContentLength: bytesMax = Infinity } = config;
    const signal = config.signal as AbortSignal | undefined;
    /** The reply so far; an error that carries it shows that the request had arrived. */
    let reply: AxiosResponse<Buffer> | undefined;

    function fail(error: AxiosError): void {
      signal?.removeEventListener('abort', cancel);
      reject(error);
      request.destroy();
    }
    const broken = (error: Error) => fail(AxiosError.from(error, undefined, config, request, reply));
    const cancel = () => fail(new CanceledError(undefined, config, request));

    function receive(response: http.IncomingMessage): void {
      const { statusCode: status = 0, statusMessage: statusText = '' } = response;
      const received: AxiosResponse<Buffer> = {
        data: Buffer.alloc(0),
        status,
        statusText,
        headers: new ReplyHeaders(response.headers),
        config,
        request,
      };
      reply = received;
      const chunks: Buffer[] = [];
      let bytes = 0;
      response.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
        chunks.push(chunk);
        if (bytes <= bytesMax) return;
        const message = `maxContentLength size of ${String(bytesMax)} exceeded`;
        fail(new AxiosError(message, AxiosError.ERR_BAD_RESPONSE, config, request, received));
      });
      response.on('error', broken);
      response.on('end', () => {
        signal?.removeEventListener('abort', cancel);
        received.data = chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks, bytes);
        resolve(received);
      });
    }

    request.on('response', receive);
    request.on('error', broken);
    signal?.addEventListener('abort', cancel, { once: true });
  });
}
