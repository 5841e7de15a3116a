import { createHmac, generateKeyPairSync, randomUUID, sign as signRaw } from 'node:crypto';
import {
  CompactSign,
  exportJWK,
  exportSPKI,
  generateKeyPair,
  type JWTPayload,
  SignJWT,
  UnsecuredJWT,
} from 'jose';
import {
  claims,
  createCheck,
  issuer,
  pairs,
  seconds,
  sign,
  verify,
} from '../../../../support/auth/token-issuer.ts';

const stranger = await generateKeyPair('ES256', { extractable: true });
const publicPem = await exportSPKI(pairs.RS256.publicKey);
const strangerJwk = await exportJWK(stranger.publicKey);

/** A token with a critical header that jose lets the signer, but no verifier, know. */
function signCritical(): Promise<string> {
  return new SignJWT(claims())
    .setProtectedHeader({ alg: 'ES256', kid: 'ES256', crit: ['exp2'], exp2: 1 })
    .sign(pairs.ES256.privateKey, { crit: { exp2: true } });
}

/** A validly signed token whose claims are any text. */
function signBytes(text: string): Promise<string> {
  return new CompactSign(Buffer.from(text))
    .setProtectedHeader({ alg: 'ES256', kid: 'ES256' })
    .sign(pairs.ES256.privateKey);
}

function without(claim: string): JWTPayload {
  return Object.fromEntries(Object.entries(claims()).filter(([name]) => name !== claim));
}

/** A token with any header and claims, signed by HMAC with any key. */
function forge(header: object, payload: object, secret: string | Buffer): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const text = `${part(header)}.${part(payload)}`;
  return `${text}.${createHmac('sha256', secret).update(text).digest('base64url')}`;
}

describe('refused is a token', () => {
  const byStranger = (header: object) =>
    new SignJWT(claims()).setProtectedHeader({ alg: 'ES256', ...header }).sign(stranger.privateKey);

  it.each<[string, () => string | Promise<string>]>([
    ['without a signature (alg none)', () => new UnsecuredJWT(claims()).encode()],
    ['with alg none and a signature', () => `${new UnsecuredJWT(claims()).encode()}eA`],
    ['with alg nOnE', () => forge({ alg: 'nOnE', kid: 'ES256' }, claims(), 'x')],
    [
      'signed with the public key as an HMAC secret',
      () => forge({ alg: 'HS256', kid: 'RS256' }, claims(), publicPem),
    ],
    [
      'that lies about HMAC under the RS256 name',
      () => forge({ alg: 'RS256', kid: 'RS256' }, claims(), publicPem),
    ],
    ['of a stranger under a known key id', () => byStranger({ kid: 'ES256' })],
    ['of a stranger that brings its own jwk', () => byStranger({ jwk: strangerJwk })],
    [
      'of a stranger that points at keys (jku)',
      () => byStranger({ kid: 'x', jku: 'http://127.0.0.1:9/keys' }),
    ],
    [
      'of a stranger that points at keys (x5u)',
      () => byStranger({ kid: 'x', x5u: 'http://127.0.0.1:9/cert' }),
    ],
    ['with an unknown critical header', () => signCritical()],
    ['of another issuer', () => sign(claims({ iss: 'https://evil.example/' }))],
    ['of an issuer that is almost ours', () => sign(claims({ iss: issuer.slice(0, -1) }))],
    ['for another audience', () => sign(claims({ aud: 'billing' }))],
    ['without exp', () => sign(without('exp'))],
    ['without aud', () => sign(without('aud'))],
    ['without iss', () => sign(without('iss'))],
    ['without sub', () => sign(without('sub'))],
    ['with an empty sub', () => sign(claims({ sub: '' }))],
    ['with a sub that is no text', () => sign(claims({ sub: 7 }))],
    ['with an exp that is a text', () => sign(claims({ exp: '9999999999' }))],
    ['expired beyond the tolerance', () => sign(claims({ exp: seconds() - 30 }))],
    ['not valid yet', () => sign(claims({ nbf: seconds() + 31 }))],
    ['with a key id nobody knows', () => sign(claims(), 'ES256', { kid: randomUUID() })],
    [
      'with one character of the signature changed',
      async () => (await sign(claims())).replace(/.{5}$/, 'AAAAA'),
    ],
    ['whose claims are no object', () => signBytes('["users:read"]')],
    ['whose claims are no JSON', () => signBytes('exp=9999999999')],
  ])('%s', async (_, make) => {
    expect(await verify(await make())).toMatchObject({ kind: 'refused' });
  });

  it('of an algorithm that is not configured', async () => {
    expect(await verify(await sign(claims(), 'RS256'), createCheck({ algorithms: ['ES256'] }))).toMatchObject(
      {
        kind: 'refused',
      },
    );
  });

  it('of a key that is too weak', async () => {
    const weak = generateKeyPairSync('rsa', { modulusLength: 1024 });
    const set = { keys: [{ ...weak.publicKey.export({ format: 'jwk' }), kid: 'weak', alg: 'RS256' }] };
    const [head, body] = forge({ alg: 'RS256', kid: 'weak' }, claims(), 'x').split('.');
    const signature = signRaw('sha256', Buffer.from(`${head}.${body}`), weak.privateKey).toString(
      'base64url',
    );
    const weakCheck = createCheck({}, () => Promise.resolve(set));
    expect(await verify(`${head}.${body}.${signature}`, weakCheck)).toMatchObject({ kind: 'refused' });
  });
});
