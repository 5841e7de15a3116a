import { createTurns } from '../../../src/http/turns.ts';

const MAX_MS = 50;

/** A watch over requests that take a millisecond each, in one turn until told otherwise. */
function watch() {
  let now = 1_000;
  let isTight = false;
  let onTurn: () => void;
  const turns = createTurns({
    delayMsMax: MAX_MS,
    isTight: () => isTight,
    monotonic: () => now,
    atNextTurn: (listener) => void (onTurn = listener),
  });
  return {
    turns,
    /** How many of so many requests are refused. */
    refusedOf: (count: number, msEach = 1): number => {
      let refused = 0;
      for (let n = 0; n < count; n += 1) {
        now += msEach;
        if (turns.isTooMany()) refused += 1;
      }
      return refused;
    },
    stall: (ms: number) => void (now += ms),
    turn: () => onTurn(),
    tighten: () => void (isTight = true),
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

  it('holds lines to half as long while somebody who was refused waits: a request may stand in two', () => {
    const { refusedOf, turn, tighten } = watch();
    expect(refusedOf(100, 0.4)).toBe(0);
    turn();
    tighten();
    expect(refusedOf(100, 0.4)).toBe(0);
    expect(refusedOf(1)).toBe(1);
  });
});

describe('the room for more', () => {
  it('is none once somebody was refused, and there again with the next turn', () => {
    const { turns, refusedOf, turn } = watch();
    refusedOf(101);
    turn();
    expect(turns.takeRoom()).toBe(0);
    refusedOf(40, 0.1);
    turn();
    expect(turns.takeRoom()).toBeGreaterThan(0);
  });

  it('is a part of what the latest line was shorter than it may be, told once', () => {
    const { turns, refusedOf, turn } = watch();
    refusedOf(101, 0.2);
    turn();
    // 101 took 20 ms, so 202 would take 40: four fifths of 50 ms.
    expect(Math.round(turns.takeRoom())).toBe(25);
    refusedOf(1);
    expect(turns.takeRoom()).toBe(0);
  });

  it('is there where nobody comes', () => {
    const { turns } = watch();
    expect(turns.takeRoom()).toBeGreaterThan(0);
    expect(turns.takeRoom()).toBeGreaterThan(0);
  });
});
