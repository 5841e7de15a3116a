import fc from 'fast-check';
import { createSlidingMemory } from '../../../../src/store/limiter/sliding-memory.ts';
import { divideWindow } from '../../../../src/store/limiter/sub-windows.ts';

const window = fc.record({
  points: fc.integer({ min: 1, max: 8 }),
  seconds: fc.integer({ min: 1, max: 20 }),
});
const arrivals = fc.array(fc.integer({ min: 0, max: 2_500 }), { minLength: 1, maxLength: 120 });

describe('points counted in this process', () => {
  it('are never more than a window has in any interval of its length, and are refused at most a part early', () => {
    fc.assert(
      fc.property(fc.array(window, { minLength: 1, maxLength: 3 }), arrivals, (windows, gaps) => {
        let now = 0;
        const divided = windows.map(divideWindow);
        const memory = createSlidingMemory(divided, { monotonic: () => now });
        const admitted: number[] = [];
        for (const gap of gaps) {
          now += gap;
          const within = (ms: number) => admitted.filter((at) => at > now - ms).length;
          if (memory.reserve('a', 1).granted === 1) {
            admitted.push(now);
            for (const { points, seconds } of windows)
              expect(within(seconds * 1_000)).toBeLessThanOrEqual(points);
          } else {
            const justified = divided.some(
              ({ points, seconds, partMs }) => within(seconds * 1_000 + partMs + 1) >= points,
            );
            expect(justified).toBe(true);
          }
        }
      }),
      { numRuns: 300 },
    );
  });
});
