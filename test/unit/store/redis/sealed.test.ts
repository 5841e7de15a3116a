import fc from 'fast-check';
import { seal, type SealedForm, sealJson, unseal, unsealJson } from '../../../../src/store/redis/sealed.ts';

const FORMS: readonly SealedForm[] = ['cacheEntry', 'checkpoint', 'order', 'row', 'scanCache'];
const payload = fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes));

describe('a sealed value', () => {
  it('comes back as it was under its key and form, and under no other', () => {
    fc.assert(
      fc.property(fc.constantFrom(...FORMS), fc.string(), payload, (form, key, bytes) => {
        const sealed = seal(form, key, bytes);
        expect(unseal(form, key, sealed)?.equals(bytes)).toBe(true);
        expect(unseal(form, `${key}x`, sealed)).toBeUndefined();
        for (const other of FORMS) if (other !== form) expect(unseal(other, key, sealed)).toBeUndefined();
      }),
    );
  });

  it('is absent where any bit has changed, it was cut, or something follows it', () => {
    const sealed = seal('scanCache', 'key', Buffer.from('a payload'));
    for (let bit = 0; bit < sealed.length * 8; bit += 1) {
      const damaged = Buffer.from(sealed);
      damaged[bit >> 3] = damaged[bit >> 3]! ^ (1 << (bit & 7));
      expect(unseal('scanCache', 'key', damaged)).toBeUndefined();
    }
    for (let length = 0; length < sealed.length; length += 1)
      expect(unseal('scanCache', 'key', sealed.subarray(0, length))).toBeUndefined();
    expect(unseal('scanCache', 'key', Buffer.concat([sealed, Buffer.alloc(1)]))).toBeUndefined();
  });

  it('is absent where its payload is no JSON, though it should be', () => {
    expect(unsealJson('checkpoint', 'key', sealJson('checkpoint', 'key', ['a', 1]))).toEqual(['a', 1]);
    expect(unsealJson('checkpoint', 'key', seal('checkpoint', 'key', Buffer.from('{')))).toBeUndefined();
  });
});
