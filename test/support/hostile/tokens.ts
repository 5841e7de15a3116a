import { createHmac, KeyObject } from 'node:crypto';
import { CompactEncrypt, CompactSign, exportJWK, generateKeyPair, importJWK } from 'jose';
import { hostileSignatures } from './signatures.ts';
import { algorithms, claims, issuer, pairs, seconds, sign } from '../auth/token-issuer.ts';

/** A token that no verifier may take, under a name that says what is wrong with it. */
export type HostileToken = readonly [name: string, token: string];

type Algorithm = (typeof algorithms)[number];

const stranger = await generateKeyPair('ES256', { extractable: true });
const strangerJwk = await exportJWK(stranger.publicKey);

const part = (text: string | Buffer) => Buffer.from(text).toString('base64url');
const json = (value: unknown) => part(JSON.stringify(value));

/** A token with a header and claims of any text, under an HMAC of any key. */
function forge(header: string, payload: string, secret: string | Buffer, hash = 'sha256'): string {
  const text = `${part(header)}.${part(payload)}`;
  return `${text}.${createHmac(hash, secret).update(text).digest('base64url')}`;
}

/** Good claims under a header that says anything and a signature of anything. */
const withHeader = (header: string, signature = '') =>
  `${part(header)}.${json(claims())}${signature === '' ? '.' : `.${signature}`}`;

/** The issuer's own signature over claims of any text. */
function signText(text: string): Promise<string> {
  return new CompactSign(Buffer.from(text))
    .setProtectedHeader({ alg: 'ES256', kid: 'ES256' })
    .sign(pairs.ES256.privateKey);
}

/** The claims as text, with more of it behind them. */
const andThen = (more: string) => `${JSON.stringify(claims()).slice(0, -1)},${more}}`;

const NONES = ['"none"', '"None"', '"NONE"', '"nOnE"', '"none "', '" none"', '"\\u006eone"', '"n\\u006fne"'];
const NO_ALGORITHMS = ['""', 'null', '0', 'true', '[]', '["none"]', '["ES256"]', '{}', '{"alg":"ES256"}'];

async function unsigned(): Promise<HostileToken[]> {
  const good = (await sign(claims())).split('.')[2] ?? '';
  return [...NONES, ...NO_ALGORITHMS].flatMap((alg): HostileToken[] => [
    [`alg ${alg} without a signature`, withHeader(`{"alg":${alg},"kid":"ES256"}`)],
    [`alg ${alg} under a signature of the issuer`, withHeader(`{"alg":${alg},"kid":"ES256"}`, good)],
    [`alg ES256, then alg ${alg}`, withHeader(`{"alg":"ES256","alg":${alg},"kid":"ES256"}`)],
  ]);
}

/** Every way in which somebody might have spelled a public key into an HMAC. */
function spellings(key: KeyObject): readonly (readonly [string, string | Buffer])[] {
  const pem = key.export({ format: 'pem', type: 'spki' }).toString();
  const jwk = key.export({ format: 'jwk' });
  return [
    ['PEM', pem],
    ['PEM without its last line end', pem.trimEnd()],
    ['PEM on one line', pem.replaceAll('\n', '')],
    ['DER', key.export({ format: 'der', type: 'spki' })],
    ['JWK', JSON.stringify(jwk)],
    ['bare number', Buffer.from(jwk.n ?? jwk.x ?? '', 'base64url')],
    ['empty', ''],
  ];
}

function confused(): HostileToken[] {
  return algorithms.flatMap((kid) =>
    spellings(KeyObject.from(pairs[kid].publicKey)).flatMap(([spelling, secret]) =>
      [kid, 'HS256', 'HS384', 'HS512'].map((alg): HostileToken => {
        const hash = alg.startsWith('HS') ? `sha${alg.slice(2)}` : 'sha256';
        const token = forge(JSON.stringify({ alg, kid }), JSON.stringify(claims()), secret, hash);
        return [`alg ${alg}, an HMAC keyed with the public key of ${kid} (${spelling})`, token];
      }),
    ),
  );
}

/** Headers by which a stranger would have its own key used. */
const INTRUSIONS: readonly object[] = [
  { kid: 'ES256' },
  { kid: undefined },
  { jwk: strangerJwk },
  { kid: 'ES256', jwk: strangerJwk },
  { jku: 'http://127.0.0.1:9/keys' },
  { kid: 'ES256', jku: `${issuer}keys` },
  { x5u: 'http://127.0.0.1:9/cert' },
  { x5u: 'file:///etc/ssl/cert.pem' },
  { x5c: ['MIIBszCCAVmgAwIBAgIUQkFE'] },
  { kid: '../../../../../../etc/passwd' },
  { kid: '/dev/null' },
  { kid: "ES256' OR '1'='1" },
  { kid: "x' UNION SELECT 'key'--" },
  { kid: 'ES256\0' },
  { kid: '|whoami' },
  { kid: '__proto__' },
  { kid: 'constructor' },
  { kid: ['ES256'] },
  { kid: 0 },
  { kid: 'k'.repeat(1_000_000) },
  { crit: [] },
  { crit: 'exp' },
  { crit: ['exp'], exp: 1 },
  { crit: ['b64', 'b64'], b64: true },
  { crit: ['unknown'], unknown: 1 },
  { crit: ['b64'], b64: false },
  { b64: false },
];

/** The same headers, signed by the stranger and, where what is in them is wrong by itself, by the issuer. */
function intruders(): HostileToken[] {
  return INTRUSIONS.map((header): HostileToken => {
    const headerText = JSON.stringify(header).slice(0, 60);
    const text = `${json({ alg: 'ES256', ...header })}.${json(claims())}`;
    return [
      `a stranger's signature under ${headerText}`,
      `${text}.${hostileSignatures.sign(text, stranger.privateKey)}`,
    ];
  });
}

const CRITICAL: readonly object[] = [
  ...INTRUSIONS.slice(-7, -1),
  { typ: 'dpop+jwt' },
  { typ: 'logout+jwt' },
  { typ: 'secevent+jwt' },
  { typ: 'JWE' },
  { typ: '' },
  { typ: ['JWT'] },
  { typ: [['at+jwt']] },
  { typ: { toString: 'JWT' } },
  { typ: null },
  { typ: 7 },
];

function ownButWrong(): HostileToken[] {
  return CRITICAL.map((header): HostileToken => {
    const text = `${json({ alg: 'ES256', kid: 'ES256', ...header })}.${json(claims())}`;
    return [
      `the issuer's signature under ${JSON.stringify(header)}`,
      `${text}.${hostileSignatures.sign(text, pairs.ES256.privateKey)}`,
    ];
  });
}

/** What may not stand in a claim, as JSON, after the good ones: of two that are called alike, the last one counts. */
const WRONG_CLAIMS: Readonly<Record<string, readonly string[]>> = {
  exp: ['"9999999999"', 'null', 'true', '[]', '{}', '[9999999999]', '0', '-1', '-1e400', '1e400', '1'],
  nbf: ['"0"', 'null', '1e400', '99999999999', '[]'],
  iat: ['"0"', 'null', '[]', '{}'],
  iss: ['null', '""', '[]', '7', `"${issuer} "`, `"${issuer.toUpperCase()}"`, `"${issuer}x"`, '"*"', '{}'],
  aud: [
    'null',
    '""',
    '[]',
    '[[]]',
    '[["portico"]]',
    '"Portico"',
    '"portico2"',
    '"port"',
    '{"portico":1}',
    '7',
  ],
  sub: ['null', '""', '7', '[]', '["alice"]', '{}', 'false'],
};

async function wrongClaims(): Promise<HostileToken[]> {
  const wrong = Object.entries(WRONG_CLAIMS).flatMap(([name, values]) =>
    values.map(async (value): Promise<HostileToken> => [
      `the claim ${name}, again, as ${value}`,
      await signText(andThen(`"${name}":${value}`)),
    ]),
  );
  const missing = ['exp', 'iss', 'aud', 'sub'].map(async (name): Promise<HostileToken> => [
    `no claim ${name}`,
    await sign({ ...claims(), [name]: undefined }),
  ]);
  const late = [0, 1, 3_600].map(async (more): Promise<HostileToken> => [
    `expired for ${30 + more} s`,
    await sign(claims({ exp: seconds() - 30 - more })),
  ]);
  const bare = ['', '{}', '[]', 'null', '"x"', '{', '\ufeff{}', `${JSON.stringify(claims())},`];
  const broken = bare.map(async (text): Promise<HostileToken> => [
    `the claims ${JSON.stringify(text).slice(0, 20)}`,
    await signText(text),
  ]);
  return Promise.all([...wrong, ...missing, ...late, ...broken]);
}

async function otherForms(): Promise<HostileToken[]> {
  const token = await sign(claims());
  const [head = '', body = '', signature = ''] = token.split('.');
  const encrypted = await new CompactEncrypt(Buffer.from(token))
    .setProtectedHeader({ alg: 'RSA-OAEP', enc: 'A256GCM', kid: 'RS256', cty: 'JWT' })
    .encrypt(await importJWK(await exportJWK(pairs.RS256.publicKey), 'RSA-OAEP'));
  const flattened = JSON.stringify({ protected: head, payload: body, signature });
  const general = JSON.stringify({ payload: body, signatures: [{ protected: head, signature }] });
  return [
    ['a JWE around a good token', encrypted],
    ['the flattened JSON form', flattened],
    ['the general JSON form', general],
    ['a token in quotes', `"${token}"`],
    ['a token twice', `${token}.${token}`],
    ['a token and a fourth part', `${token}.eyJ`],
    ['two parts', `${head}.${body}`],
    ['the parts in another order', `${body}.${head}.${signature}`],
    ['a percent-encoded dot', `${head}%2e${body}%2e${signature}`],
  ];
}

/** Some hundreds of tokens, made with the keys of the issuer's `token-issuer.ts`, none of which is good. */
export async function hostileTokens(): Promise<readonly HostileToken[]> {
  const signed = await Promise.all(algorithms.map((alg: Algorithm) => sign(claims(), alg)));
  return [
    ...(await unsigned()),
    ...confused(),
    ...intruders(),
    ...ownButWrong(),
    ...(await wrongClaims()),
    ...(await otherForms()),
    ...signed.flatMap((token, index) => hostileSignatures.of(token, algorithms[index]!)),
  ];
}
