import { inspect } from 'node:util';
import type { Socket } from 'node:net';
import { freePort } from '../../../support/process/free-port.ts';
import { type ScriptedUpstream, onHead, startUpstream } from '../../../support/upstream/scripted-upstream.ts';
import { closeAll, openUpstream } from './open-upstream.ts';

const canary = 'canary-93d1';
const encoded = Buffer.from(`${canary}:${canary}`).toString('base64');

let server: ScriptedUpstream | undefined;
afterEach(() => closeAll(server));

const credentials = [
  { kind: 'basic', user: canary, password: canary },
  { kind: 'header', name: 'X-Key', value: canary },
  { kind: 'query', name: 'key', value: canary },
];

const bad = (text: string) => (socket: Socket) => void socket.end(text);
const failures: [string, (socket: Socket) => void][] = [
  ['a reset', (socket) => void socket.resetAndDestroy()],
  ['silence', () => undefined],
  [
    'half an answer',
    bad(`HTTP/1.1 200 OK\r\nX-A: ${canary}\r\nContent-Length: 999\r\n\r\n{"password":"${canary}"`),
  ],
  ['garbage', bad(`${canary} garbage\r\n\r\n`)],
  [
    'a damaged body',
    bad(
      `HTTP/1.1 200 OK\r\nSet-Cookie: ${canary}\r\nContent-Encoding: gzip\r\nContent-Length: 11\r\n\r\n${canary}`,
    ),
  ],
  ['too large a body', bad(`HTTP/1.1 200 OK\r\nContent-Length: 4096\r\n\r\n${canary.padEnd(4096)}`)],
];

/** Everything that a log of the error could show. */
const shown = (error: unknown) =>
  inspect(error, { depth: 20, showHidden: true, getters: true, maxStringLength: null });

describe.each(credentials)('the credential of kind $kind', (auth) => {
  it.each(failures)('is in no error, nor is what the source sent: after %s', async (_name, act) => {
    server = await startUpstream(onHead(act));
    const error = await openUpstream(server.origin, { timeout: '100ms', bytesMax: '1KiB' }, auth).failure(
      `/x?q=${canary}`,
    );
    expect(error.detail).toBeTruthy();
    expect(shown(error)).not.toContain(canary);
    expect(shown(error)).not.toContain(encoded);
  });

  it('is in no error if the connection is refused', async () => {
    const error = await openUpstream(`http://127.0.0.1:${await freePort()}`, {}, auth).failure();
    expect(shown(error)).not.toContain(canary);
    expect(shown(error)).not.toContain(encoded);
  });

  it('is not shown by the client itself', () => {
    const { upstream } = openUpstream('http://127.0.0.1:1', {}, auth);
    expect(shown(upstream)).not.toContain(canary);
  });
});
