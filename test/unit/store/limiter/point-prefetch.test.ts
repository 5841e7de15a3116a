import { setImmediate as settled } from 'node:timers/promises';
import { createPointPrefetch } from '../../../../src/store/limiter/point-prefetch.ts';
import type { Reservation, ReservationRequest } from '../../../../src/store/limiter/sub-windows.ts';
import { createManualClock } from '../../../support/time/manual-clock.ts';

const PART_MS = 100;
const ROUND_TRIP_MS = 2;

/** A store with plenty of points, which answers after a round trip. `held` is what it counts in each part. */
function setUp() {
  const clock = createManualClock();
  const asked: ReservationRequest[] = [];
  const held = new Map<number, number>();
  const replies: { readonly at: number; readonly send: () => void }[] = [];
  const count = (part: number, points: number) => held.set(part, (held.get(part) ?? 0) + points);

  function reserve(_subject: string, request: ReservationRequest): Promise<Reservation> {
    const { promise, resolve } = Promise.withResolvers<Reservation>();
    asked.push(request);
    const now = clock.monotonic();
    const part = Math.floor(now / PART_MS);
    if (request.unspent !== undefined) count(request.unspent.parts[0] ?? 0, -request.unspent.points);
    const granted = request.needed + request.batch;
    count(part, granted);
    const validMs = (part + 1) * PART_MS - now;
    const send = () => resolve({ granted, validMs, windows: [], parts: [part] });
    replies.push({ at: now + ROUND_TRIP_MS, send });
    return promise;
  }

  const prefetch = createPointPrefetch(reserve, clock);
  let waited = 0;
  let spent = 0;
  /** Lets a caller send so many requests in each of some milliseconds. */
  async function send(perMs: number, ms: number): Promise<void> {
    for (let passed = 0; passed < ms; passed += 1) {
      for (let one = 0; one < perMs; one += 1) {
        const result = prefetch.spend('a');
        if (result instanceof Promise) waited += 1;
        void Promise.resolve(result).then(({ admitted }) => (spent += Number(admitted)));
      }
      clock.advance(1);
      while ((replies[0]?.at ?? Infinity) <= clock.monotonic()) replies.shift()?.send();
      await settled();
    }
  }
  const heldNow = () => [...held.values()].reduce((sum, points) => sum + points, 0);
  return { prefetch, send, asked, heldNow, figures: () => ({ waited, spent }) };
}

describe('the points of a caller who asks all the time', () => {
  it('are reserved once in a part of the window, and only the first requests of a part wait', async () => {
    const { send, asked, figures } = setUp();
    await send(4, 5 * PART_MS);
    const [before, askedBefore] = [figures(), asked.length];
    await send(4, 10 * PART_MS);
    const waited = figures().waited - before.waited;
    expect(asked.length - askedBefore).toBeLessThanOrEqual(11);
    expect(waited).toBeLessThanOrEqual(10 * 4 * (ROUND_TRIP_MS + 1));
  });

  it('are reserved in time if the caller asks more often than before', async () => {
    const { send, asked, figures } = setUp();
    await send(1, 5 * PART_MS);
    const [before, askedBefore] = [figures(), asked.length];
    await send(4, PART_MS);
    expect(figures().waited - before.waited).toBeLessThanOrEqual(4 * (ROUND_TRIP_MS + 1));
    expect(asked.length - askedBefore).toBeLessThanOrEqual(4);
  });

  it('are all given back that were not spent', async () => {
    const { prefetch, send, heldNow, figures } = setUp();
    for (const perMs of [4, 1, 7, 2]) await send(perMs, 2 * PART_MS - 1);
    await send(0, 2 * PART_MS);
    prefetch.returnUnused();
    await send(0, 2 * PART_MS);
    prefetch.returnUnused();
    expect(heldNow()).toBe(figures().spent);
  });
});

it('gives a point to the request that has asked for it, although another one comes before that request resumes', async () => {
  const { promise: reply, resolve: answer } = Promise.withResolvers<Reservation>();
  const prefetch = createPointPrefetch(() => reply, createManualClock());
  const asking = prefetch.spend('a');
  answer({ granted: 1, validMs: PART_MS, windows: [], parts: [0] });
  // At this moment the reply has been read, but the request has not resumed.
  const other = Promise.resolve().then(() => prefetch.spend('a'));
  await expect(asking).resolves.toMatchObject({ admitted: true });
  await other;
});
