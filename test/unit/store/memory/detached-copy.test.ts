import { detachedCopy } from '../../../../src/store/memory/bounded-map.ts';

describe('bytes of their own', () => {
  it.each([
    ['a part of the pool', Buffer.from('small')],
    ['a part of what was read', Buffer.alloc(65_536, 'x').subarray(100, 300)],
    ['nothing of what was read', Buffer.alloc(65_536).subarray(9, 9)],
  ])('are a copy of %s', (_what, bytes) => {
    const own = detachedCopy(bytes);
    expect(own.equals(bytes)).toBe(true);
    expect(own.buffer.byteLength).toBe(bytes.length);
  });

  it.each([0, 1, 100_000])('are the same where %i bytes have theirs', (length) => {
    const bytes = Buffer.allocUnsafeSlow(length);
    expect(detachedCopy(bytes)).toBe(bytes);
  });
});
