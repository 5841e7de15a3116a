import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

/** The largest unread request body that is read to its end so that the connection can stay open, in bytes. */
const UNREAD_BYTES_MAX = 64 * 1024;

/**
 * Whether the connection may stay open after a response although the request body was not read. Node reads and drops
 * the rest of it; that is fine for a small body and not for an endless one.
 */
function mayStayOpen(req: IncomingMessage): boolean {
  if (req.complete) return true;
  const length = req.headers['content-length'];
  return (
    req.headers['transfer-encoding'] === undefined &&
    (length === undefined || Number(length) <= UNREAD_BYTES_MAX)
  );
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
export function closeIfBodyUnread(req: IncomingMessage, res: ServerResponse): void {
  if (mayStayOpen(req)) return;
  res.shouldKeepAlive = false;
  const { socket } = req;
  // Node calls this once the response is out. Bytes that still arrive are dropped, even if they look like a request.
  socket.destroySoon = () => {
    socket.removeAllListeners('data').on('data', () => undefined);
    closeLingering(socket, '');
  };
}
