import fc from 'fast-check';
import { Secret } from '../../../../../src/kernel/secret.ts';
import {
  hashApiKey,
  newApiKey,
  newKeyId,
  parseApiKey,
} from '../../../../../src/pipeline/stages/authentication/api-key.ts';

const keyShaped = /^ptk_[a-z0-9]{12}_[0-9A-Za-z]{38}$/;
const keys = fc.constant(null).map(() => newApiKey(newKeyId()));

describe('API keys', () => {
  it('are made in their shape and read back to their id', () => {
    for (let round = 0; round < 200; round += 1) {
      const id = newKeyId();
      const key = newApiKey(id);
      expect(key).toMatch(keyShaped);
      expect(parseApiKey(key)).toEqual({ id });
    }
  });

  it('never repeat a secret under one id', () => {
    const id = newKeyId();
    expect(new Set(Array.from({ length: 500 }, () => newApiKey(id))).size).toBe(500);
  });

  it('draw every character of the secret from the random source', () => {
    const limits: number[] = [];
    newApiKey('abcdefghijkl', (limit) => {
      limits.push(limit);
      return 0;
    });
    expect(limits).toHaveLength(32);
    expect(Math.log2(62) * limits.length).toBeGreaterThanOrEqual(160);
  });

  it('keep their format: a key made long ago is still a key', () => {
    expect(newApiKey('abcdefghijkl', () => 0)).toBe(
      'ptk_abcdefghijkl_000000000000000000000000000000000MSg1k',
    );
  });

  it('are refused with any single character changed', () => {
    fc.assert(
      fc.property(
        keys,
        fc.nat(),
        fc.string({ unit: 'binary-ascii', minLength: 1, maxLength: 1 }),
        (key, at, character) => {
          const index = at % key.length;
          fc.pre(key[index] !== character);
          expect(parseApiKey(key.slice(0, index) + character + key.slice(index + 1))).toBeUndefined();
        },
      ),
      { numRuns: 2_000 },
    );
  });

  it('are refused with a character missing, doubled or two neighbours swapped', () => {
    fc.assert(
      fc.property(keys, fc.nat(), (key, at) => {
        const index = at % (key.length - 1);
        const [left = '', right = ''] = [key[index], key[index + 1]];
        expect(parseApiKey(key.slice(0, index) + key.slice(index + 1))).toBeUndefined();
        expect(parseApiKey(key.slice(0, index) + left + key.slice(index))).toBeUndefined();
        if (left === right) return;
        expect(parseApiKey(key.slice(0, index) + right + left + key.slice(index + 2))).toBeUndefined();
      }),
    );
  });

  it('are not found in any other text', () => {
    fc.assert(fc.property(fc.string(), (text) => expect(parseApiKey(text)).toBeUndefined()));
    for (const text of [
      '',
      'ptk__',
      `ptk_${'a'.repeat(12)}_${'b'.repeat(100_000)}`,
      'PTK_abcdefghijkl_' + '0'.repeat(38),
    ]) {
      expect(parseApiKey(text)).toBeUndefined();
    }
  });

  it('are stored as an HMAC that depends on the pepper and on the whole key', () => {
    const [pepper, other] = [new Secret('a pepper of the tests'), new Secret('another pepper')];
    const key = newApiKey(newKeyId());
    expect(hashApiKey(pepper, key)).toMatch(/^[A-Za-z0-9_-]{43}$/);
    expect(hashApiKey(pepper, key)).toBe(hashApiKey(pepper, key));
    expect(hashApiKey(other, key)).not.toBe(hashApiKey(pepper, key));
    expect(hashApiKey(pepper, key.slice(0, -1))).not.toBe(hashApiKey(pepper, key));
  });
});
