import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate, type InputType, type ZlibOptions } from 'node:zlib';
import { invalidReply } from '../../errors/fault.ts';

type Unpack = (body: InputType, options: ZlibOptions) => Promise<Buffer>;

const UNPACKERS: Readonly<Record<string, Unpack>> = {
  gzip: promisify<InputType, ZlibOptions, Buffer>(gunzip),
  'x-gzip': promisify<InputType, ZlibOptions, Buffer>(gunzip),
  deflate: promisify<InputType, ZlibOptions, Buffer>(inflate),
  br: promisify<InputType, ZlibOptions, Buffer>(brotliDecompress),
};

/**
 * The body behind a `Content-Encoding`. It is done here and not by the HTTP client, which takes a stream that was
 * cut short for a complete one.
 * @throws GatewayError `upstream_invalid_response` where it is damaged, larger than `bytesMax`, or unknown
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
