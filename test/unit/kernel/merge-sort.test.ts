import fc from 'fast-check';
import { mergeSort } from '../../../src/kernel/merge-sort.ts';
import { createYieldToLoop } from '../../../src/kernel/yield-to-loop.ts';

type Item = { readonly key: number; readonly place: number };
const compare = (a: Item, b: Item) => a.key - b.key;
const itemsOf = (keys: readonly number[]): Item[] => keys.map((key, place) => ({ key, place }));

describe('a sort in slices', () => {
  it('gives the result of a stable sort', async () => {
    const keys = fc.array(fc.nat(50), { maxLength: 2_000, size: 'max' });
    const pace = createYieldToLoop(new AbortController().signal);
    await fc.assert(
      fc.asyncProperty(keys, async (all) => {
        const items = itemsOf(all);
        expect(await mergeSort(items, compare, pace)).toEqual([...items].sort(compare));
      }),
      { numRuns: 50 },
    );
  });

  it('yields to the event loop, and stops once its signal aborts', async () => {
    const items = itemsOf(Array.from({ length: 200_000 }, (_, i) => (i * 7_919) % 200_003));
    const controller = new AbortController();
    let turns = 0;
    const count = setInterval(() => {
      turns += 1;
      if (turns === 3) controller.abort(new Error('gone'));
    }, 1);
    await expect(mergeSort(items, compare, createYieldToLoop(controller.signal))).rejects.toThrow('gone');
    clearInterval(count);
    expect(turns).toBeGreaterThanOrEqual(3);
  });
});
