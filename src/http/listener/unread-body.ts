// Closes connections whose request body was not read, so that the client still gets the response.

import type { Duplex } from 'node:stream';
import type { RequestContext } from './request-context.ts';

/** The largest unread request body, in bytes, that is read to its end so that the connection can stay open. */
const UNREAD_BYTES_MAX = 64 * 1024;

/**
 * Whether the connection may stay open although the request body was not read. Node then reads and drops the rest of the
 * body, which is right for a small body but not for an endless one.
 */
function mayStayOpen({ req, awaitsContinue }: RequestContext): boolean {
  if (req.complete) return true;
  if (req.headers['transfer-encoding'] !== undefined) return false;
  const bytes = Number(req.headers['content-length'] ?? 0);
  // A client that waits for a 100 may or may not send its body now, so the next bytes could be a body or a request.
  return bytes === 0 || (!awaitsContinue && bytes <= UNREAD_BYTES_MAX);
}

const LINGER_MS = 1_000;

/**
 * Closes a connection like nginx' lingering close: it sends the last bytes and goes on reading for a moment. A close with
 * unread bytes would be a reset, and then the client might lose what was sent before.
 */
export function closeLingering(socket: Duplex, lastBytes: string): void {
  const timer = setTimeout(() => socket.destroy(), LINGER_MS);
  socket.once('close', () => clearTimeout(timer));
  socket.on('error', () => socket.destroy());
  socket.end(lastBytes);
  socket.resume();
}

/** Makes the connection close after the response if too much of the body is unread. Call it before the head is sent. */
export function closeIfBodyUnread(context: RequestContext): void {
  if (mayStayOpen(context)) return;
  const { req, res } = context;
  res.shouldKeepAlive = false;
  const { socket } = req;
  // Node calls this when the response is sent. Bytes that still arrive are dropped, even if they look like a request.
  socket.destroySoon = () => {
    socket.removeAllListeners('data').on('data', () => undefined);
    closeLingering(socket, '');
  };
}
