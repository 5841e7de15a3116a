import { createSlots } from '../../../../src/migration/shadow/slots.ts';

describe('the slots of comparisons', () => {
  it('go to who waits before they go to who is offered one', async () => {
    const slots = createSlots(1);
    const { signal } = new AbortController();
    expect(slots.enter()).toBe(true);
    const waiting = slots.waitToEnter(signal);
    slots.leave();
    expect([slots.enter(), await waiting, slots.taken]).toEqual([false, true, 1]);
    slots.leave();
    expect([slots.taken, slots.enter()]).toEqual([0, true]);
  });

  it('are not taken by who has given up waiting', async () => {
    const slots = createSlots(1);
    const giving = new AbortController();
    slots.enter();
    const waiting = slots.waitToEnter(giving.signal);
    giving.abort();
    expect(await waiting).toBe(false);
    slots.leave();
    expect(slots.taken).toBe(0);
  });
});
