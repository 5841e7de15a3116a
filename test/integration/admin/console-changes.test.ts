import { actionList } from '../../../src/admin/api/action-table.ts';
import { OPERATOR, type SentHeaders, startConsole, VIEWER } from '../../support/client/console-gateway.ts';
import { startForAll } from '../../support/jest/lifetime.ts';

const gateway = startForAll(() => startConsole({ hasTokens: true }));
const operator = startForAll(() => gateway.signIn(OPERATOR));
const viewer = startForAll(() => gateway.signIn(VIEWER));

/** The same headers without some. */
function without(headers: SentHeaders, ...names: readonly string[]): SentHeaders {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !names.includes(name)));
}

const purge = (headers: SentHeaders, path = '/api/cache/purge') =>
  gateway.send('POST', path, headers, JSON.stringify({ tag: 'users' }));

describe('a change with the cookie of an operator', () => {
  const evil = 'http://evil.example';
  it.each<[string, () => SentHeaders]>([
    ['without the header of the console', () => without(gateway.fromPage(), 'x-portico-console')],
    ['with another value of that header', () => ({ ...gateway.fromPage(), 'x-portico-console': 'true' })],
    ['with that header twice', () => ({ ...gateway.fromPage(), 'x-portico-console': ['1', '1'] })],
    ['with JSON as text/plain', () => ({ ...gateway.fromPage(), 'content-type': 'text/plain' })],
    ['of a form', () => ({ ...gateway.fromPage(), 'content-type': 'application/x-www-form-urlencoded' })],
    [
      'of a form with files',
      () => ({ ...gateway.fromPage(), 'content-type': 'multipart/form-data; boundary=x' }),
    ],
    ['with almost JSON', () => ({ ...gateway.fromPage(), 'content-type': 'application/jsonp' })],
    [
      'with a type behind the type',
      () => ({ ...gateway.fromPage(), 'content-type': 'text/plain; application/json' }),
    ],
    ['without a type', () => without(gateway.fromPage(), 'content-type')],
    ['of another site', () => ({ ...gateway.fromPage(evil), 'sec-fetch-site': 'cross-site' })],
    ['of a host beside this one', () => ({ ...gateway.fromPage(), 'sec-fetch-site': 'same-site' })],
    ['of an unknown kind of site', () => ({ ...gateway.fromPage(), 'sec-fetch-site': 'SAME-ORIGIN' })],
    [
      'with two kinds of site',
      () => ({ ...gateway.fromPage(), 'sec-fetch-site': ['same-origin', 'cross-site'] }),
    ],
    ['that somebody typed', () => ({ ...without(gateway.fromPage(), 'origin'), 'sec-fetch-site': 'none' })],
    [
      'from a frame without an origin',
      () => ({ ...gateway.fromPage('null'), 'sec-fetch-site': 'same-origin' }),
    ],
    ['of an old browser, from a frame', () => without(gateway.fromPage('null'), 'sec-fetch-site')],
    ['of an old browser, from another site', () => without(gateway.fromPage(evil), 'sec-fetch-site')],
    [
      'of an old browser, from a longer host',
      () => without(gateway.fromPage(`${gateway.stack.adminUrl}.evil.example`), 'sec-fetch-site'),
    ],
    [
      'of an old browser, from another port',
      () => without(gateway.fromPage('http://127.0.0.1:1'), 'sec-fetch-site'),
    ],
    ['of an old browser, from a file', () => without(gateway.fromPage('file://'), 'sec-fetch-site')],
    [
      'with a user in its origin',
      () => without(gateway.fromPage(gateway.stack.adminUrl.replace('//', '//evil@')), 'sec-fetch-site'),
    ],
    ['with two origins', () => ({ ...gateway.fromPage(), origin: [gateway.stack.adminUrl, evil] })],
    ['that shows no page at all', () => without(gateway.fromPage(), 'sec-fetch-site', 'origin')],
  ])('is refused %s', async (_, headers) => {
    const before = await gateway.auditLines();
    for (const path of ['/api/cache/purge', '/api/cache/purge?tag=users'])
      expect((await purge({ ...headers(), ...operator }, path)).status).toBe(403);
    expect(await gateway.auditLines()).toEqual(before);
  });

  it('is made from a page of an old browser, whose origin is this host', async () => {
    expect((await purge({ ...without(gateway.fromPage(), 'sec-fetch-site'), ...operator })).status).toBe(200);
  });

  it.each(['PUT', 'TRACE', 'OPTIONS', 'HEAD', 'PROPFIND'])(
    'is not made by %s, whatever method it names',
    async (method) => {
      const before = await gateway.auditLines();
      const names = {
        'x-http-method-override': 'POST',
        'x-method-override': 'POST',
        'x-http-method': 'POST',
      };
      await gateway.send(method, '/api/cache/purge?tag=users&_method=POST', {
        ...gateway.fromPage(),
        ...names,
        ...operator,
      });
      await gateway.send('GET', '/api/cache/purge?tag=users&_method=POST', { ...names, ...operator });
      expect(await gateway.auditLines()).toEqual(before);
    },
  );
});

describe('a viewer with a cookie', () => {
  const writes = actionList.filter(([, { role }]) => role === 'operator');
  it.each(writes)('cannot do %s', async (_, { method, path }) => {
    const before = await gateway.auditLines();
    const target = path.replaceAll(/\{\w+\}/g, 'users');
    const { status, text } = await gateway.send(
      method.toUpperCase(),
      target,
      { ...gateway.fromPage(), ...viewer },
      method === 'delete' ? undefined : '{}',
    );
    expect([status, JSON.parse(text)]).toEqual([
      403,
      { error: expect.objectContaining({ code: 'forbidden' }) },
    ]);
    expect(await gateway.auditLines()).toEqual(before);
  });
});
