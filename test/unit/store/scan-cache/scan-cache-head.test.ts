import { decodeHead, encodeHead } from '../../../../src/store/scan-cache/scan-cache-head.ts';

describe('the head of a scan cache', () => {
  const head = { name: 'aB3-_x', storedAt: 1_767_225_600_000, count: 50_000, bytes: 12_345_678 };

  it('comes back as it was', () => {
    expect(decodeHead('key', encodeHead('key', head))).toEqual(head);
  });

  it('is nothing if a bit is another, if it is cut short, or under another key', () => {
    const bytes = encodeHead('key', head);
    for (let bit = 0; bit < bytes.length * 8; bit += 1) {
      const damaged = Buffer.from(bytes);
      damaged[bit >> 3] = damaged[bit >> 3]! ^ (1 << (bit & 7));
      expect(decodeHead('key', damaged)).toBeUndefined();
    }
    for (let length = 0; length < bytes.length; length += 1)
      expect(decodeHead('key', bytes.subarray(0, length))).toBeUndefined();
    expect(decodeHead('another', bytes)).toBeUndefined();
  });

  it('has a name that is safe in a key, and whole numbers', () => {
    for (const change of [
      { name: '../x' },
      { name: '' },
      { count: 1.5 },
      { bytes: 1e300 },
      { storedAt: NaN },
    ])
      expect(decodeHead('key', encodeHead('key', { ...head, ...change }))).toBeUndefined();
  });
});
