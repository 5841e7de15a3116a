import fc from 'fast-check';
import { createYieldToLoop } from '../../../../src/kernel/yield-to-loop.ts';
import {
  blocksRange,
  encodeOrder,
  ORDER_HEAD,
  readOrderHead,
  readSpans,
} from '../../../../src/store/scan-cache/order-codec.ts';
import { decodeHead, encodeHead } from '../../../../src/store/scan-cache/head-codec.ts';

const pace = createYieldToLoop(new AbortController().signal);
const table = {
  name: 'table',
  spanOf: (position: number) => ({ offset: position * 7, length: (position % 5) + 1 }),
};
const write = (positions: readonly number[]) =>
  encodeOrder('-name', table, Uint32Array.from(positions), pace);
const read = (bytes: Buffer, offset: number, limit: number) => {
  const count = readOrderHead('table', '-name', bytes.subarray(ORDER_HEAD.from, ORDER_HEAD.to + 1));
  if (count === undefined) return undefined;
  const { from, to } = blocksRange(offset, limit);
  return readSpans({ table: 'table', order: '-name', count }, bytes.subarray(from, to + 1), offset, limit);
};
const positions = fc.array(fc.nat(100_000), { maxLength: 600 });

describe('an order of rows', () => {
  it('gives the places of any page from the blocks of that page alone', async () => {
    const page = fc.tuple(positions, fc.nat(700), fc.integer({ min: 1, max: 100 }));
    await fc.assert(
      fc.asyncProperty(page, async ([all, offset, limit]) => {
        const places = all.slice(offset, offset + limit).map((position) => table.spanOf(position));
        expect(read(await write(all), offset, limit)).toEqual(places);
      }),
    );
  });

  it('reads as undefined if any bit of the needed blocks is changed', async () => {
    const all = Array.from({ length: 300 }, (_, at) => at);
    const bytes = await write(all);
    const whole = all.map((position) => table.spanOf(position));
    fc.assert(
      fc.property(fc.nat(bytes.length - 1), fc.nat(7), (at, bit) => {
        const damaged = Buffer.from(bytes);
        damaged[at] = damaged[at]! ^ (1 << bit);
        expect(read(damaged, 0, 300)).toBeUndefined();
      }),
      { numRuns: 1_000 },
    );
    expect(read(bytes, 0, 300)).toEqual(whole);
    expect(read(bytes.subarray(0, bytes.length - 1), 0, 300)).toBeUndefined();
  });

  it('belongs to one table and one name', async () => {
    const bytes = await write([1, 2, 3]);
    const head = bytes.subarray(ORDER_HEAD.from, ORDER_HEAD.to + 1);
    expect(readOrderHead('table', '-name', head)).toBe(3);
    expect(readOrderHead('table', 'name', head)).toBeUndefined();
    expect(readOrderHead('another', '-name', head)).toBeUndefined();
    const { from, to } = blocksRange(0, 3);
    const blocks = bytes.subarray(from, to + 1);
    expect(readSpans({ table: 'another', order: '-name', count: 3 }, blocks, 0, 3)).toBeUndefined();
  });
});

describe('the head of a scan cache', () => {
  const head = { name: 'aB3-_x', storedAt: 1_767_225_600_000, count: 50_000, bytes: 12_345_678 };

  it('comes back as it was', () => {
    expect(decodeHead('key', encodeHead('key', head))).toEqual(head);
  });

  it('is nothing where a bit is another, where it is cut short, or under another key', () => {
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
