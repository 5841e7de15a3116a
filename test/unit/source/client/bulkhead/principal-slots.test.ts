import type { Priority } from '../../../../../src/kernel/upstream-call.ts';
import { createPrincipalSlots } from '../../../../../src/source/client/bulkhead/principal-slots.ts';
import { createManualClock } from '../../../../support/time/manual-clock.ts';

const { signal } = new AbortController();
const callOf = (principal: string, priority: Priority = 'caller') => ({
  priority,
  signal,
  usage: { principal },
});

/** The slots of a source at which calls take 100 ms. */
function open(concurrency = 8, size = concurrency) {
  const clock = createManualClock();
  const source = { isSilent: false };
  const slots = createPrincipalSlots({
    ...{ concurrency, queueMax: 100 },
    size: () => size,
    isSilent: () => source.isSilent,
    monotonic: () => clock.monotonic(),
  });
  /** Calls of a principal that run at once for so long. */
  function run(principal: string, ms: number, count = 1): void {
    const calls = Array.from({ length: count }, () => callOf(principal));
    for (const call of calls) slots.enter(call);
    clock.advance(ms);
    for (const call of calls) slots.leave(call);
  }
  run('honest', 100);
  return { slots, clock, run, source };
}

describe('the slots of one principal', () => {
  it('are half of all once a call of it has run for five times the mean, and that of others are all', () => {
    const { slots, clock } = open();
    const calls = Array.from({ length: 3 }, () => callOf('odd'));
    for (const call of calls) slots.enter(call);
    clock.advance(499);
    expect(slots.room('odd')).toBe(Infinity);
    clock.advance(1);
    expect([slots.room('odd'), slots.room('honest')]).toEqual([1, Infinity]);
    slots.enter(callOf('odd'));
    expect(slots.room('odd')).toBe(0);
    slots.leave(calls[0]!);
    expect(slots.room('odd')).toBe(1);
  });

  it('are all again some time after its last slow call', () => {
    const { slots, clock, run } = open();
    run('odd', 1_000);
    clock.advance(3_999);
    expect(slots.room('odd')).toBe(4);
    clock.advance(1);
    expect(slots.room('odd')).toBe(Infinity);
  });

  it('stay half however many slow calls it makes, because those are not the rule', () => {
    const { slots, run } = open();
    for (let round = 0; round < 20; round += 1) {
      run('odd', 2_000, 4);
      run('honest', 100);
    }
    expect([slots.room('odd'), slots.meanMs < 400]).toEqual([4, true]);
  });

  it('are all where the source has become slow for everybody', () => {
    const { slots, clock, run } = open();
    for (let call = 0; call < 150; call += 1) run('only', 1_000);
    clock.advance(4_000);
    run('only', 1_000);
    expect(slots.room('only')).toBe(Infinity);
  });

  it('are all for calls that take more than the mean but are not long', () => {
    const { slots, run } = open();
    for (let call = 0; call < 100; call += 1) run('honest', 2);
    run('honest', 90);
    expect(slots.room('honest')).toBe(Infinity);
  });

  it('are those of all scans together, whoever caused them', () => {
    const { slots, clock } = open();
    slots.enter(callOf('a', 'scan'));
    clock.advance(500);
    expect([slots.room('scan'), slots.room('a')]).toEqual([3, Infinity]);
  });

  it('are half of those that this process has, and one at least', () => {
    for (const [size, room] of [
      [5, 2],
      [1, 1],
    ] as const) {
      const { slots, run } = open(8, size);
      run('odd', 1_000);
      expect(slots.room('odd')).toBe(room);
    }
  });

  it('are all while the source answers nobody, so that its breaker sees as many timeouts', () => {
    const { slots, run, source } = open();
    run('only', 1_000);
    source.isSilent = true;
    expect([slots.room('only'), slots.isCrowding('only', 13, 13)]).toEqual([Infinity, false]);
    source.isSilent = false;
    expect(slots.room('only')).toBe(4);
  });

  it('are all below four slots, and for calls of nobody', () => {
    const few = open(3);
    few.run('odd', 1_000);
    const many = open();
    many.run('', 1_000);
    expect([few.slots.room('odd'), many.slots.room('')]).toEqual([Infinity, Infinity]);
  });

  it('leave a slow one a part of the queue, even if nobody else waits', () => {
    const { slots, run } = open();
    expect(slots.isCrowding('odd', 13, 13)).toBe(false);
    expect(slots.isCrowding('odd', 13, 14)).toBe(true);
    run('odd', 1_000);
    expect([slots.isCrowding('odd', 12, 12), slots.isCrowding('odd', 13, 13)]).toEqual([false, true]);
  });
});
