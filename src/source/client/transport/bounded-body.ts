import type { IncomingMessage } from 'node:http';

/**
 * Reads the body of an upstream's answer as it was sent, and bounds its size: beyond `bytesMax` (`net.bytesMax`) it calls
 * `onTooLarge`, which must end the connection. `decompress` bounds the size after decompression.
 */
export function readBoundedBody(
  response: IncomingMessage,
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
