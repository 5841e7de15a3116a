import type { Duplex } from 'node:stream';
import type { RequestContext } from './request-context.ts';

/** The largest unread request body that is read to its end so that the connection can stay open, in bytes. */
const UNREAD_BYTES_MAX = 64 * 1024;

/**
 * Whether the connection may stay open after a response although the request body was not read. Node reads and drops
 * the rest of it; that is fine for a small body and not for an endless one.
 */
function mayStayOpen({ req, awaitsContinue }: RequestContext): boolean {
  if (req.complete) return true;
  if (req.headers['transfer-encoding'] !== undefined) return false;
  const bytes = Number(req.headers['content-length'] ?? 0);
  // A client that waits for a 100 may send the body now or leave it, so what comes next could be taken for either.
  return bytes === 0 || (!awaitsContinue && bytes <= UNREAD_BYTES_MAX);
}

const LINGER_MS = 1_000;

/**
 * A lingering close, as nginx has it: sends the last bytes and goes on reading for a moment. A close with bytes unread
 * would be a reset, which may overtake what was sent.
 */
export function closeLingering(socket: Duplex, lastBytes: string): void {
  const timer = setTimeout(() => socket.destroy(), LINGER_MS);
  socket.once('close', () => clearTimeout(timer));
  socket.on('error', () => socket.destroy());
  socket.end(lastBytes);
  socket.resume();
}

/** Closes the connection after the response if too much of the request body is unread. Call it before the head is sent. */
export function closeIfBodyUnread(context: RequestContext): void {
  if (mayStayOpen(context)) return;
  const { req, res } = context;
  res.shouldKeepAlive = false;
  const { socket } = req;
  // Node calls this once the response is out. Bytes that still arrive are dropped, even if they look like a request.
  socket.destroySoon = () => {
    socket.removeAllListeners('data').on('data', () => undefined);
    closeLingering(socket, '');
  };
}
