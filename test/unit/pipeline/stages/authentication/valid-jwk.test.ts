import { generateKeyPairSync } from 'node:crypto';
import { isValidJwk } from '../../../../../src/pipeline/stages/authentication/valid-jwk.ts';

const { publicKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
const good = publicKey.export({ format: 'jwk' });

/** The least number above 2^2047 that is a power of 65537 modulo each prime, as one with the ROCA flaw is. */
function rocaModulus(): string {
  const primes = [3, 5, 7, 11, 13, 17, 19, 37, 53, 61, 71, 73, 79, 97, 103, 107, 109, 127, 151, 157];
  const product = primes.reduce((all, prime) => all * BigInt(prime), 1n);
  // 65537^5 modulo the product of the primes is a power of 65537 modulo each of them.
  const n = (2n ** 2_047n / product) * product + (65_537n ** 5n % product);
  return Buffer.from(n.toString(16).padStart(512, '0'), 'hex').toString('base64url');
}

describe('a key of a key set', () => {
  it('is sound as keys are made today', () => {
    expect(isValidJwk(good)).toBe(true);
    expect(isValidJwk({ ...good, e: 'Aw' })).toBe(true);
    expect(isValidJwk({ kty: 'EC', crv: 'P-256' })).toBe(true);
    expect(isValidJwk({ kty: 'OKP', crv: 'Ed25519' })).toBe(true);
  });

  it.each([
    ['an exponent of 1', { e: 'AQ' }],
    ['an even exponent', { e: 'AQAA' }],
    ['no exponent', { e: '' }],
    ['an exponent that is no text', { e: 65_537 as never }],
    ['a modulus of the generator of CVE-2017-15361', { n: rocaModulus() }],
  ])('is not sound with %s', (_, change) => {
    expect(isValidJwk({ ...good, ...change })).toBe(false);
  });
});
