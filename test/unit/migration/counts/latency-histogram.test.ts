import fc from 'fast-check';
import {
  latenciesSince,
  latencyBucket,
  latencyQuantile,
} from '../../../../src/migration/counts/latency-histogram.ts';

describe('counted latencies', () => {
  test('a class holds a duration with at most 11 % to spare, and at least 1 ms', () => {
    fc.assert(
      fc.property(fc.double({ min: 1, max: 100_000, noNaN: true }), (ms) => {
        const bound = Number(latencyBucket(ms));
        return bound >= ms * 0.995 && bound <= ms * 1.11;
      }),
    );
    expect([latencyBucket(0), latencyBucket(0.2), latencyBucket(1)]).toEqual(['1', '1', '1']);
  });

  test('a quantile is the bound that so many calls did not exceed', () => {
    const latencies = { '10': 98, '20': 1, '300': 1 };
    expect([0.5, 0.98, 0.99, 1].map((share) => latencyQuantile(latencies, share))).toEqual([10, 10, 20, 300]);
    expect(latencyQuantile({}, 0.99)).toBeUndefined();
  });

  test('what was counted since is the difference', () => {
    expect(latenciesSince({ '10': 5, '20': 1 }, { '10': 3 })).toEqual({ '10': 2, '20': 1 });
  });
});
