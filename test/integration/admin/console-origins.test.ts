import { OPERATOR, type SentHeaders, startConsole, VIEWER } from '../../support/client/console-gateway.ts';
import { startForAll } from '../../support/jest/lifetime.ts';

const gateway = startForAll(() => startConsole({ hasTokens: true }));
const operator = startForAll(() => gateway.signIn(OPERATOR));

describe('a page of another origin', () => {
  const foreign: readonly [string, SentHeaders][] = [
    [
      'another site',
      { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'cors', origin: 'http://evil.example' },
    ],
    [
      'another site, as an image',
      { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'image' },
    ],
    [
      'another site, as a script',
      { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'script' },
    ],
    [
      'another site, in a frame',
      { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'iframe' },
    ],
    ['a host beside this one', { 'sec-fetch-site': 'same-site', 'sec-fetch-mode': 'cors' }],
    ['nowhere', { origin: 'null' }],
  ];
  it.each(foreign)(
    'from %s reads nothing, by cookie or by token, and hears no events',
    async (_, headers) => {
      for (const credential of [operator, { authorization: `Bearer ${OPERATOR}` }])
        for (const path of ['/api/config', '/api/audit', '/api/events', '/metrics', '/api/session'])
          expect([path, (await gateway.send('GET', path, { ...headers, ...credential })).status]).toEqual([
            path,
            403,
          ]);
    },
  );

  it.each<[string, SentHeaders, string]>([
    ['a form', { 'content-type': 'application/x-www-form-urlencoded' }, `token=${VIEWER}`],
    ['JSON as text', { 'content-type': 'text/plain' }, JSON.stringify({ token: VIEWER })],
    ['JSON of another site', { 'sec-fetch-site': 'cross-site' }, JSON.stringify({ token: VIEWER })],
  ])('signs nobody in by %s', async (_, headers, body) => {
    const { status, headers: answered } = await gateway.send(
      'POST',
      '/api/session',
      { ...gateway.fromPage(), ...headers },
      body,
    );
    expect([status, answered['set-cookie']]).toEqual([403, undefined]);
  });
});

describe('a listener without a token', () => {
  const open = startForAll(() => startConsole({ hasTokens: false }));
  const local = (headers: SentHeaders = {}) => ({ ...open.fromPage(), ...headers });
  it.each([
    'evil.example',
    '127.0.0.1.evil.example',
    'localhost.evil.example',
    'evil.example:9090',
    '0.0.0.0',
    '2130706433',
    '127.1',
    'localhost.',
    '[::ffff:127.0.0.1]',
    'localhost@evil.example',
    '127.0.0.1, evil.example',
  ])('is not asked as %s, which may be made to point here', async (host) => {
    for (const headers of [{ host }, { ...local({ origin: `http://${host}` }), host }]) {
      expect((await open.send('GET', '/api/config', headers)).status).toBe(403);
      expect((await open.send('POST', '/api/cache/purge?tag=users', headers, '{}')).status).toBe(403);
    }
  });

  it('is read by its own page, which changes nothing, and changed by a program of this machine', async () => {
    const shown = await open.send('GET', '/api/session', local());
    expect(JSON.parse(shown.text)).toMatchObject({
      name: 'local',
      role: 'viewer',
      how: 'local',
      endsAt: null,
    });
    const body = JSON.stringify({ tag: 'users' });
    const refused = await open.send('POST', '/api/cache/purge', local(), body);
    expect([refused.status, refused.text]).toEqual([403, expect.stringContaining('the console only reads')]);
    const json = { 'content-type': 'application/json' };
    expect((await open.send('POST', '/api/cache/purge', json, body)).status).toBe(200);
    expect((await open.send('POST', '/api/session', local(), '{"token":"x"}')).status).toBe(409);
  });

  it('has no page of another origin ask it', async () => {
    for (const origin of ['http://evil.example', 'null', 'http://localhost:1'])
      expect((await open.send('GET', '/api/config', { origin })).status).toBe(403);
  });
});
