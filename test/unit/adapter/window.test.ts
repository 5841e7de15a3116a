import fc from 'fast-check';
import { compileWindow } from '../../../src/adapter/window.ts';

const base = fc.constantFrom(0, 1);
const offset = fc.oneof(fc.nat(500), fc.nat(2 ** 31));
const limit = fc.integer({ min: 1, max: 100 });

type Call = { readonly firstRow: number; readonly size: number };

/** Whether consecutive windows hold every row of `[from, from + count)`. */
function covers(calls: readonly Call[], from: number, count: number): boolean {
  const gapless = calls.every(
    (call, i) => i === 0 || call.firstRow === calls[i - 1]!.firstRow + calls[i - 1]!.size,
  );
  const last = calls.at(-1)!;
  return gapless && calls[0]!.firstRow <= from && last.firstRow + last.size >= from + count;
}

describe('windows by offset', () => {
  const spec = fc.record({
    kind: fc.constant('offset' as const),
    base,
    sizeMax: fc.integer({ min: 1, max: 150 }),
  });

  it('cover exactly the rows asked for, in the fewest calls, none of them too large', () => {
    fc.assert(
      fc.property(spec, offset, limit, (window, from, count) => {
        const calls = compileWindow(window).cover(from, count);
        expect(covers(calls, from, count)).toBe(true);
        expect(calls.reduce((sum, { size }) => sum + size, 0)).toBe(count);
        expect(calls).toHaveLength(Math.ceil(count / window.sizeMax));
        for (const { size } of calls) expect(size).toBeLessThanOrEqual(window.sizeMax);
      }),
    );
  });

  it('are asked for by the number of their first row', () => {
    fc.assert(
      fc.property(spec, offset, limit, (window, from, count) => {
        for (const { firstRow, size, variables } of compileWindow(window).cover(from, count))
          expect(variables).toEqual({ offset: firstRow + window.base, limit: size });
      }),
    );
  });
});

describe('windows by page', () => {
  const sizes = fc.uniqueArray(fc.integer({ min: 1, max: 150 }), { minLength: 1, maxLength: 4 });
  const spec = fc.record({ kind: fc.constant('page' as const), base, sizes });

  it('cover the rows asked for with pages of one allowed size', () => {
    fc.assert(
      fc.property(spec, offset, limit, (window, from, count) => {
        const calls = compileWindow(window).cover(from, count);
        expect(covers(calls, from, count)).toBe(true);
        const used = new Set(calls.map(({ size }) => size));
        expect(used.size).toBe(1);
        expect(window.sizes).toContain([...used][0]);
        for (const { firstRow, size, variables } of calls) {
          expect(firstRow % size).toBe(0);
          expect(variables).toEqual({ page: firstRow / size + window.base, limit: size });
        }
      }),
    );
  });

  it('are as few as any size allows, and then as small', () => {
    fc.assert(
      fc.property(spec, offset, limit, (window, from, count) => {
        const tried = window.sizes.map((size) => {
          let pages = 0;
          for (let page = Math.floor(from / size); page * size < from + count; page += 1) pages += 1;
          return { size, pages };
        });
        const fewest = Math.min(...tried.map(({ pages }) => pages));
        const smallest = Math.min(...tried.filter(({ pages }) => pages === fewest).map(({ size }) => size));
        const calls = compileWindow(window).cover(from, count);
        expect({ pages: calls.length, size: calls[0]!.size }).toEqual({ pages: fewest, size: smallest });
      }),
    );
  });

  it('answer a page that fits one of theirs with one call', () => {
    const window = compileWindow({ kind: 'page', base: 0, sizes: [20, 50, 100] });
    expect(window.cover(100, 50)).toEqual([{ firstRow: 100, size: 50, variables: { page: 2, limit: 50 } }]);
    expect(window.cover(40, 10)).toEqual([{ firstRow: 40, size: 20, variables: { page: 2, limit: 20 } }]);
  });
});

describe('the windows of a scan', () => {
  const spec = fc.oneof(
    fc.record({ kind: fc.constant('offset' as const), base, sizeMax: fc.integer({ min: 1, max: 150 }) }),
    fc.record({
      kind: fc.constant('page' as const),
      base,
      sizes: fc.array(fc.integer({ min: 1, max: 150 }), { minLength: 1 }),
    }),
  );

  it('follow each other from the first row on, as large as they may be', () => {
    fc.assert(
      fc.property(spec, fc.integer({ min: 1, max: 20 }), (window, count) => {
        const compiled = compileWindow(window);
        const { scanSize } = compiled;
        const calls = Array.from({ length: count }, (_, index) => compiled.scanCall(index));
        expect(scanSize).toBe(window.kind === 'offset' ? window.sizeMax : Math.max(...window.sizes));
        expect(covers(calls, 0, count * scanSize)).toBe(true);
        for (const { size } of calls) expect(size).toBe(scanSize);
      }),
    );
  });

  it('are one where the source returns everything', () => {
    const window = compileWindow({ kind: 'none' });
    expect(window.scanCall(0)).toEqual({ firstRow: 0, size: Infinity, variables: {} });
    expect(window.variables).toEqual([]);
  });
});
