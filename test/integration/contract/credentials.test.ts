import { hashApiKey, newApiKey } from '../../../src/pipeline/stages/authentication/api-key.ts';
import { Secret } from '../../../src/kernel/secret.ts';
import { KEY, PEPPER, USERS_KEY, startStack } from '../../support/gateway/stack.ts';
import { startIssuer } from '../../support/auth/issuer-server.ts';
import { decision } from './decisions.ts';
import { startForAll } from '../../support/jest/lifetime.ts';

const minted = newApiKey('abcdef12');
const expired = newApiKey('expired1');

const issuer = startForAll(startIssuer);
const stack = startForAll(() =>
  startStack({
    configure({ auth, resources }) {
      const { issuer: iss, audience, jwksUrl } = issuer;
      const claims = { permissionsClaim: 'scope', tier: 'roomy', clockTolerance: 0 };
      const life = { keysFresh: 600_000, keysStale: 86_400_000 };
      const algorithms: ('RS256' | 'ES256' | 'EdDSA')[] = ['RS256', 'ES256', 'EdDSA'];
      auth.jwt = { issuer: iss, audience, jwksUrl, algorithms, ...claims, ...life };
      const key = { label: '', permissions: ['users:read'], tier: 'roomy' };
      const hash = (text: string) => hashApiKey(new Secret(PEPPER), text);
      auth.apiKeys?.keys.push(
        { ...key, id: 'abcdef12', hash: hash(minted) },
        { ...key, id: 'expired1', hash: hash(expired), expiresAt: '2020-01-01T00:00:00Z' },
      );
      if (resources.products !== undefined) resources.products.public = true;
    },
  }),
);

const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });

async function status(headers: Record<string, string>, path = '/v1/users/user_3'): Promise<number> {
  return (await stack.ask(path, { headers })).status;
}

describe(decision('Credentials'), () => {
  it('takes an API key as bearer token, whatever the case of the scheme, and in X-API-Key', async () => {
    for (const key of [KEY, USERS_KEY, minted]) {
      expect(await status({ authorization: `Bearer ${key}` })).toBe(200);
      expect(await status({ authorization: `bearer ${key}` })).toBe(200);
      expect(await status({ 'x-api-key': key })).toBe(200);
    }
  });

  it.each(['RS256', 'ES256', 'EdDSA'] as const)(
    'takes a JWT signed with %s as bearer token',
    async (algorithm) => {
      const token = await issuer.token(algorithm);
      expect(await status({ authorization: `Bearer ${token}` })).toBe(200);
      expect(await status({ 'x-api-key': token })).toBe(401);
    },
  );

  it.each([
    ['expired', { exp: 1_000_000_000 }],
    ['not valid yet', { nbf: 4_000_000_000 }],
    ['of another issuer', { iss: 'https://issuer.example' }],
    ['for another audience', { aud: 'someone-else' }],
    ['without an end', { exp: undefined }],
    ['without an issuer', { iss: undefined }],
    ['without an audience', { aud: undefined }],
    ['without a subject', { sub: undefined }],
  ])('refuses a JWT that is %s', async (_, claims) => {
    expect((await stack.ask('/v1/users', bearer(await issuer.token('ES256', claims)))).status).toBe(401);
  });

  it('refuses a JWT with another signature, or none', async () => {
    const [head = '', body = '', signature = ''] = (await issuer.token('RS256')).split('.');
    const [, foreign = ''] = (await issuer.token('RS256', { sub: 'mallory' })).split('.');
    const none = Buffer.from('{"alg":"none"}').toString('base64url');
    for (const token of [
      `${head}.${foreign}.${signature}`,
      `${none}.${body}.`,
      `${none}.${body}.${signature}`,
    ])
      expect(await status({ authorization: `Bearer ${token}` })).toBe(401);
  });

  it.each([
    ['no credential', {}],
    ['an unknown key', { 'x-api-key': 'nobody-has-this-key' }],
    ['an expired key', { 'x-api-key': expired }],
    [
      'a key with another checksum',
      { 'x-api-key': `${minted.slice(0, -1)}${minted.endsWith('A') ? 'B' : 'A'}` },
    ],
    ['another scheme', { authorization: `Basic ${Buffer.from(`x:${KEY}`).toString('base64')}` }],
    ['a scheme alone', { authorization: 'Bearer' }],
    ['an empty key', { 'x-api-key': '' }],
    ['two tokens', { authorization: `Bearer ${KEY} ${KEY}` }],
    ['two keys', { authorization: `Bearer ${KEY}`, 'x-api-key': USERS_KEY }],
    ['a key and something that is none', { authorization: 'Basic eDp5', 'x-api-key': KEY }],
    ['a key of 9 KiB', { 'x-api-key': 'k'.repeat(9 * 1024) }],
  ])('answers %s with 401', async (_, headers) => {
    expect(await status(headers as Record<string, string>)).toBe(401);
  });

  it('accepts the same key in both headers', async () => {
    expect(await status({ authorization: `Bearer ${KEY}`, 'x-api-key': KEY })).toBe(200);
  });

  it.each(['api_key', 'key', 'access_token', 'token', 'X-API-Key'])(
    'never reads a key from ?%s=',
    async (name) => {
      expect(await status({}, `/v1/users?${name}=${KEY}`)).toBe(401);
    },
  );
});

describe(decision('Permissions'), () => {
  it.each([
    ['users:read', '/v1/users', 200],
    ['users:read', '/v1/users/user_3', 200],
    ['products:read', '/v1/users', 403],
    ['products:read', '/v1/users/user_3', 403],
    ['', '/v1/users', 403],
    ['users:reader users', '/v1/users', 403],
    ['openid users:read', '/v1/users', 200],
    ['users:read', '/legacy/orders', 403],
    ['orders:read', '/legacy/orders', 200],
  ])('a token with "%s" gets from %s: %d', async (scope, path, expected) => {
    const token = await issuer.token('EdDSA', { scope });
    expect(await status({ authorization: `Bearer ${token}` }, path)).toBe(expected);
  });

  it('serves a public resource without a credential, limited by address', async () => {
    const response = await stack.ask('/v1/products');
    expect(response.status).toBe(200);
    expect(response.headers.get('ratelimit-policy')).toBe('"1s";q=20;w=1, "60s";q=600;w=60');
    expect(await status({ 'x-api-key': USERS_KEY }, '/v1/products')).toBe(200);
    expect(await status({ 'x-api-key': 'nobody-has-this-key' }, '/v1/products')).toBe(401);
  });
});

describe(decision('Challenges'), () => {
  it('is WWW-Authenticate: Bearer without a token, with the error of one that is wrong', async () => {
    const challenge = async (headers: Record<string, string>) =>
      (await stack.ask('/v1/users', { headers })).headers.get('www-authenticate');
    expect(await challenge({})).toBe('Bearer realm="portico"');
    expect(await challenge({ 'x-api-key': 'nobody-has-this-key' })).toBe(
      'Bearer realm="portico", error="invalid_token"',
    );
  });

  it('names the permission that is missing', async () => {
    const response = await stack.ask('/v1/users', bearer(await issuer.token('RS256', { scope: '' })));
    expect(response.status).toBe(403);
    expect(response.headers.get('www-authenticate')).toBe(
      'Bearer realm="portico", error="insufficient_scope", scope="users:read"',
    );
    const { error } = (await response.json()) as { error: { message: string } };
    expect(error.message).toContain('users:read');
  });
});
