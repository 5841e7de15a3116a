import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { closeAll, openUpstream } from './open-upstream.ts';

let server: Server | undefined;
const sockets: Socket[] = [];
afterEach(async () => {
  await closeAll();
  for (const socket of sockets.splice(0)) socket.destroy();
  server?.close();
});

describe('a connection', () => {
  it('whose TLS handshake does not end in time is upstream_unavailable, and no timeout', async () => {
    const mute = createServer((socket) => void sockets.push(socket));
    server = mute;
    await new Promise<void>((resolve) => mute.listen(0, '127.0.0.1', resolve));
    const url = `https://127.0.0.1:${(mute.address() as AddressInfo).port}`;
    const { failure } = openUpstream(url, { timeout: '60s', connectTimeout: '60ms' });
    const error = await failure();
    expect([error.code, error.detail]).toEqual([
      'upstream_unavailable',
      expect.stringContaining('ETIMEDOUT'),
    ]);
  });
});
