import {
  OPERATOR,
  type SentHeaders,
  startConsole,
  type TabHeaders,
  VIEWER,
} from '../../support/client/console-gateway.ts';
import { startForAll } from '../../support/jest/lifetime.ts';

let operator: TabHeaders;
let elsewhere: TabHeaders;
const gateway = startForAll(() => startConsole({ hasTokens: true }));
beforeAll(async () => {
  operator = await gateway.signIn(OPERATOR);
  elsewhere = await gateway.signIn(OPERATOR);
});

describe('somebody who has signed in', () => {
  it('is who the token says, changes things from the page, and stands in the audit with role and address', async () => {
    const shown = await gateway.send('GET', '/api/session', operator);
    expect(JSON.parse(shown.text)).toEqual({
      ...{ name: 'ada', role: 'operator', how: 'cookie', version: 'test' },
      endsAt: new Date(gateway.clock.now() + 43_200_000).toISOString(),
    });
    const body = JSON.stringify({ tag: 'products', reason: 'stock was wrong' });
    expect(
      (await gateway.send('POST', '/api/cache/purge', { ...gateway.fromPage(), ...operator }, body)).status,
    ).toBe(200);
    expect(JSON.parse((await gateway.auditLines()).at(-1) ?? '')).toMatchObject({
      ...{ actor: 'ada', role: 'operator', address: '127.0.0.1', action: 'cache.purge', target: 'products' },
      ...{ reason: 'stock was wrong', outcome: 'done', after: { reached: {} } },
    });
  });

  it('has a cookie that scripts cannot read, other sites do not send, and TLS keeps to itself', async () => {
    const body = JSON.stringify({ token: VIEWER });
    const plain = await gateway.send('POST', '/api/session', gateway.fromPage(), body);
    expect(plain.headers['set-cookie']).toEqual([
      expect.stringMatching(/^portico_session=[\w-]{43}; HttpOnly; SameSite=Strict$/),
    ]);
    for (const headers of [{ 'x-forwarded-proto': 'https' }, { origin: 'https://ops.example.com' }]) {
      const secure = await gateway.send('POST', '/api/session', { ...gateway.fromPage(), ...headers }, body);
      expect(secure.headers['set-cookie']?.[0]).toMatch(/; Secure$/);
    }
    expect([plain.text, gateway.stack.log.join('\n')].join('\n')).not.toContain(VIEWER);
  });
});

describe('a session', () => {
  const id = ({ cookie }: TabHeaders) => cookie.slice('portico_session='.length);
  const secret = (tab: TabHeaders) => tab['x-portico-session-secret'];
  const other = `portico_session=${'A'.repeat(43)}`;
  /** The cookie as it stands for `%`, beside the right secret. */
  const withCookie = (text: string) => ({ ...operator, cookie: text.replaceAll('%', operator.cookie) });
  const withSecret = (text: string | string[]) => ({ ...operator, 'x-portico-session-secret': text });
  it.each<[string, () => SentHeaders]>([
    ['that nobody began', () => withCookie(other)],
    ['without an id', () => withCookie('portico_session=')],
    ['with a token in place of the id', () => withCookie(`portico_session=${OPERATOR}`)],
    ['with more behind the id', () => withCookie('%x')],
    ['in quotes', () => withCookie(`portico_session="${id(operator)}"`)],
    ['that is escaped', () => withCookie(operator.cookie.replace(/.$/, '%41'))],
    ['under another name', () => withCookie(operator.cookie.replace('portico', 'Portico'))],
    ['under a longer name', () => withCookie('x%')],
    ['twice', () => withCookie('%; %')],
    ['behind the one of somebody else', () => withCookie(`${other}; %`)],
    ['before the one of somebody else', () => withCookie(`%; ${other}`)],
    ['beside an empty one', () => withCookie('%; portico_session=')],
    ['without the secret of the tab', () => ({ cookie: operator.cookie })],
    ['with the id for its secret', () => withSecret(id(operator))],
    ['with the token for its secret', () => withSecret(OPERATOR)],
    ['with an empty secret', () => withSecret('')],
    ['with the secret twice', () => withSecret([secret(operator), secret(operator)])],
    ['with more behind the secret', () => withSecret(`${secret(operator)}x`)],
    ['with the secret of another browser', () => withSecret(secret(elsewhere))],
    ['of another browser', () => withCookie(elsewhere.cookie)],
    ['with the secret in the cookie', () => ({ cookie: `%; secret=${secret(operator)}` })],
    ['by its secret alone', () => ({ 'x-portico-session-secret': secret(operator) })],
    ['as a bearer token', () => ({ authorization: `Bearer ${id(operator)}` })],
    ['whose secret is the bearer token', () => ({ authorization: `Bearer ${secret(operator)}` })],
    ['beside a wrong token', () => ({ ...operator, authorization: 'Bearer the-token-of-nobody' })],
    ['beside a scheme that is none', () => ({ ...operator, authorization: `Basic ${id(operator)}` })],
    ['in another header', () => ({ 'x-session': id(operator), cookie2: operator.cookie })],
  ])('%s is none', async (_, headers) => {
    for (const path of ['/api/session', '/api/config', '/api/events', '/api/metrics'])
      expect([path, (await gateway.send('GET', path, headers())).status]).toEqual([path, 401]);
  });

  it('is not found in a cookie that is too large, and a large one beside it does no harm', async () => {
    const large = (bytes: number) => withCookie(`a=${'x'.repeat(bytes)}; %`);
    expect((await gateway.send('GET', '/api/session', large(8_000))).status).toBe(200);
    expect((await gateway.send('GET', '/api/session', large(20_000))).status).toBe(431);
  });

  it('is never the one that was there before (session fixation), which ends', async () => {
    const first = await gateway.signIn(VIEWER, { cookie: other });
    const second = await gateway.signIn(VIEWER, { cookie: first.cookie });
    expect(new Set([other, first.cookie, second.cookie]).size).toBe(3);
    const answers = [{ ...first, cookie: other }, first, second].map((tab) =>
      gateway.send('GET', '/api/session', tab),
    );
    expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([401, 401, 200]);
  });

  it('is that of one tab: another signs in for itself, in its own role, and the first goes on with the new cookie', async () => {
    const first = await gateway.signIn(OPERATOR);
    const second = await gateway.signIn(VIEWER, { cookie: first.cookie });
    const { cookie } = second;
    const shown = async (tab: TabHeaders) =>
      JSON.parse((await gateway.send('GET', '/api/session', tab)).text) as { role?: string };
    expect((await shown({ ...first, cookie })).role).toBe('operator');
    const both = await shown(second);
    expect(both.role).toBe('viewer');
    expect(Object.keys(both)).not.toContain('secret');
    const refused = await gateway.send('GET', '/api/session', { cookie });
    // A new tab must not end the others by asking who it is.
    expect([refused.status, refused.headers['set-cookie']]).toEqual([401, undefined]);
    await gateway.send('DELETE', '/api/session', { ...gateway.fromPage(), ...second });
    expect(await shown({ ...first, cookie })).toHaveProperty('error');
  });

  it('ends by signing out, from a page of the console alone', async () => {
    const tab = await gateway.signIn(VIEWER);
    const foreign = { ...gateway.fromPage('http://evil.example'), 'sec-fetch-site': 'cross-site' };
    expect((await gateway.send('DELETE', '/api/session', { ...foreign, ...tab })).status).toBe(403);
    expect((await gateway.send('GET', '/api/session', tab)).status).toBe(200);
    const out = await gateway.send('DELETE', '/api/session', { ...gateway.fromPage(), ...tab });
    expect([out.status, out.headers['set-cookie']?.[0]]).toEqual([204, expect.stringContaining('Max-Age=0')]);
    expect((await gateway.send('GET', '/api/session', tab)).status).toBe(401);
  });

  it('is one of fifty of its token at most, and those of other tokens stay', async () => {
    const first = await gateway.signIn(VIEWER);
    for (let count = 0; count < 50; count += 1) await gateway.signIn(VIEWER);
    expect((await gateway.send('GET', '/api/session', first)).status).toBe(401);
    expect((await gateway.send('GET', '/api/session', operator)).status).toBe(200);
  });

  it('ends after twelve hours', async () => {
    gateway.clock.advance(43_199_000);
    expect((await gateway.send('GET', '/api/session', operator)).status).toBe(200);
    gateway.clock.advance(1_000);
    expect((await gateway.send('GET', '/api/session', operator)).status).toBe(401);
    operator = await gateway.signIn(OPERATOR);
  });
});

describe('somebody who guesses tokens', () => {
  it.each([
    ['an object', '{"token":{"length":40}}'],
    ['a list', `{"token":["${VIEWER}"]}`],
    ['nothing', '{"token":""}'],
    ['a key too many', `{"token":"${VIEWER}","role":"operator"}`],
    ['a prototype', `{"__proto__":{"token":"${VIEWER}"}}`],
    ['a long text', JSON.stringify({ token: 'x'.repeat(3_000) })],
    ['a body that is too long', JSON.stringify({ token: 'x'.repeat(300_000) })],
    ['no JSON', `token=${VIEWER}`],
  ])('is not signed in by %s', async (_, body) => {
    const { status, headers } = await gateway.send('POST', '/api/session', gateway.fromPage(), body);
    expect([status, headers['set-cookie']]).toEqual([400, undefined]);
  });

  it('is limited for each address, and a right token of the same address passes, by sign-in and by header', async () => {
    const guess = (token: string) =>
      gateway.send('POST', '/api/session', gateway.fromPage(), JSON.stringify({ token }));
    const statuses: number[] = [];
    for (let count = 0; count < 30; count += 1)
      statuses.push((await guess(`the-token-of-nobody-${count}`)).status);
    expect(statuses).toEqual(Array.from({ length: 30 }, (_, count) => (count < 20 ? 401 : 429)));
    const bearer = (token: string) =>
      gateway.send('GET', '/api/metrics', { authorization: `Bearer ${token}` });
    const wrong = await bearer('the-token-of-nobody');
    expect([wrong.status, Number(wrong.headers['retry-after'])]).toEqual([429, 2]);
    for (const token of [OPERATOR, VIEWER])
      expect([(await guess(token)).status, (await bearer(token)).status]).toEqual([200, 200]);
    expect((await gateway.send('GET', '/api/session', operator)).status).toBe(200);
    gateway.clock.advance(2_000);
    expect([
      (await guess('the-token-of-nobody')).status,
      (await guess('the-token-of-nobody')).status,
    ]).toEqual([401, 429]);
    expect(gateway.stack.log.join('\n')).not.toMatch(/the-token-of/);
  });
});
