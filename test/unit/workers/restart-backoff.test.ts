import { createRestartBackoff } from '../../../src/workers/restart-backoff.ts';

describe('the restart back-off of workers that crash', () => {
  it('restarts a worker at once if it had lived for a while', () => {
    const backoff = createRestartBackoff();
    for (let i = 0; i < 20; i += 1)
      expect(backoff.onCrash(60_000, false)).toEqual({ kind: 'restart', afterMs: 0 });
  });

  it('doubles the delay with each early crash, and gives up at the fifth in a row', () => {
    const backoff = createRestartBackoff();
    const decisions = Array.from({ length: 5 }, () => backoff.onCrash(50, false));
    expect(decisions).toEqual([
      ...[100, 200, 400, 800].map((afterMs) => ({ kind: 'restart', afterMs })),
      { kind: 'give up' },
    ]);
  });

  it('never gives up while other workers serve, and waits at most ten seconds', () => {
    const backoff = createRestartBackoff();
    const decisions = Array.from({ length: 30 }, () => backoff.onCrash(50, true));
    expect(decisions.at(-1)).toEqual({ kind: 'restart', afterMs: 10_000 });
  });

  it('starts to count again after a worker that lived for a while', () => {
    const backoff = createRestartBackoff();
    for (let i = 0; i < 4; i += 1) backoff.onCrash(50, false);
    backoff.onCrash(60_000, false);
    expect(backoff.onCrash(50, false)).toEqual({ kind: 'restart', afterMs: 100 });
  });
});
