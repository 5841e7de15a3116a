import fc from 'fast-check';
import { compileWindow, type RandomWindow } from '../../../../../src/source/adapter/plan/window.ts';
import type { ListSpec } from '../../../../../src/config/schema/source.ts';

type RandomSpec = Extract<ListSpec['window'], { kind: 'offset' | 'page' | 'none' }>;

/** Windows of a kind that can be asked for by number. */
function compileRandom(spec: RandomSpec): RandomWindow {
  const window = compileWindow(spec);
  if (window.kind !== 'random') throw new Error('these windows follow one another');
  return window;
}

const ends = {
  pastEnd: fc.constantFrom('empty' as const, 'other' as const),
  shortPage: fc.constantFrom('end' as const, 'anywhere' as const),
};

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
    ...ends,
  });

  it('cover exactly the rows asked for, in the fewest calls, none of them too large', () => {
    fc.assert(
      fc.property(spec, offset, limit, (window, from, count) => {
        const calls = compileRandom(window).cover(from, count);
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
        for (const { firstRow, size, variables } of compileRandom(window).cover(from, count))
          expect(variables).toEqual({
            offset: firstRow + window.base,
            limit: size,
            // The last row asked for, and the one behind it: a Range, and a slice.
            lastRow: firstRow + window.base + size - 1,
            endRow: firstRow + window.base + size,
          });
      }),
    );
  });
});

describe('windows by page', () => {
  const sizes = fc.uniqueArray(fc.integer({ min: 1, max: 150 }), { minLength: 1, maxLength: 4 });
  const spec = fc.record({ kind: fc.constant('page' as const), base, sizes, ...ends });

  it('cover the rows asked for with pages of one allowed size', () => {
    fc.assert(
      fc.property(spec, offset, limit, (window, from, count) => {
        const calls = compileRandom(window).cover(from, count);
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
        const calls = compileRandom(window).cover(from, count);
        expect({ pages: calls.length, size: calls[0]!.size }).toEqual({ pages: fewest, size: smallest });
      }),
    );
  });

  it('answer a page that fits one of theirs with one call', () => {
    const window = compileRandom({
      ...{ kind: 'page', base: 0, sizes: [20, 50, 100] },
      ...{ pastEnd: 'empty', shortPage: 'end' },
    });
    expect(window.cover(100, 50)).toEqual([{ firstRow: 100, size: 50, variables: { page: 2, limit: 50 } }]);
    expect(window.cover(40, 10)).toEqual([{ firstRow: 40, size: 20, variables: { page: 2, limit: 20 } }]);
  });
});

describe('the windows of a scan', () => {
  const spec = fc.oneof(
    fc.record({
      kind: fc.constant('offset' as const),
      base,
      sizeMax: fc.integer({ min: 1, max: 150 }),
      ...ends,
    }),
    fc.record({
      kind: fc.constant('page' as const),
      base,
      sizes: fc.array(fc.integer({ min: 1, max: 150 }), { minLength: 1 }),
      ...ends,
    }),
  );

  it('follow each other from the first row on, as large as they may be', () => {
    fc.assert(
      fc.property(spec, fc.integer({ min: 1, max: 20 }), (window, count) => {
        const compiled = compileRandom(window);
        const { scanSize } = compiled;
        const calls = Array.from({ length: count }, (_, index) => compiled.scanCall(index));
        expect(scanSize).toBe(window.kind === 'offset' ? window.sizeMax : Math.max(...window.sizes));
        expect(covers(calls, 0, count * scanSize)).toBe(true);
        for (const { size } of calls) expect(size).toBe(scanSize);
      }),
    );
  });

  it('are one where the source returns everything', () => {
    const window = compileRandom({ kind: 'none' });
    expect(window.scanCall(0)).toEqual({ firstRow: 0, size: Infinity, variables: {} });
    expect(window.variables).toEqual([]);
  });
});

describe('what a walk may rely on', () => {
  const specs = fc.record({ base, sizeMax: fc.integer({ min: 1, max: 150 }), ...ends });

  it('is what the source file says of the end, whichever way rows are numbered', () => {
    fc.assert(
      fc.property(specs, ({ sizeMax, ...spec }) => {
        for (const window of [
          compileRandom({ kind: 'offset', sizeMax, ...spec }),
          compileRandom({ kind: 'page', sizes: [sizeMax], ...spec }),
        ]) {
          expect(window.endsEmpty).toBe(spec.pastEnd === 'empty');
          expect(window.shortAtEnd).toBe(spec.shortPage === 'end');
        }
      }),
    );
  });
});

describe('windows that name the next one', () => {
  const size = fc.integer({ min: 1, max: 150 });
  const received = fc.array(fc.nat(150), { maxLength: 8 });
  const name = fc.string({ minLength: 1 });

  it.each([
    ['cursor', { kind: 'cursor' as const, next: 'next' }],
    ['after', { kind: 'keyset' as const, key: 'id' }],
  ])('pass it on as {%s}, and know how many rows lie before them', (variable, kind) => {
    fc.assert(
      fc.property(size, received, name, (sizeMax, counts, next) => {
        const window = compileWindow({ ...kind, sizeMax });
        if (window.kind !== 'sequential') throw new Error('these windows are asked for by number');
        expect(window.first).toEqual({ firstRow: 0, size: sizeMax, variables: { limit: sizeMax } });
        expect(window.variables).toEqual(['limit', variable]);
        let call = window.first;
        let rows = 0;
        for (const count of counts) {
          call = window.after(call, next, count);
          rows += count;
          expect(call).toEqual({
            firstRow: rows,
            size: sizeMax,
            variables: { limit: sizeMax, [variable]: next },
          });
        }
      }),
    );
  });

  it('are the whole target where it is a link: nothing is added to it', () => {
    const window = compileWindow({ kind: 'link', sizeMax: 20, next: { header: 'Link' } });
    if (window.kind !== 'sequential') throw new Error('these windows are asked for by number');
    expect(window.after(window.first, '/items?page_info=x', 20)).toEqual({
      ...{ firstRow: 20, size: 20, variables: {}, target: '/items?page_info=x' },
    });
    expect(window.variables).toEqual(['limit']);
  });
});
