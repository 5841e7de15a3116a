import fc from 'fast-check';
import { increments } from '../../../../src/telemetry/history/metric-sample.ts';
import { createSeriesRing, pointTimes } from '../../../../src/telemetry/history/series-ring.ts';

const POINT_MS = 10;
const POINTS = 20;

/** What a process counts between two samples; a fall is a process that dies with counts that nobody has read. */
const sample = fc.record({
  afterMs: fc.integer({ min: 1, max: 60 }),
  changes: fc.dictionary(fc.constantFrom('a|x', 'a|y', 'b'), fc.integer({ min: -5, max: 9 })),
});

type Sample = { readonly at: number; readonly counters: ReadonlyMap<string, number> };

/** The samples of a history, the counters never below 0. */
function samplesOf(
  history: readonly { afterMs: number; changes: Record<string, number> }[],
): readonly Sample[] {
  let [at, counters] = [1_000, new Map<string, number>()];
  return history.map(({ afterMs, changes }) => {
    at += afterMs;
    counters = new Map(counters);
    for (const [key, change] of Object.entries(changes))
      counters.set(key, Math.max(0, (counters.get(key) ?? 0) + change));
    return { at, counters };
  });
}

/** The same without a ring: every increment with its time. */
function plainIncrements(samples: readonly Sample[]) {
  return samples.flatMap(({ at, counters }, index) =>
    [...counters].flatMap(([key, value]) => {
      const increment = value - (samples[index - 1]?.counters.get(key) ?? 0);
      return increment > 0 ? [{ at, key, increment }] : [];
    }),
  );
}

function ringOf(samples: readonly Sample[]) {
  const ring = createSeriesRing(POINT_MS, POINTS);
  let before: Sample['counters'] = new Map();
  for (const { at, counters } of samples) {
    ring.add(at, increments(before, counters));
    before = counters;
  }
  return ring;
}

describe('a ring of data points', () => {
  it('sum up to what the counters have grown by, at any step, for as long as they are kept', () => {
    fc.assert(
      fc.property(
        fc.array(sample, { minLength: 1, maxLength: 40 }),
        fc.constantFrom(1, 2, 5),
        (history, pointsInStep) => {
          const samples = samplesOf(history);
          const toMs = samples.at(-1)?.at ?? 0;
          const range = { fromMs: toMs - 12 * POINT_MS, toMs, stepMs: POINT_MS * pointsInStep };
          const table = ringOf(samples).read(range, () => true);
          const all = plainIncrements(samples);
          for (const key of ['a|x', 'a|y', 'b']) {
            const expected = table.at.map((start) =>
              all
                .filter((one) => one.key === key && one.at >= start && one.at < start + range.stepMs)
                .reduce((sum, { increment }) => sum + increment, 0),
            );
            expect(table.columns.get(key) ?? table.at.map(() => 0)).toEqual(expected);
          }
          expect([...table.columns.values()].flat().every((count) => count >= 0)).toBe(true);
        },
      ),
    );
  });

  it('tell an interval in which nothing happened from one that nobody saw', () => {
    const ring = createSeriesRing(POINT_MS, POINTS);
    ring.add(1_000, new Map([['a', 3]]));
    ring.add(1_020, new Map());
    const { at, isCounted, columns } = ring.read(
      { fromMs: 1_000, toMs: 1_029, stepMs: POINT_MS },
      () => true,
    );
    expect([at, isCounted, columns.get('a')]).toEqual([
      [1_000, 1_010, 1_020],
      [true, false, true],
      [3, 0, 0],
    ]);
  });

  it('forget an interval whose place another one has taken', () => {
    const ring = createSeriesRing(POINT_MS, POINTS);
    ring.add(1_000, new Map([['a', 3]]));
    ring.add(1_000 + POINT_MS * POINTS, new Map([['b', 1]]));
    const range = { fromMs: 1_000, toMs: 1_000 + POINT_MS * POINTS, stepMs: POINT_MS };
    const { isCounted, columns } = ring.read(range, () => true);
    expect([isCounted.filter(Boolean), [...columns.keys()]]).toEqual([[true], ['b']]);
  });

  it('begin at multiples of the step, so that those of two gateways are of the same times', () => {
    expect(pointTimes({ fromMs: 95, toMs: 121, stepMs: 10 })).toEqual([90, 100, 110, 120]);
  });
});
