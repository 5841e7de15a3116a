// Refuses weak RSA keys in the key set of a token issuer, because others could find the secret key and sign tokens with it.

import type { JWK } from 'jose';

/**
 * Primes that reveal a modulus of the broken generator of CVE-2017-15361 (ROCA). Modulo each of these primes, such a modulus
 * is a power of 65537 (Nemec et al., The Return of Coppersmith's Attack, section 3.2).
 */
const ROCA_PRIMES = [3, 5, 7, 11, 13, 17, 19, 37, 53, 61, 71, 73, 79, 97, 103, 107, 109, 127, 151, 157];

const powers = new Map(ROCA_PRIMES.map((prime) => [BigInt(prime), powersOf(65_537 % prime, prime)]));

function powersOf(base: number, modulus: number): ReadonlySet<bigint> {
  const found = new Set<bigint>();
  for (let power = 1; !found.has(BigInt(power)); power = (power * base) % modulus) found.add(BigInt(power));
  return found;
}

/** Reads a big-endian whole number in base64url (RFC 7518, section 2); 0 for anything else. */
function numberOf(text: unknown): bigint {
  const hex = typeof text === 'string' ? Buffer.from(text, 'base64url').toString('hex') : '';
  return hex === '' ? 0n : BigInt(`0x${hex}`);
}

/**
 * Whether only the issuer can sign with this key. It is false for RSA with an exponent of 1 or an even one, which protects
 * nothing, and for a modulus with the ROCA fingerprint, which can be factored. jose checks the length.
 */
export function isValidJwk({ kty, n, e }: JWK): boolean {
  if (kty !== 'RSA') return true;
  const [modulus, exponent] = [numberOf(n), numberOf(e)];
  if (exponent < 3n || exponent % 2n === 0n) return false;
  return [...powers].some(([prime, fingerprint]) => !fingerprint.has(modulus % prime));
}
