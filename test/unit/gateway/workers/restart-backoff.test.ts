import { createRestartBackoff } from '../../../../src/gateway/workers/restart-backoff.ts';

const GIVEN_UP = 'workers crash again and again, and none serves any more';

/** The delay before each restart, in milliseconds, and whether the back-off gave up in the end. */
async function delaysAfter(crashes: readonly { livedMs: number; othersServe?: boolean }[]) {
  const delays: (number | undefined)[] = [];
  const record = (_restart: () => void, ms?: number) => {
    delays.push(ms);
    return setTimeout(() => undefined, 0);
  };
  const backoff = createRestartBackoff(() => undefined, record as typeof setTimeout);
  for (const { livedMs, othersServe = false } of crashes) backoff.onCrash(livedMs, othersServe);
  backoff.stop();
  const gaveUp = (await Promise.race([backoff.givenUp, Promise.resolve(undefined)])) === GIVEN_UP;
  return { delays, gaveUp };
}
const times = (count: number, livedMs: number, othersServe = false) =>
  Array.from({ length: count }, () => ({ livedMs, othersServe }));

describe('the restart back-off of workers that crash', () => {
  it('restarts a worker at once if it had lived for a while', async () => {
    expect(await delaysAfter(times(20, 60_000))).toEqual({ delays: Array(20).fill(0), gaveUp: false });
  });

  it('doubles the delay with each early crash, and gives up at the fifth in a row', async () => {
    expect(await delaysAfter(times(5, 50))).toEqual({ delays: [100, 200, 400, 800], gaveUp: true });
  });

  it('never gives up while other workers serve, and waits at most ten seconds', async () => {
    const { delays, gaveUp } = await delaysAfter(times(30, 50, true));
    expect(delays.at(-1)).toBe(10_000);
    expect(gaveUp).toBe(false);
  });

  it('starts to count again after a worker that lived for a while', async () => {
    const { delays } = await delaysAfter([...times(4, 50), { livedMs: 60_000 }, { livedMs: 50 }]);
    expect(delays.at(-1)).toBe(100);
  });

  it('calls for the restart after the delay, and is pending until then', async () => {
    const restarted = Promise.withResolvers<undefined>();
    const backoff = createRestartBackoff(() => restarted.resolve(undefined));
    backoff.onCrash(60_000, true);
    expect(backoff.pending).toBe(true);
    await restarted.promise;
    expect(backoff.pending).toBe(false);
  });
});
