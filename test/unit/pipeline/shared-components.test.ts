import { createSharedComponents } from '../../../src/kernel/shared-components.ts';

describe('components that outlive a change of configuration', () => {
  it('are closed when the last set that holds them is released, and not before', async () => {
    const kept = createSharedComponents();
    const ended: string[] = [];
    const take = (key: string) => {
      const parts = kept.open();
      return {
        parts,
        value: parts.acquire('kind', key, () => ({ value: {}, close: () => ended.push(key) })),
      };
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
    const inner = () => ({ value: parts.acquire('inner', '', () => ({ value: 1 })) });
    expect(() => parts.acquire('outer', '', inner)).toThrow(
      'the component inner  is acquired while outer  is made',
    );
    expect(parts.acquire('outer', '', () => ({ value: 2 }))).toBe(2);
  });
});
