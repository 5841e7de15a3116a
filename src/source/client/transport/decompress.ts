import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate, type InputType, type ZlibOptions } from 'node:zlib';
import { invalidReply } from '../../../kernel/errors/fault.ts';

type Unpack = (body: InputType, options: ZlibOptions) => Promise<Buffer>;

const UNPACKERS: Readonly<Record<string, Unpack>> = {
  gzip: promisify<InputType, ZlibOptions, Buffer>(gunzip),
  'x-gzip': promisify<InputType, ZlibOptions, Buffer>(gunzip),
  deflate: promisify<InputType, ZlibOptions, Buffer>(inflate),
  br: promisify<InputType, ZlibOptions, Buffer>(brotliDecompress),
};

/**
 * Decompresses a body. The HTTP client must not do it, because it accepts a truncated stream as complete.
 * @throws GatewayError `upstream_invalid_response` if it is damaged, larger than `bytesMax`, or of an unknown coding
 */
export async function decompress(body: Buffer, encoding: string, bytesMax: number): Promise<Buffer> {
  const name = encoding.trim().toLowerCase();
  if (name === '' || name === 'identity') return body;
  const unpack = UNPACKERS[name];
  if (unpack === undefined) throw invalidReply('encoding', 'unknown content encoding');
  try {
    return await unpack(body, { maxOutputLength: bytesMax });
  } catch (cause) {
    throw invalidReply('encoding', `the ${name} body is damaged or larger than net.bytesMax`, cause);
  }
}
