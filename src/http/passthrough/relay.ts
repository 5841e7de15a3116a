// Relays the response of an upstream to the caller.

import type { ClientRequest, IncomingMessage, ServerResponse } from 'node:http';
import { fault, refusedCredential } from '../../kernel/errors/fault.ts';
import { hasPlainFraming, announcesMissingBody } from './body.ts';
import { type AnswerHead, readAnswerHead, returnedHeaders } from './headers.ts';
import type { Destination, ProxyRequest } from './proxy-request.ts';
import { writeHead } from '../listener/write-head.ts';
import { closeIfBodyUnread } from '../listener/unread-body.ts';
import { noteKeepAlive } from '../../source/client/transport/one-host-agent.ts';

const CREDENTIAL_REFUSED = new Set([401, 403, 407]);
/** Says that the upstream is healthy, and that only this response cannot be relayed. */
const sourceHealth = { isHealthy: true } as const;

/**
 * Starts to relay a response of an upstream to the caller.
 * @throws GatewayError `upstream_error` if the response must not be relayed, or refuses the gateway's credential
 */
export function relayResponse(
  request: ProxyRequest,
  { url }: Destination,
  call: ClientRequest | undefined,
  answer: IncomingMessage,
): void {
  const { res } = request.context;
  const status = answer.statusCode ?? 0;
  // Callers' credentials are never forwarded. So the upstream refused the gateway's own credential, or misses one.
  if (CREDENTIAL_REFUSED.has(status)) {
    const detail = `the upstream refused the gateway's credential with ${status}`;
    throw refusedCredential(detail);
  }
  const head = readAnswerHead(answer.rawHeaders);
  if (!hasPlainFraming(head)) throw fault('upstream_error', { detail: 'transfer coding', sourceHealth });
  // If a body came after it, it would be taken for the response to the next request.
  if (announcesMissingBody(status, head) && call !== undefined) call.shouldKeepAlive = false;
  const [keepAlive] = head.keepAlive;
  if (keepAlive !== undefined && call?.socket) noteKeepAlive(call.socket, keepAlive);
  closeIfBodyUnread(request.context);
  try {
    writeHead(request.context, status, responseHeaders(request, url, answer, head));
  } catch (cause) {
    throw fault('upstream_error', { detail: 'the head of the answer is not valid', cause, sourceHealth });
  }
  relayBody(answer, res, Number(head.contentLength[0]));
}

function responseHeaders(
  request: ProxyRequest,
  upstreamUrl: URL,
  answer: IncomingMessage,
  head: AnswerHead,
): string[] {
  const { context, returns, cors, map, path, host } = request;
  const mountPath = context.mount?.path ?? '';
  const headers = returnedHeaders(answer, head, returns, { map, path, host, upstreamUrl, mountPath });
  headers.push(
    'X-Request-Id',
    context.requestId,
    'X-Content-Type-Options',
    'nosniff',
    ...context.answerHeaders,
  );
  // Scripts may read all headers, because the rules of the route have removed those that no caller may see.
  cors.append(headers, context.head.origin, '*');
  return headers;
}

/**
 * Relays a body. `pipe` is not used, because its dozen listeners took 10 of the 100 µs of a bare proxy. If the length is
 * known, the last bytes are sent together with the end.
 */
function relayBody(answer: IncomingMessage, res: ServerResponse, bytes: number): void {
  let left = bytes;
  answer.on('data', (chunk: Buffer) => {
    left -= chunk.length;
    if (res.destroyed) answer.destroy();
    else if (left === 0) res.end(chunk);
    else if (!res.write(chunk)) {
      answer.pause();
      res.once('drain', () => answer.resume());
    }
  });
  answer.on('end', () => res.end());
}

/** Resets the client's connection, because a plain close would look like the end of the body in HTTP/1.0. */
export function resetConnection(res: ServerResponse): void {
  if (res.writableFinished) return;
  if (res.socket === null) res.destroy();
  else res.socket.resetAndDestroy();
}
