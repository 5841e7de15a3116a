import { silent, startUpstream } from '../../support/upstream/scripted-upstream.ts';
import { closeAll, openUpstream } from './open-upstream.ts';

describe('a connection', () => {
  it('whose TLS handshake does not end in time is upstream_unavailable, and no timeout', async () => {
    const mute = await startUpstream(silent);
    const net = { timeout: '60s', connectTimeout: '60ms' };
    const error = await openUpstream(`https://127.0.0.1:${mute.port}`, net).failure();
    expect([error.code, error.detail]).toEqual([
      'upstream_unavailable',
      expect.stringContaining('ETIMEDOUT'),
    ]);
    await closeAll(mute);
  });
});
