import fc from 'fast-check';
import {
  type EnvelopeKind,
  openEnvelope,
  openJsonEnvelope,
  toEnvelope,
  writeEnvelope,
} from '../../../../src/store/redis/stored-bytes.ts';

const KINDS: readonly EnvelopeKind[] = ['cacheEntry', 'checkpoint', 'scanCache', 'scanChunk'];
const payload = fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes));

describe('a value in an envelope', () => {
  it('comes back as it was under its key and kind, and under no other', () => {
    fc.assert(
      fc.property(fc.constantFrom(...KINDS), fc.string(), payload, (kind, key, bytes) => {
        const envelope = writeEnvelope(kind, key, bytes.length, (to, at) => void bytes.copy(to, at));
        expect(openEnvelope(kind, key, envelope)?.equals(bytes)).toBe(true);
        expect(openEnvelope(kind, `${key}x`, envelope)).toBeUndefined();
        for (const other of KINDS)
          if (other !== kind) expect(openEnvelope(other, key, envelope)).toBeUndefined();
      }),
    );
  });

  it('comes back as the text that it was', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        expect(openEnvelope('scanChunk', 'key', toEnvelope('scanChunk', 'key', text))?.toString()).toBe(text);
      }),
    );
  });

  it('is absent if any bit has changed, it was cut, or something follows it', () => {
    const envelope = toEnvelope('scanCache', 'key', 'a payload');
    for (let bit = 0; bit < envelope.length * 8; bit += 1) {
      const damaged = Buffer.from(envelope);
      damaged[bit >> 3] = damaged[bit >> 3]! ^ (1 << (bit & 7));
      expect(openEnvelope('scanCache', 'key', damaged)).toBeUndefined();
    }
    for (let length = 0; length < envelope.length; length += 1)
      expect(openEnvelope('scanCache', 'key', envelope.subarray(0, length))).toBeUndefined();
    expect(openEnvelope('scanCache', 'key', Buffer.concat([envelope, Buffer.alloc(1)]))).toBeUndefined();
  });

  it('is absent if its payload is no JSON, though it should be', () => {
    const json = toEnvelope('checkpoint', 'key', JSON.stringify(['a', 1]));
    expect(openJsonEnvelope('checkpoint', 'key', json)).toEqual(['a', 1]);
    expect(openJsonEnvelope('checkpoint', 'key', toEnvelope('checkpoint', 'key', '{'))).toBeUndefined();
  });
});
