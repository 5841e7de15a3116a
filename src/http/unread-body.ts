import type { IncomingMessage } from 'node:http';

/** The largest unread request body that is worth reading to its end for the sake of the connection, in bytes. */
const UNREAD_BYTES_MAX = 64 * 1024;

/**
 * Whether the connection may live on after an answer, although the request body was not read. Node reads the rest
 * of it away; that is fine for a stray body and not for an endless one.
 */
export function mayStayOpen(req: IncomingMessage): boolean {
  if (req.complete) return true;
  const length = req.headers['content-length'];
  return (
    req.headers['transfer-encoding'] === undefined &&
    (length === undefined || Number(length) <= UNREAD_BYTES_MAX)
  );
}
