import { createQueueDelay } from '../../../../src/http/shedding/queue-delay.ts';

const MAX_MS = 50;

/** A watch over requests that take a millisecond each, in one turn until told otherwise. */
function watch() {
  let now = 1_000;
  let onTurn: () => void;
  const turns = createQueueDelay({
    delayMsMax: MAX_MS,
    monotonic: () => now,
    atNextTurn: (listener) => void (onTurn = listener),
  });
  return {
    turns,
    /** How many of so many requests are refused. */
    refusedOf: (count: number, msEach = 1, isHasty = false): number => {
      let refused = 0;
      for (let n = 0; n < count; n += 1) {
        now += msEach;
        if (turns.shouldShed(isHasty)) refused += 1;
      }
      return refused;
    },
    stall: (ms: number) => void (now += ms),
    turn: () => onTurn(),
  };
}

describe('a line of requests in the event loop', () => {
  it('refuses nobody while the loop keeps turning', () => {
    const { refusedOf, turn } = watch();
    for (let turns = 0; turns < 20; turns += 1) {
      expect(refusedOf(200, 0.2)).toBe(0);
      turn();
    }
  });

  it('refuses those who stood in line for longer than they may, and serves as many at least', () => {
    const { refusedOf } = watch();
    expect(refusedOf(101)).toBe(1);
    expect(refusedOf(99)).toBe(99);
    expect(refusedOf(100)).toBe(0);
  });

  it('serves again from the next turn of the timers on', () => {
    const { refusedOf, turn } = watch();
    expect(refusedOf(120)).toBe(20);
    turn();
    expect(refusedOf(100)).toBe(0);
  });

  it('refuses nobody for one long stall', () => {
    const { refusedOf, stall } = watch();
    expect(refusedOf(100, 0.1)).toBe(0);
    stall(5_000);
    expect(refusedOf(300, 0.1)).toBe(0);
  });

  it('refuses nobody where few come, however slow the machine is', () => {
    const { refusedOf } = watch();
    expect(refusedOf(100, 40)).toBe(0);
  });

  it('lets the hasty stand in line for half as long', () => {
    const { refusedOf } = watch();
    expect(refusedOf(100, 0.26)).toBe(0);
    expect(refusedOf(1, 0.26, true)).toBe(1);
    expect(refusedOf(1, 0.26)).toBe(0);
  });
});

describe('the room for more', () => {
  it('is none once somebody was refused, and there again with the next turn', () => {
    const { turns, refusedOf, turn } = watch();
    refusedOf(101);
    turn();
    expect(turns.spareCapacity()).toBe(0);
    refusedOf(40, 0.1);
    turn();
    expect(turns.spareCapacity()).toBeGreaterThan(0);
  });

  it('is a part of what the latest line was shorter than it may be, told once', () => {
    const { turns, refusedOf, turn } = watch();
    refusedOf(1, 0);
    refusedOf(79, 10 / 79);
    turn();
    // 80 took 10 ms, so 160 would take 20: four fifths of 25 ms.
    expect(Math.round(turns.spareCapacity())).toBe(20);
    refusedOf(1);
    expect(turns.spareCapacity()).toBe(0);
  });

  it('is there where nobody comes', () => {
    const { turns } = watch();
    expect(turns.spareCapacity()).toBeGreaterThan(0);
    expect(turns.spareCapacity()).toBeGreaterThan(0);
  });
});
