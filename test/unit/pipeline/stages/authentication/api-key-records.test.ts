import { createKeyRecords } from '../../../../../src/pipeline/stages/authentication/api-key-records.ts';
import type { KeyRecord } from '../../../../../src/store/key-record.ts';
import type { KeyLookup } from '../../../../../src/store/key-store.ts';
import { createManualClock } from '../../../../support/time/manual-clock.ts';

const record: KeyRecord = {
  id: 'abcdefghijkl',
  label: '',
  permissions: ['users:read'],
  tier: 'standard',
  createdAt: 0,
  hashes: [{ hash: 'x'.repeat(43) }],
};
const unreachable: KeyLookup = { kind: 'unreachable', cause: new Error('down') };

/** A Redis whose answer the test sets, and that counts how often it is asked. */
function createStore() {
  const store = {
    answer: { kind: 'found', record } as KeyLookup,
    asked: 0,
    isDeleted: () => Promise.resolve(false),
    find: (_id: string) => {
      store.asked += 1;
      return Promise.resolve(structuredClone(store.answer));
    },
  };
  return store;
}

function setUp() {
  const store = createStore();
  const clock = createManualClock();
  return { store, clock, records: createKeyRecords({ store, clock }) };
}

const id = record.id;
/** Lets what runs in the background finish. */
const settled = () => new Promise(setImmediate);

describe('local knowledge of a key', () => {
  it('asks once for many callers at a time, and not again while it is fresh', async () => {
    const { store, clock, records } = setUp();
    await Promise.all(Array.from({ length: 100 }, () => records.current(id)));
    clock.advance(399);
    expect((await records.current(id))?.record).toEqual(record);
    expect(store.asked).toBe(1);
  });

  it('checks again in the background from 400 ms on, without making the caller wait', async () => {
    const { store, clock, records } = setUp();
    const held = await records.current(id);
    clock.advance(400);
    expect(held?.isFresh()).toBe(true);
    expect(store.asked).toBe(2);
    await settled();
    clock.advance(399);
    expect(held?.isFresh()).toBe(true);
    expect(store.asked).toBe(2);
  });

  it('may serve for a minute after the last check that found a key, and not before the first', async () => {
    const { store, clock, records } = setUp();
    const before = records.canServe();
    await records.current(id);
    store.answer = unreachable;
    clock.advance(60_000);
    const within = records.canServe();
    clock.advance(1);
    expect([before, within, records.canServe()]).toEqual([false, true, false]);
  });

  it('is not fresh from 900 ms on, and waits for the check', async () => {
    const { store, clock, records } = setUp();
    const held = await records.current(id);
    clock.advance(900);
    expect(held?.isFresh()).toBe(false);
    store.answer = { kind: 'absent' };
    expect(await records.current(id)).toBeUndefined();
    expect(held?.record).toBeUndefined();
  });

  it('counts the age from when Redis was asked, not from when it answered', async () => {
    const { clock } = setUp();
    const answers: ((lookup: KeyLookup) => void)[] = [];
    const records = createKeyRecords({
      store: { ...createStore(), find: () => new Promise((resolve) => answers.push(resolve)) },
      clock,
    });
    const asked = records.current(id);
    clock.advance(900);
    answers[0]?.({ kind: 'found', record });
    expect((await asked)?.isFresh()).toBe(false);
  });

  it('keeps an unchanged record as the same object, so that it need not be judged again', async () => {
    const { clock, records } = setUp();
    const before = (await records.current(id))?.record;
    clock.advance(900);
    expect((await records.current(id))?.record).toBe(before);
  });

  it('takes up a changed record', async () => {
    const { store, clock, records } = setUp();
    const held = await records.current(id);
    store.answer = { kind: 'found', record: { ...record, revokedAt: 1 } };
    clock.advance(400);
    expect(held?.isFresh()).toBe(true);
    await settled();
    expect(held?.record?.revokedAt).toBe(1);
  });

  it('serves for 60 s after the last successful check while Redis is out of reach, then answers 503', async () => {
    const { store, clock, records } = setUp();
    await records.current(id);
    store.answer = unreachable;
    clock.advance(60_000);
    expect((await records.current(id))?.record).toEqual(record);
    clock.advance(1);
    await expect(records.current(id)).rejects.toMatchObject({ code: 'upstream_unavailable' });
  });

  it('is fresh again once Redis is back', async () => {
    const { store, clock, records } = setUp();
    const held = await records.current(id);
    store.answer = unreachable;
    clock.advance(30_000);
    await records.current(id);
    store.answer = { kind: 'found', record };
    await records.current(id);
    expect(held?.isFresh()).toBe(true);
  });

  it('answers 503 for an unknown key while Redis is out of reach, and asks again afterwards', async () => {
    const { store, records } = setUp();
    store.answer = unreachable;
    await expect(records.current(id)).rejects.toMatchObject({ code: 'upstream_unavailable', status: 503 });
    store.answer = { kind: 'found', record };
    expect((await records.current(id))?.record).toEqual(record);
  });

  it('answers 503 for a damaged record, even when a whole one was known before', async () => {
    const { store, clock, records } = setUp();
    await records.current(id);
    store.answer = { kind: 'damaged' };
    clock.advance(900);
    await expect(records.current(id)).rejects.toMatchObject({ code: 'upstream_unavailable' });
  });

  it('remembers for less than a second that there is no such key', async () => {
    const { store, clock, records } = setUp();
    store.answer = { kind: 'absent' };
    for (let round = 0; round < 50; round += 1) expect(await records.current(id)).toBeUndefined();
    expect(store.asked).toBe(1);
    store.answer = { kind: 'found', record };
    clock.advance(900);
    expect((await records.current(id))?.record).toEqual(record);
  });
});
