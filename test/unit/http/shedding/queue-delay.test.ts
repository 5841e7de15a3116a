import { createQueueDelay } from '../../../../src/http/shedding/queue-delay.ts';

const MAX_MS = 50;

/** The queue delay of requests that take a millisecond each, in one tick until told otherwise. */
function queue() {
  let now = 1_000;
  let tickListener: () => void;
  const delay = createQueueDelay({
    delayMsMax: MAX_MS,
    clock: { monotonic: () => now },
    onTick: (listener) => void (tickListener = listener),
  });
  return {
    delay,
    /** How many of so many requests are refused. */
    refusedOf: (count: number, msEach = 1, isAggressive = false): number => {
      let refused = 0;
      for (let n = 0; n < count; n += 1) {
        now += msEach;
        if (delay.shouldShed(isAggressive)) refused += 1;
      }
      return refused;
    },
    stall: (ms: number) => void (now += ms),
    tick: () => tickListener(),
  };
}

describe('the queue delay of the event loop', () => {
  it('sheds nothing while the loop keeps turning', () => {
    const { refusedOf, tick } = queue();
    for (let ticks = 0; ticks < 20; ticks += 1) {
      expect(refusedOf(200, 0.2)).toBe(0);
      tick();
    }
  });

  it('sheds what has waited for too long, and never more than was served', () => {
    const { refusedOf } = queue();
    expect(refusedOf(101)).toBe(1);
    expect(refusedOf(99)).toBe(99);
    expect(refusedOf(100)).toBe(0);
  });

  it('serves again from the next tick of the timers on', () => {
    const { refusedOf, tick } = queue();
    expect(refusedOf(120)).toBe(20);
    tick();
    expect(refusedOf(100)).toBe(0);
  });

  it('sheds nothing for one long stall', () => {
    const { refusedOf, stall } = queue();
    expect(refusedOf(100, 0.1)).toBe(0);
    stall(5_000);
    expect(refusedOf(300, 0.1)).toBe(0);
  });

  it('sheds nothing of few requests, however slow the machine is', () => {
    const { refusedOf } = queue();
    expect(refusedOf(100, 40)).toBe(0);
  });

  it('lets aggressive clients wait for half as long', () => {
    const { refusedOf } = queue();
    expect(refusedOf(100, 0.26)).toBe(0);
    expect(refusedOf(1, 0.26, true)).toBe(1);
    expect(refusedOf(1, 0.26)).toBe(0);
  });
});

describe('clients of two kinds in one queue', () => {
  it('serves one that is patient, however long the queue of aggressive ones is', () => {
    const { refusedOf } = queue();
    expect(refusedOf(1_000, 1, true)).toBeGreaterThan(400);
    expect(refusedOf(1)).toBe(0);
  });

  it('serves late no more aggressive ones than can be answered in the time that they may wait', () => {
    const { delay, refusedOf, tick } = queue();
    // One response in two milliseconds: 12 in the 25 ms for which aggressive clients may wait.
    for (let ticks = 0; ticks < 50; ticks += 1) {
      refusedOf(1, 10);
      for (let answers = 0; answers < 5; answers += 1) delay.answered();
      tick();
    }
    expect(refusedOf(13, 1)).toBe(0);
    expect(refusedOf(1, 30, true)).toBe(1);
  });
});

describe('the spare capacity', () => {
  it('is none once a request was shed, and there again with the next tick', () => {
    const { delay, refusedOf, tick } = queue();
    refusedOf(101);
    tick();
    expect(delay.spareCapacity()).toBe(0);
    refusedOf(40, 0.1);
    tick();
    expect(delay.spareCapacity()).toBeGreaterThan(0);
  });

  it('is a part of what the latest queue was shorter than it may be, answered once', () => {
    const { delay, refusedOf, tick } = queue();
    refusedOf(1, 0);
    refusedOf(79, 10 / 79);
    tick();
    // 80 took 10 ms, so 160 would take 20: four fifths of 25 ms.
    expect(Math.round(delay.spareCapacity())).toBe(20);
    refusedOf(1);
    expect(delay.spareCapacity()).toBe(0);
  });

  it('is there without any request', () => {
    const { delay } = queue();
    expect(delay.spareCapacity()).toBeGreaterThan(0);
    expect(delay.spareCapacity()).toBeGreaterThan(0);
  });
});
