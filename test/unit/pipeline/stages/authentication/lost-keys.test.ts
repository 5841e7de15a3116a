import { createLostKeys } from '../../../../../src/pipeline/stages/authentication/lost-keys.ts';
import type { KeyRecord } from '../../../../../src/store/key-record.ts';
import { createManualClock } from '../../../../support/time/manual-clock.ts';

const record: KeyRecord = {
  ...{ id: 'abcdefghijkl', label: '', permissions: [], tier: 'standard', createdAt: 0 },
  hashes: [{ hash: 'x'.repeat(43) }],
};
const ABSENT = { kind: 'absent' } as const;
/** When a key was last found, if every key is found all the time but for the lost ones. */
const OTHERS = Infinity;

function setUp(deleted: readonly string[] = []) {
  const clock = createManualClock();
  clock.advance(1_000);
  const isDeleted = (id: string) => Promise.resolve(deleted.includes(id));
  const keys = createLostKeys({ isDeleted }, clock);
  const lose = (...ids: readonly string[]) =>
    Promise.all(ids.map((id) => keys.note(id, ABSENT, { ...record, id })));
  return { clock, keys, lose };
}

describe('the Redis of keys has lost its data', () => {
  it('if two known keys vanish within a minute, since the first of them', async () => {
    const { clock, keys, lose } = setUp();
    await lose('one');
    const since = clock.now();
    clock.advance(40_000);
    await lose('two');
    expect(keys.loss(OTHERS)).toEqual({ since, count: 2 });
  });

  it('if no key is found any more for five seconds', async () => {
    const { clock, keys, lose } = setUp();
    await lose('one');
    clock.advance(4_999);
    expect(keys.loss(500)).toBeUndefined();
    clock.advance(1);
    expect(keys.loss(500)).toMatchObject({ count: 1 });
  });

  it('not if one key is gone, nor two with more than a minute between them', async () => {
    const { clock, keys, lose } = setUp();
    await lose('one');
    clock.advance(50_000);
    expect(keys.loss(OTHERS)).toBeUndefined();
    keys.get('one')!.usedAt = clock.monotonic();
    clock.advance(10_001);
    await lose('two');
    expect(keys.loss(OTHERS)).toBeUndefined();
  });

  it.each<[string, Partial<KeyRecord>, readonly string[]]>([
    ['deleted', {}, ['one', 'two']],
    ['revoked before', { revokedAt: 1 }, []],
    ['expired before', { expiresAt: 1 }, []],
  ])('not if the keys were %s', async (_, more, deleted) => {
    const { keys } = setUp(deleted);
    for (const id of ['one', 'two']) await keys.note(id, ABSENT, { ...record, id, ...more });
    expect([keys.get('one'), keys.loss(OTHERS)]).toEqual([undefined, undefined]);
  });

  it('not if they were never known here', async () => {
    const { keys } = setUp();
    for (const id of ['one', 'two']) await keys.note(id, ABSENT, undefined);
    expect(keys.loss(OTHERS)).toBeUndefined();
  });

  it('no more once the keys are found again', async () => {
    const { keys, lose } = setUp();
    await lose('one', 'two', 'three');
    for (const id of ['one', 'two']) await keys.note(id, { kind: 'found', record }, undefined);
    expect(keys.loss(OTHERS)).toBeUndefined();
  });

  it('no more once nobody has used the lost keys for a minute, as their owners have others', async () => {
    const { clock, keys, lose } = setUp();
    await lose('one', 'two');
    clock.advance(60_000);
    expect(keys.loss(OTHERS)).toMatchObject({ count: 2 });
    clock.advance(1);
    expect(keys.loss(OTHERS)).toBeUndefined();
  });
});
