import { Secret } from '../../../src/kernel/secret.ts';
import { createSharedComponents } from '../../../src/kernel/shared-components.ts';

describe('components that outlive a change of configuration', () => {
  it('are closed when the last set that holds them is released, and not before', async () => {
    const kept = createSharedComponents();
    const ended: string[] = [];
    const make = (key: string) => ({ value: {}, close: () => ended.push(key) });
    const take = (key: string) => {
      const parts = kept.open();
      return { parts, value: parts.acquire(make, key, undefined) };
    };
    const [first, second, other] = [take('a'), take('a'), take('b')];
    expect(second.value).toBe(first.value);
    expect(other.value).not.toBe(first.value);
    await first.parts.release();
    expect(ended).toEqual([]);
    await second.parts.release();
    expect(ended).toEqual(['a']);
    expect(take('a').value).not.toBe(first.value);
  });

  it('are not taken while another one is made: a set that keeps only that one would not hold them', () => {
    const parts = createSharedComponents().open();
    const makeInner = () => ({ value: 1 });
    const makeOuter = () => ({ value: parts.acquire(makeInner, null, undefined) });
    expect(() => parts.acquire(makeOuter, null, undefined)).toThrow(
      'makeInner is asked for a component while makeOuter makes one',
    );
    expect(parts.acquire(makeInner, null, undefined)).toBe(1);
  });

  it('are reused for equal settings alone: data by content, other components as themselves', () => {
    const parts = createSharedComponents().open();
    const makeInner = (_: { readonly size: number }) => ({ value: {} });
    const makeOuter = (_: object) => ({ value: {} });
    const inner = (size: number) => parts.acquire(makeInner, { size }, undefined);
    const outer = (settings: object) => parts.acquire(makeOuter, settings, undefined);
    const first = outer({ inner: inner(1), names: ['a'], secret: new Secret('s') });
    expect(outer({ inner: inner(1), names: ['a'], secret: new Secret('s') })).toBe(first);
    expect(outer({ inner: inner(2), names: ['a'], secret: new Secret('s') })).not.toBe(first);
    expect(outer({ inner: inner(1), names: ['b'], secret: new Secret('s') })).not.toBe(first);
    expect(outer({ inner: inner(1), names: ['a'], secret: new Secret('t') })).not.toBe(first);
  });

  it('are not made from what cannot be compared', () => {
    const parts = createSharedComponents().open();
    const make = (_: object) => ({ value: 1 });
    expect(() => parts.acquire(make, { read: () => 1 }, undefined)).toThrow('"read" is a function');
    expect(() => parts.acquire(make, { names: new Set(['a']) }, undefined)).toThrow('no plain data');
  });
});
