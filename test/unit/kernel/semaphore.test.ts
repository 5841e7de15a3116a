import { createSemaphore } from '../../../src/kernel/semaphore.ts';

describe('the permits of a semaphore', () => {
  it('go to who waits before they go to who is offered one', async () => {
    const slots = createSemaphore(1);
    const { signal } = new AbortController();
    expect(slots.tryAcquire()).toBe(true);
    const waiting = slots.acquire(signal);
    slots.release();
    expect([slots.tryAcquire(), await waiting, slots.taken]).toEqual([false, true, 1]);
    slots.release();
    expect([slots.taken, slots.tryAcquire()]).toEqual([0, true]);
  });

  it('are not taken by who has given up waiting', async () => {
    const slots = createSemaphore(1);
    const giving = new AbortController();
    slots.tryAcquire();
    const waiting = slots.acquire(giving.signal);
    giving.abort();
    expect(await waiting).toBe(false);
    slots.release();
    expect(slots.taken).toBe(0);
  });

  it('are not used for work whose signal has aborted meanwhile', async () => {
    const slots = createSemaphore(1);
    const giving = new AbortController();
    slots.tryAcquire();
    const work = slots.run(() => Promise.resolve('done'), giving.signal);
    giving.abort('given up');
    await expect(work).rejects.toBe('given up');
    slots.release();
    expect(slots.taken).toBe(0);
  });
});
