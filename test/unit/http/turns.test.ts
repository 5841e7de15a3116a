import { createTurns } from '../../../src/http/turns.ts';

const MAX_MS = 50;

/** A watch over requests that take a millisecond each, in one turn until told otherwise. */
function watch() {
  let now = 1_000;
  let onTurn: () => void;
  const turns = createTurns({
    delayMsMax: MAX_MS,
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
});
