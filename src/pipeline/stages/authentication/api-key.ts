// The form of API keys: makes them, reads the id in one, and hashes them.

import { createHmac, randomInt } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { Secret } from '../../../kernel/secret.ts';

/**
 * An API key is `ptk_<id>_<secret><checksum>`. The id names its record, and the secret proves the key. Because of the
 * checksum, a mistyped or invented key is refused without a look-up; the checksum protects nothing.
 */
const SHAPE = /^ptk_([a-z0-9]{12})_[0-9A-Za-z]{38,70}$/;

const BASE36 = '0123456789abcdefghijklmnopqrstuvwxyz';
const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const ID_LENGTH = 12;
/** 32 characters of base62 are 190 random bits. */
const SECRET_LENGTH = 32;
const CHECKSUM_LENGTH = 6;

/** Returns a random whole number from 0 to `limit - 1`. */
type RandomInt = (limit: number) => number;

const cryptoRandom: RandomInt = (limit) => randomInt(limit);

function randomText(length: number, alphabet: string, random: RandomInt): string {
  return Array.from({ length }, () => alphabet.charAt(random(alphabet.length))).join('');
}

/** The CRC-32 of a text in base62. Any single changed character changes it. */
function checksum(text: string): string {
  let rest = crc32(text);
  let digits = '';
  for (let place = 0; place < CHECKSUM_LENGTH; place += 1) {
    digits = BASE62.charAt(rest % 62) + digits;
    rest = Math.floor(rest / 62);
  }
  return digits;
}

/** Makes a random id for an API key. */
export function newKeyId(): string {
  return randomText(ID_LENGTH, BASE36, cryptoRandom);
}

/** Makes a random API key for an id. The whole text is secret: it is shown once and never stored. */
export function newApiKey(id: string, random: RandomInt = cryptoRandom): string {
  const body = `ptk_${id}_${randomText(SECRET_LENGTH, BASE62, random)}`;
  return body + checksum(body);
}

/** Reads the id from an API key; `undefined` for a text with another form or a wrong checksum. */
export function parseApiKey(text: string): { readonly id: string } | undefined {
  const id = SHAPE.exec(text)?.[1];
  if (id === undefined) return undefined;
  return checksum(text.slice(0, -CHECKSUM_LENGTH)) === text.slice(-CHECKSUM_LENGTH) ? { id } : undefined;
}

/** The HMAC-SHA-256 of a whole key under the pepper, in base64url (43 characters). Only this is stored of a secret. */
export function hashApiKey(pepper: Secret, key: string): string {
  return createHmac('sha256', pepper.reveal()).update(key).digest('base64url');
}
