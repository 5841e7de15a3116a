import {
  type BreakerDeps,
  type BreakerOptions,
  createBreaker,
  type CallOutcome,
} from '../../../src/upstream/resilience/breaker.ts';
import type { KnownGoodResult } from '../../../src/upstream/resilience/known-good-check.ts';
import { createManualClock } from '../../support/time/manual-clock.ts';

/** A breaker on a clock of the test's own: 20 calls in 10 s, half of them bad, open for 5 s. */
function openBreaker(options: Partial<BreakerOptions> = {}, checkKnownGood?: BreakerDeps['checkKnownGood']) {
  const clock = createManualClock();
  const states: string[] = [];
  const hanging = { times: 0 };
  const breaker = createBreaker(
    { calls: 20, windowMs: 10_000, failuresPercent: 50, openMs: 5_000, ...options },
    {
      monotonic: () => clock.monotonic(),
      onChange: (state) => void states.push(state),
      ...{ checkKnownGood, onQuestionsHang: () => void (hanging.times += 1) },
    },
  );
  /** Has calls made that all end the same; how many were let through. */
  function make(count: number, finding: CallOutcome, question = '/x'): number {
    let made = 0;
    for (let call = 0; call < count; call += 1) {
      const leave = breaker.enter();
      if (leave !== undefined) made += 1;
      leave?.(finding, question, clock.monotonic());
    }
    return made;
  }
  return { breaker, clock, states, make, hanging };
}

describe('a closed breaker', () => {
  it('opens at the call that reaches both the number of calls and the percentage', () => {
    const { breaker, make } = openBreaker();
    expect(make(19, 'failure')).toBe(19);
    expect(breaker.state).toBe('closed');
    expect(make(100, 'failure')).toBe(1);
    expect(breaker.state).toBe('open');
  });

  it('stays closed below its percentage, and opens at it', () => {
    const { breaker, make } = openBreaker();
    make(51, 'success');
    make(50, 'failure');
    expect(breaker.state).toBe('closed');
    make(1, 'failure');
    expect(breaker.state).toBe('open');
  });

  it('never opens for calls whose caller has gone', () => {
    const { breaker, make } = openBreaker();
    make(1_000, 'ignored');
    make(19, 'failure');
    expect(breaker.state).toBe('closed');
  });

  it('forgets calls older than its window, however long no call was made', () => {
    const { breaker, clock, make } = openBreaker();
    make(19, 'failure');
    clock.advance(60_000);
    make(19, 'failure');
    expect(breaker.state).toBe('closed');
  });

  it('adds up the calls of all slices of its window', () => {
    const { breaker, clock, make } = openBreaker();
    for (let second = 0; second < 9; second += 1) {
      make(2, 'failure');
      clock.advance(1_000);
    }
    make(2, 'failure');
    expect(breaker.state).toBe('open');
  });

  it('does not add up calls that are further apart than its window', () => {
    const { breaker, clock, make } = openBreaker();
    for (let second = 0; second < 60; second += 1) {
      make(1, 'failure');
      clock.advance(1_000);
    }
    expect(breaker.state).toBe('closed');
  });
});

describe('an open breaker', () => {
  it('refuses all calls, and says for how long', () => {
    const { breaker, clock, make } = openBreaker();
    make(20, 'failure');
    clock.advance(4_999);
    expect([make(100, 'success'), breaker.isRefusing, breaker.waitMs]).toEqual([0, true, 1]);
  });

  it('then lets exactly one call through, and refuses all others while that is under way', () => {
    const { breaker, clock, make, states } = openBreaker();
    make(20, 'failure');
    clock.advance(5_000);
    expect(breaker.isRefusing).toBe(false);
    const leave = breaker.enter();
    expect(leave).toBeDefined();
    expect([make(100, 'success'), breaker.isRefusing]).toEqual([0, true]);
    leave?.('success', '/x', 0);
    expect([breaker.state, make(100, 'success')]).toEqual(['closed', 100]);
    expect(states).toEqual(['open', 'half_open', 'closed']);
  });

  it('opens again for the same time if the probe fails', () => {
    const { breaker, clock, make, states } = openBreaker();
    make(20, 'failure');
    clock.advance(5_000);
    expect([make(100, 'failure'), breaker.waitMs]).toEqual([1, 5_000]);
    clock.advance(4_999);
    expect(make(1, 'success')).toBe(0);
    clock.advance(1);
    expect(make(1, 'success')).toBe(1);
    expect(states).toEqual(['open', 'half_open', 'open', 'half_open', 'closed']);
  });

  it('makes the next call the probe if the caller of the first one went away', () => {
    const { breaker, clock, make, states } = openBreaker();
    make(20, 'failure');
    clock.advance(5_000);
    expect(make(3, 'ignored')).toBe(3);
    expect(breaker.state).toBe('half_open');
    make(1, 'success');
    expect(states).toEqual(['open', 'half_open', 'closed']);
  });

  it('ignores calls that began before it opened', () => {
    const { breaker, clock, make } = openBreaker();
    const slow = Array.from({ length: 50 }, () => breaker.enter());
    make(20, 'failure');
    for (const leave of slow.slice(0, 25)) leave?.('success', '/x', 0);
    expect(breaker.state).toBe('open');
    clock.advance(5_000);
    make(1, 'success');
    for (const leave of slow.slice(25)) leave?.('failure', '/x', 0);
    expect(breaker.state).toBe('closed');
  });

  it('begins with an empty window once it is closed', () => {
    const { breaker, clock, make } = openBreaker({ openMs: 100 });
    make(20, 'failure');
    clock.advance(100);
    make(1, 'success');
    make(19, 'failure');
    expect(breaker.state).toBe('closed');
  });
});

describe('errors, which may be the fault of the question', () => {
  it('open a breaker without a known-good request if nothing else is asked', () => {
    const { breaker, make } = openBreaker();
    make(20, 'success');
    make(20, 'error');
    expect(breaker.state).toBe('open');
  });

  it('leave it closed while another question was answered within the window', () => {
    const { breaker, clock, make } = openBreaker();
    make(1, 'success', '/other');
    make(1_000, 'error');
    expect(breaker.state).toBe('closed');
    clock.advance(10_000);
    make(20, 'error');
    expect(breaker.state).toBe('open');
  });

  it('leave it closed where the source answers the known-good request', async () => {
    const { breaker, make } = openBreaker({}, () =>
      Promise.resolve({ isHealthy: true, askedMs: 0, endedMs: 0 }),
    );
    for (let round = 0; round < 10; round += 1) {
      make(20, 'error', `/${round}`);
      await Promise.resolve();
    }
    expect(breaker.state).toBe('closed');
  });

  it('open it where the source fails at the known-good request, too', async () => {
    const { breaker, make } = openBreaker({}, () =>
      Promise.resolve({ isHealthy: false, askedMs: 0, endedMs: 0 }),
    );
    make(20, 'error');
    await Promise.resolve();
    expect(breaker.state).toBe('open');
  });

  it('leave it closed where the known-good request fails, but others are answered meanwhile', async () => {
    const { breaker, clock, make } = openBreaker({}, () =>
      Promise.resolve({ isHealthy: false, askedMs: 0, endedMs: 0 }),
    );
    clock.advance(1);
    make(20, 'error');
    make(1, 'success', '/other');
    await Promise.resolve();
    expect(breaker.state).toBe('closed');
  });

  it('leave it as it is where the known-good request could not be asked', async () => {
    const { breaker, make } = openBreaker({}, () => Promise.resolve(undefined));
    make(1_000, 'error');
    await Promise.resolve();
    expect(breaker.state).toBe('closed');
  });

  it('never excuse failures: a source that is not reached opens it, however well others were answered', () => {
    const { breaker, make } = openBreaker({}, () =>
      Promise.resolve({ isHealthy: true, askedMs: 0, endedMs: 0 }),
    );
    make(20, 'success', '/other');
    make(20, 'failure');
    expect(breaker.state).toBe('open');
  });

  it('close it after a probe with an odd question if the known-good request is answered', async () => {
    const { breaker, clock, make } = openBreaker({}, () =>
      Promise.resolve({ isHealthy: true, askedMs: 0, endedMs: 0 }),
    );
    make(20, 'failure');
    clock.advance(5_000);
    make(1, 'error');
    expect([breaker.state, make(5, 'success')]).toEqual(['half_open', 0]);
    await Promise.resolve();
    expect(breaker.state).toBe('closed');
  });
});

describe('timeouts, which may be the fault of the question', () => {
  const turns = async () => {
    for (let turn = 0; turn < 5; turn += 1) await Promise.resolve();
  };
  /** A known-good request whose results the test gives; `asked` counts those that were not current. */
  function answering(isHealthy: boolean) {
    const known = {
      asked: 0,
      isHealthy,
      clock: { monotonic: () => 0 },
      last: undefined as KnownGoodResult | undefined,
    };
    const check: BreakerDeps['checkKnownGood'] = (isCurrent) => {
      if (known.last === undefined || isCurrent?.(known.last) !== true) {
        known.asked += 1;
        const nowMs = known.clock.monotonic();
        known.last = { isHealthy: known.isHealthy, askedMs: nowMs, endedMs: nowMs };
      }
      return Promise.resolve(known.last);
    };
    return { known, check };
  }
  function open(isHealthy: boolean) {
    const { known, check } = answering(isHealthy);
    const opened = openBreaker({}, check);
    known.clock = opened.clock;
    return { ...opened, known };
  }

  it('are failures where there is no known-good request', () => {
    const { breaker, make } = openBreaker();
    make(20, 'timeout');
    expect(breaker.state).toBe('open');
  });

  it('leave it closed where the known-good request is answered, and the shape of question is told', async () => {
    const { breaker, make, hanging } = open(true);
    for (let round = 1; round <= 3; round += 1) {
      make(20, 'timeout');
      await turns();
      expect([breaker.state, hanging.times]).toEqual(['closed', round]);
    }
  });

  it('open it where the known-good request fails, too, although other questions are answered meanwhile', async () => {
    const { breaker, make } = open(false);
    make(10, 'success', '/other');
    make(19, 'timeout');
    make(1, 'success', '/other');
    await turns();
    expect(breaker.state).toBe('open');
  });

  it('have the known-good request asked early, once, so that its failure is there when they are too many', async () => {
    const { breaker, make, known } = open(false);
    make(4, 'timeout');
    expect(known.asked).toBe(0);
    make(4, 'timeout');
    await turns();
    make(11, 'timeout');
    expect([known.asked, breaker.state]).toEqual([1, 'closed']);
    make(1, 'timeout');
    await turns();
    expect([known.asked, breaker.state]).toEqual([1, 'open']);
  });

  it('are not excused by an answer to the known-good request from before they were sent', async () => {
    const { breaker, clock, make, known } = open(true);
    make(20, 'timeout');
    await turns();
    known.isHealthy = false;
    clock.advance(1);
    make(20, 'timeout');
    await turns();
    expect(breaker.state).toBe('open');
  });

  it('do not open it by a failed known-good request from before another question was answered', async () => {
    const { breaker, clock, make, known } = open(false);
    make(5, 'timeout');
    await turns();
    known.isHealthy = true;
    clock.advance(1);
    make(1, 'success', '/other');
    make(20, 'timeout');
    await turns();
    expect([breaker.state, known.asked]).toEqual(['closed', 2]);
  });

  it('are not needed where refused connections are enough', () => {
    const { breaker, make, known } = open(true);
    make(20, 'failure');
    expect([breaker.state, known.asked]).toEqual(['open', 0]);
  });

  it('close it after a probe that hangs if the known-good request is answered anew', async () => {
    const { breaker, clock, make, known } = open(false);
    make(20, 'timeout');
    await turns();
    expect(breaker.state).toBe('open');
    clock.advance(5_000);
    known.isHealthy = true;
    make(1, 'timeout');
    await turns();
    expect(breaker.state).toBe('closed');
  });

  it('have the known-good request asked before them if the source is silent, but not all the time', () => {
    const { breaker, clock, known } = open(true);
    breaker.suspect(0);
    clock.advance(4_999);
    breaker.suspect(4_900);
    expect(known.asked).toBe(1);
    clock.advance(1);
    breaker.suspect(4_900);
    expect(known.asked).toBe(2);
  });
});
