import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

/** The largest unread request body that is worth reading to its end for the sake of the connection, in bytes. */
const UNREAD_BYTES_MAX = 64 * 1024;

/**
 * Whether the connection may live on after an answer, although the request body was not read. Node reads the rest
 * of it away; that is fine for a stray body and not for an endless one.
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

/** Says a last word and reads on for a moment: a close with bytes unread is a reset, which may overtake the word. */
export function closeLingering(socket: Duplex, lastWord: string): void {
  const timer = setTimeout(() => socket.destroy(), LINGER_MS);
  socket.once('close', () => clearTimeout(timer));
  socket.on('error', () => socket.destroy());
  socket.end(lastWord);
  socket.resume();
}

/** Has the connection end after an answer where too much of the request body is still to come; before its head. */
export function closeIfBodyUnread(req: IncomingMessage, res: ServerResponse): void {
  if (mayStayOpen(req)) return;
  res.shouldKeepAlive = false;
  const { socket } = req;
  // What Node calls once the answer is out. What still comes is for nobody, also if it looks like another request.
  socket.destroySoon = () => {
    socket.removeAllListeners('data').on('data', () => undefined);
    closeLingering(socket, '');
  };
}
