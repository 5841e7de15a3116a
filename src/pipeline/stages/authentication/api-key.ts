import { createHmac, randomInt } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { Secret } from '../../../kernel/secret.ts';

/**
 * An API key is `ptk_<id>_<secret><checksum>`: the id names its record, the secret proves it, and the checksum lets a
 * mistyped or invented key be refused without asking anyone. It is no protection, only a filter.
 */
const SHAPE = /^ptk_([a-z0-9]{12})_[0-9A-Za-z]{38,70}$/;

const BASE36 = '0123456789abcdefghijklmnopqrstuvwxyz';
const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const ID_LENGTH = 12;
/** 32 characters of base62 are 190 random bits. */
const SECRET_LENGTH = 32;
const CHECKSUM_LENGTH = 6;

/** Whole numbers from 0 up to, not including, `limit`, each as likely. */
type RandomInt = (limit: number) => number;

const cryptoRandom: RandomInt = (limit) => randomInt(limit);

function randomText(length: number, alphabet: string, random: RandomInt): string {
  return Array.from({ length }, () => alphabet.charAt(random(alphabet.length))).join('');
}

/** CRC-32 in base62: any single changed character changes it. */
function checksum(text: string): string {
  let rest = crc32(text);
  let digits = '';
  for (let place = 0; place < CHECKSUM_LENGTH; place += 1) {
    digits = BASE62.charAt(rest % 62) + digits;
    rest = Math.floor(rest / 62);
  }
  return digits;
}

/** A fresh id of an API key. */
export function newKeyId(): string {
  return randomText(ID_LENGTH, BASE36, cryptoRandom);
}

/** A fresh API key for an id. The text is the secret itself: it is shown once and kept nowhere. */
export function newApiKey(id: string, random: RandomInt = cryptoRandom): string {
  const body = `ptk_${id}_${randomText(SECRET_LENGTH, BASE62, random)}`;
  return body + checksum(body);
}

/** The id of a text that is formed like an API key and whose checksum holds; `undefined` for any other. */
export function parseApiKey(text: string): { readonly id: string } | undefined {
  const id = SHAPE.exec(text)?.[1];
  if (id === undefined) return undefined;
  return checksum(text.slice(0, -CHECKSUM_LENGTH)) === text.slice(-CHECKSUM_LENGTH) ? { id } : undefined;
}

/** HMAC-SHA-256 of a whole credential under the pepper, base64url (43 characters): all that is stored of a key. */
export function hashApiKey(pepper: Secret, key: string): string {
  return createHmac('sha256', pepper.reveal()).update(key).digest('base64url');
}
