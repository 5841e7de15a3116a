import { brotliCompressSync, constants, createGzip, deflateSync, gzipSync } from 'node:zlib';
import { type ScriptedUpstream, onHead, startUpstream } from '../../../support/upstream/scripted-upstream.ts';
import { closeAll, openUpstream } from './open-upstream.ts';

let server: ScriptedUpstream | undefined;
afterEach(() => closeAll(server));

/** A client of an upstream that answers these bytes. */
async function sending(body: Buffer, headers: string[] = [], net = {}) {
  const head = ['HTTP/1.1 200 OK', ...headers, `Content-Length: ${body.length}`, '', ''].join('\r\n');
  server = await startUpstream(onHead((socket) => void socket.end(Buffer.concat([Buffer.from(head), body]))));
  return openUpstream(server.origin, net);
}

const json = JSON.stringify({ rows: Array.from({ length: 500 }, (_, i) => `row ${i}`) });

describe('a compressed body', () => {
  it.each<[string, Buffer]>([
    ['gzip', gzipSync(json)],
    ['x-gzip', gzipSync(json)],
    ['GZIP', gzipSync(json)],
    ['deflate', deflateSync(json)],
    ['br', brotliCompressSync(json)],
    ['identity', Buffer.from(json)],
  ])('in %s is unpacked', async (encoding, body) => {
    const { get } = await sending(body, [`Content-Encoding: ${encoding}`]);
    expect((await get()).body.toString()).toBe(json);
  });

  it.each<[string, Buffer, string]>([
    ['cut short', gzipSync(json).subarray(0, -20), 'gzip'],
    ['cut before its checksum', gzipSync(json).subarray(0, -8), 'gzip'],
    ['damaged', Buffer.concat([gzipSync(json).subarray(0, 200), Buffer.alloc(200, 7)]), 'gzip'],
    ['not compressed at all', Buffer.from(json), 'gzip'],
    ['cut short', deflateSync(json).subarray(0, -6), 'deflate'],
    ['cut short', brotliCompressSync(json).subarray(0, -6), 'br'],
    ['compressed twice', gzipSync(gzipSync(json)), 'gzip, gzip'],
    ['in an unknown way', Buffer.from(json), 'zpaq'],
  ])('that is %s is upstream_invalid_response (%#)', async (_name, body, encoding) => {
    const { failure, outcomes } = await sending(body, [`Content-Encoding: ${encoding}`]);
    expect((await failure()).code).toBe('upstream_invalid_response');
    expect(outcomes).toEqual(['upstream_invalid_response']);
  });

  it('that is cut after valid JSON is not taken for complete', async () => {
    const gzip = createGzip();
    const pieces: Buffer[] = [];
    gzip.on('data', (piece: Buffer) => pieces.push(piece));
    gzip.write('{"rows":[]}');
    await new Promise<void>((flushed) => gzip.flush(constants.Z_SYNC_FLUSH, flushed));
    const cut = Buffer.concat(pieces);
    gzip.destroy();
    const { failure } = await sending(cut, ['Content-Encoding: gzip']);
    expect((await failure()).code).toBe('upstream_invalid_response');
  });
});

describe('a body that is too large', () => {
  const bytesMax = '64KiB';
  const limit = 64 * 1024;

  it('is read up to net.bytesMax, and refused above', async () => {
    const exact = await sending(Buffer.alloc(limit, 0x20), [], { bytesMax });
    expect((await exact.get()).body).toHaveLength(limit);
    await closeAll(server);
    const above = await sending(Buffer.alloc(limit + 1, 0x20), [], { bytesMax });
    expect((await above.failure()).code).toBe('upstream_invalid_response');
  });

  it('is aborted in the middle if it has no Content-Length, and its connection is closed', async () => {
    let sent = 0;
    server = await startUpstream(
      onHead((socket) => {
        socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n');
        const chunk = Buffer.concat([
          Buffer.from('10000\r\n'),
          Buffer.alloc(0x10000, 0x20),
          Buffer.from('\r\n'),
        ]);
        const more = () => {
          sent += 1;
          if (sent < 10_000 && socket.writable) socket.write(chunk, more);
        };
        more();
      }),
    );
    const { failure } = openUpstream(server.origin, { bytesMax });
    const error = await failure();
    expect([error.code, error.detail]).toEqual([
      'upstream_invalid_response',
      'the body is larger than net.bytesMax',
    ]);
    await server.disconnected();
    expect(sent).toBeLessThan(1_000);
  });

  it.each<[string, (body: Buffer) => Buffer]>([
    ['gzip', gzipSync],
    ['deflate', deflateSync],
    ['br', brotliCompressSync],
  ])('once unpacked is refused before it is unpacked whole: a bomb in %s', async (encoding, pack) => {
    const bomb = pack(Buffer.alloc(32 * 1024 ** 2));
    expect(bomb.length).toBeLessThan(limit);
    const { failure } = await sending(bomb, [`Content-Encoding: ${encoding}`], { bytesMax });
    const before = process.memoryUsage().rss;
    expect((await failure()).code).toBe('upstream_invalid_response');
    expect(process.memoryUsage().rss - before).toBeLessThan(16 * 1024 ** 2);
  });
});
