import { KeyObject, sign as signRaw } from 'node:crypto';
import type { CryptoKey } from 'jose';

/** The order of P-256, and of the group of Ed25519. */
const P256_ORDER = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;
const ED25519_ORDER = 2n ** 252n + 27742317777372353535851937790883648493n;

const bytes32 = (value: bigint) => Buffer.from(value.toString(16).padStart(64, '0'), 'hex');
const numberOf = (bytes: Buffer) => BigInt(`0x${bytes.toString('hex')}`);
const zeros = Buffer.alloc(32);

/** A signature over any text by ES256. */
function sign(text: string, key: CryptoKey): string {
  const signature = signRaw('sha256', Buffer.from(text), {
    key: KeyObject.from(key),
    dsaEncoding: 'ieee-p1363',
  });
  return signature.toString('base64url');
}

/** The same token with the other valid signature by ES256: n − s in place of s. */
export function p256Twin(token: string): string {
  const [head, payload, signature = ''] = token.split('.');
  const bytes = Buffer.from(signature, 'base64url');
  const twin = Buffer.concat([bytes.subarray(0, 32), bytes32(P256_ORDER - numberOf(bytes.subarray(32)))]);
  return [head, payload, twin.toString('base64url')].join('.');
}

/** A number of an ASN.1 structure. */
function derInteger(bytes: Buffer): Buffer {
  const first = bytes.findIndex((byte) => byte !== 0);
  const plain = bytes.subarray(Math.max(first, 0));
  const positive = (plain[0] ?? 0) > 127 ? Buffer.concat([Buffer.of(0), plain]) : plain;
  return Buffer.concat([Buffer.of(2, positive.length), positive]);
}

function der(r: Buffer, s: Buffer): Buffer {
  const inner = Buffer.concat([derInteger(r), derInteger(s)]);
  return Buffer.concat([Buffer.of(0x30, inner.length), inner]);
}

/** What is wrong with signatures of P-256 only, beside what is with all. */
function ecdsa(r: Buffer, s: Buffer): [string, Buffer][] {
  const n = bytes32(P256_ORDER);
  return [
    ['r = 0', Buffer.concat([zeros, s])],
    ['s = 0', Buffer.concat([r, zeros])],
    ['r = n', Buffer.concat([n, s])],
    ['s = n', Buffer.concat([r, n])],
    ['r = n, s = n', Buffer.concat([n, n])],
    ['r = 1, s = 1', Buffer.concat([bytes32(1n), bytes32(1n)])],
    ['r and s changed about', Buffer.concat([s, r])],
    ['DER', der(r, s)],
    ['s with a byte before it', Buffer.concat([r, Buffer.of(0), s])],
  ];
}

/** The same point with a number that a careless verifier would reduce (RFC 8032, section 5.1.7). */
function eddsa(r: Buffer, s: Buffer): [string, Buffer][] {
  const more = numberOf(Buffer.from(s).reverse()) + ED25519_ORDER;
  return [
    ['S + L', Buffer.concat([r, bytes32(more).reverse()])],
    ['S = 0', Buffer.concat([r, zeros])],
    ['R = 0', Buffer.concat([zeros, s])],
  ];
}

function changedBytes(signature: Buffer, alg: string): [string, Buffer][] {
  const [r, s] = [signature.subarray(0, 32), signature.subarray(32)];
  const flip = (at: number) => Buffer.from(signature.map((byte, index) => (index === at ? byte ^ 1 : byte)));
  return [
    ['nothing but zeros', Buffer.alloc(signature.length)],
    ['nothing but ones', Buffer.alloc(signature.length, 255)],
    ['one byte of it', signature.subarray(0, 1)],
    ['its last byte missing', signature.subarray(0, -1)],
    ['its first byte missing', signature.subarray(1)],
    ['a half of it', signature.subarray(0, signature.length / 2)],
    ['a byte of zero behind it', Buffer.concat([signature, Buffer.of(0)])],
    ['a byte of zero before it', Buffer.concat([Buffer.of(0), signature])],
    ['it twice', Buffer.concat([signature, signature])],
    ...[0, 31, 32, signature.length - 1].map((at): [string, Buffer] => [`byte ${at} changed`, flip(at)]),
    ...(alg === 'ES256' ? ecdsa(r, s) : []),
    ...(alg === 'EdDSA' ? eddsa(r, s) : []),
  ];
}

/** The same bytes, spelled as base64url must not be. */
function misspelled(text: string): [string, string][] {
  const last = text.at(-1) ?? '';
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  // All lengths of signatures here leave bits to spare in the last character.
  const spare = text.slice(0, -1) + (alphabet[alphabet.indexOf(last) + 1] ?? '');
  return [
    ['spare bits in its last character', spare],
    ['padding', `${text}==`],
    ['a blank in it', `${text.slice(0, 20)} ${text.slice(20)}`],
    ['a blank behind it', `${text} `],
    ['a line end behind it', `${text}\n`],
    ['a line end in it', `${text.slice(0, 20)}\r\n${text.slice(20)}`],
    ['a NUL behind it', `${text}\0`],
    ['an alphabet of its own', `${text.slice(0, -1)}+`],
    ['another alphabet', `${text.slice(0, -1)}/`],
    ['a letter outside of ASCII', `${text.slice(0, -1)}ａ`],
  ];
}

/** The tokens that a good one becomes when its signature is changed. */
function of(token: string, alg: string): [string, string][] {
  const at = token.lastIndexOf('.') + 1;
  const [text, signature] = [token.slice(0, at), token.slice(at)];
  const changed = changedBytes(Buffer.from(signature, 'base64url'), alg).map(
    ([name, bytes]): [string, string] => [name, bytes.toString('base64url')],
  );
  return [...changed, ...misspelled(signature), ['no signature', ''] as [string, string]].map(
    ([name, wrong]) => [`${alg}, the signature: ${name}`, text + wrong],
  );
}

/** Makes signatures, and spoils them. */
export const hostileSignatures = { sign, of };
