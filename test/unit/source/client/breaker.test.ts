import { openBreaker } from '../resilience/open-breaker.ts';

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
  it('open a breaker without a health probe if nothing else is asked', () => {
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

  it('leave it closed where the source answers the health probe', async () => {
    const { breaker, make } = openBreaker({}, () =>
      Promise.resolve({ isHealthy: true, askedMs: 0, endedMs: 0 }),
    );
    for (let round = 0; round < 10; round += 1) {
      make(20, 'error', `/${round}`);
      await Promise.resolve();
    }
    expect(breaker.state).toBe('closed');
  });

  it('open it where the source fails the health probe, too', async () => {
    const { breaker, make } = openBreaker({}, () =>
      Promise.resolve({ isHealthy: false, askedMs: 0, endedMs: 0 }),
    );
    make(20, 'error');
    await Promise.resolve();
    expect(breaker.state).toBe('open');
  });

  it('leave it closed where the health probe fails, but others are answered meanwhile', async () => {
    const { breaker, clock, make } = openBreaker({}, () =>
      Promise.resolve({ isHealthy: false, askedMs: 0, endedMs: 0 }),
    );
    clock.advance(1);
    make(20, 'error');
    make(1, 'success', '/other');
    await Promise.resolve();
    expect(breaker.state).toBe('closed');
  });

  it('leave it as it is where the health probe could not be sent', async () => {
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

  it('close it after a probe with an odd question if the health probe is answered', async () => {
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
