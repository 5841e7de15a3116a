import fc from 'fast-check';
import { createNight, only } from './incident-night.ts';

/** A fault that an injector makes, in seconds, and the traffic around it. */
type Fault = {
  readonly rate: number;
  readonly share: number;
  readonly start: number;
  readonly length: number;
  /** Until 10 s before the fault, each so many seconds a call fails by itself; 0: none does. */
  readonly strayEvery: number;
  readonly seed: number;
};

const SECOND = 1_000;

/** Random numbers from 0 to 1 that a seed decides (mulberry32). */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Runs the calls of a timeline; the truth is what the injector itself has made fail. */
function run({ rate, share, start, length, strayEvery, seed }: Fault) {
  const night = createNight();
  const random = createRandom(seed);
  const truth = { since: Infinity, last: 0, failed: 0, total: 0 };
  night.seconds(start + length + 30, (second) => {
    const isFaulty = second >= start && second < start + length;
    const strays =
      !isFaulty && second < start - 10 && strayEvery > 0 && second % strayEvery === strayEvery - 1;
    for (let call = 0; call < rate; call += 1) {
      night.moveTo(night.START + second * SECOND + Math.floor((call / rate) * SECOND));
      const isFailed = isFaulty && random() < share;
      night.calls('crm', isFailed ? 0 : 1, isFailed ? 1 : 0);
      if (isFailed) {
        truth.since = Math.min(truth.since, night.now);
        truth.last = night.now;
        truth.failed += 1;
      }
    }
    if (strays) night.calls('crm', 0, 1);
  });
  return { truth, incidents: night.incidents() };
}

const fault = fc.record({
  rate: fc.integer({ min: 5, max: 40 }),
  share: fc.double({ min: 0.2, max: 1, noNaN: true }),
  start: fc.integer({ min: 0, max: 90 }),
  length: fc.integer({ min: 10, max: 120 }),
  strayEvery: fc.constant(0),
  seed: fc.integer(),
});

describe('an incident is what the injector did', () => {
  it('since when, to 2 s, and how many calls, exactly', () => {
    fc.assert(
      fc.property(fault, (one) => {
        const { truth, incidents } = run(one);
        expect(incidents).toHaveLength(1);
        const [{ since, last, calls } = { since: 0, last: 0, calls: { failed: 0 } }] = incidents;
        expect(Math.abs(since - truth.since)).toBeLessThanOrEqual(2 * SECOND);
        expect(Math.abs(last - truth.last)).toBeLessThanOrEqual(2 * SECOND);
        expect(Math.abs(calls.failed - truth.failed)).toBeLessThanOrEqual(0.02 * truth.failed);
      }),
      { numRuns: 300 },
    );
  });

  it('though single calls had failed before', () => {
    const strays = fc.record({
      ...{ rate: fc.integer({ min: 10, max: 40 }), share: fc.double({ min: 0.5, max: 1, noNaN: true }) },
      ...{ start: fc.integer({ min: 0, max: 90 }), length: fc.integer({ min: 10, max: 120 }) },
      ...{ strayEvery: fc.integer({ min: 20, max: 60 }), seed: fc.integer() },
    });
    fc.assert(
      fc.property(strays, (one) => {
        const { truth, incidents } = run(one);
        expect(incidents).toHaveLength(1);
        expect(Math.abs((incidents[0]?.since ?? 0) - truth.since)).toBeLessThanOrEqual(2 * SECOND);
      }),
      {
        numRuns: 300,
        // The last stray call is 10.1 s before the fault.
        examples: [[{ rate: 10, share: 0.5, start: 58, length: 10, strayEvery: 48, seed: 0 }]],
      },
    );
  });

  it('and is none where nothing was injected', () => {
    fc.assert(
      fc.property(fault, (one) => {
        expect(run({ ...one, share: 0 }).incidents).toEqual([]);
      }),
      { numRuns: 50 },
    );
  });
});

/** Calls that take long because of a fault: so many a second, of which a share is harmed, in milliseconds. */
type LongFault = {
  readonly rate: number;
  readonly share: number;
  readonly takesMs: number;
  readonly start: number;
};

const LASTS_S = 40;

/** Runs calls that take their time; each is counted as it ends, as a gateway does. */
function runLong({ rate, share, takesMs, start }: LongFault, how: string) {
  const night = createNight();
  const calls = Array.from({ length: rate * (start + LASTS_S + 20) }, (_, n) => {
    const at = night.START + Math.floor((n / rate) * SECOND);
    const isFaulty = n >= rate * start && n < rate * (start + LASTS_S);
    const isHarmed = isFaulty && Math.floor((n + 1) * share) > Math.floor(n * share);
    return { at, isHarmed, endedAt: at + (isHarmed ? takesMs : 5) };
  });
  for (const { isHarmed, at, endedAt } of calls.toSorted((a, b) => a.endedAt - b.endedAt)) {
    while (Math.floor(night.now / SECOND) < Math.floor(endedAt / SECOND)) night.second();
    night.moveTo(endedAt);
    const [outcome, failure] =
      isHarmed && how === 'hangs' ? ['upstream_timeout', 'timeout'] : ['2xx', undefined];
    night.tracker.call('crm', outcome, failure, (endedAt - at) / SECOND);
  }
  const harmed = calls.filter((one) => one.isHarmed);
  const since = harmed[0]?.at ?? NaN;
  const until = Math.max(...harmed.map(({ endedAt }) => endedAt));
  const total = calls.filter(({ at }) => at >= since && at <= until).length;
  return { truth: { since, failed: harmed.length, total }, incidents: night.incidents() };
}

describe.each([['is slow'], ['hangs']])('an incident of a source that %s', (how) => {
  it('began as its first call did, and counts all calls since then', () => {
    const long = fc.record({
      rate: fc.integer({ min: 5, max: 40 }),
      share: fc.double({ min: 0.15, max: 1, noNaN: true }),
      takesMs: fc.integer({ min: 1_100, max: 10_000 }),
      start: fc.integer({ min: 0, max: 90 }),
    });
    fc.assert(
      fc.property(long, (one) => {
        const { truth, incidents } = runLong(one, how);
        const { kind, since, calls } = only(incidents);
        expect(kind).toBe(how === 'is slow' ? 'slow' : 'source');
        expect(since).toBe(truth.since);
        expect(calls.failed).toBe(truth.failed);
        expect(Math.abs(calls.total - truth.total)).toBeLessThanOrEqual(Math.max(2, 0.01 * truth.total));
      }),
      { numRuns: 100, examples: [[{ rate: 10, share: 0.2, takesMs: 1_500, start: 20 }]] },
    );
  });
});

describe('an open incident', () => {
  it('has the answers until its last failure, also between two looks', () => {
    const night = createNight();
    night.seconds(3, () => night.calls('crm', 10));
    night.seconds(10, () => {
      night.calls('crm', 0, 5);
      night.answers(5, ['a', 'a', 'a', 'a', 'a']);
      expect(night.incidents().map(({ answers }) => answers.failed / answers.total)).toEqual([0.5]);
    });
  });

  it('has all calls and answers until the last failure that another process saw', () => {
    const night = createNight();
    night.seconds(3, () => night.calls('crm', 10));
    night.seconds(20, (at) => {
      night.calls('crm', 10, at < 10 ? 10 : 0);
      night.answers(10, at < 10 ? ['a', 'b'] : []);
    });
    const before = only(night.incidents());
    night.tracker.seen([{ ...before, seen: before.seen + 5_000 }]);
    const { calls, answers, ...after } = only(night.incidents());
    expect([calls.failed, answers.failed, after.seen]).toEqual([100, 20, before.seen]);
    expect(Math.abs(calls.total - before.calls.total - 50)).toBeLessThanOrEqual(10);
    expect(Math.abs(answers.total - before.answers.total - 50)).toBeLessThanOrEqual(10);
  });

  it('has no calls of the second of the last failure that another process saw, because they may be well already', () => {
    const night = createNight();
    night.seconds(3, () => night.calls('crm', 10));
    night.seconds(10, () => night.calls('crm', 0, 10));
    night.moveTo(night.now + 500);
    night.calls('crm', 10);
    const before = only(night.incidents());
    night.tracker.seen([{ ...before, seen: night.now }]);
    expect(only(night.incidents()).calls).toEqual({ failed: 100, total: 100 });
  });
});
