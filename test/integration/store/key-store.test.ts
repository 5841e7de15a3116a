import type { KeyRecord } from '../../../src/store/key-record.ts';
import { createKeyStore } from '../../../src/store/key-store.ts';
import { createRedisKeys } from '../../../src/store/redis/redis-keys.ts';
import { startRedis, useRedis } from '../../support/redis/redis-server.ts';
import { connectRedis } from '../../support/redis/connect-redis.ts';
import { endAfterTest, startForEach } from '../../support/jest/lifetime.ts';

function recordOf(id: string, rest: Partial<KeyRecord> = {}): KeyRecord {
  const hashes = [{ hash: 'x'.repeat(43) }];
  return { id, label: '', permissions: ['users:read'], tier: 'standard', createdAt: 1, hashes, ...rest };
}

describe('the key store', () => {
  const shared = useRedis();
  const connect = () => connectRedis(shared.url);
  const connections = startForEach(() => Promise.all([connect(), connect()]));
  const storeOn = (index: number) =>
    createKeyStore(connections[index]!.client, createRedisKeys(shared.prefix));
  const client = () => connections[0].client;
  const store = startForEach(() => storeOn(0));

  const nameOf = (id: string) => createRedisKeys(shared.prefix).apiKey(id);

  it('finds what it keeps, and nothing else', async () => {
    const record = recordOf('aaaaaaaaaaaa', { expiresAt: 5, label: 'Zoë “the” CRM' });
    expect(await store.create(record)).toBe(true);
    expect(await store.find(record.id)).toEqual({ kind: 'found', record });
    expect(await store.find('bbbbbbbbbbbb')).toEqual({ kind: 'absent' });
  });

  it('never writes over the record of another key', async () => {
    await store.create(recordOf('aaaaaaaaaaaa', { label: 'first' }));
    expect(await store.create(recordOf('aaaaaaaaaaaa', { label: 'second' }))).toBe(false);
    expect(await store.find('aaaaaaaaaaaa')).toMatchObject({ record: { label: 'first' } });
  });

  it('loses no change when many are made at once over two connections', async () => {
    await store.create(recordOf('aaaaaaaaaaaa'));
    const stores = [storeOn(0), storeOn(1)];
    const add = (index: number) =>
      stores[index % 2]!.update('aaaaaaaaaaaa', (record) => ({
        ...record,
        permissions: [...record.permissions, `p${index}:read`],
      }));
    await Promise.all(Array.from({ length: 20 }, (_, index) => add(index)));
    const lookup = await store.find('aaaaaaaaaaaa');
    expect(lookup.kind === 'found' && lookup.record.permissions).toHaveLength(21);
  });

  it('changes nothing where there is no key or its record is damaged', async () => {
    const change = (record: KeyRecord) => record;
    expect(await store.update('aaaaaaaaaaaa', change)).toEqual({ kind: 'absent' });
    await client().set(nameOf('aaaaaaaaaaaa'), '{');
    expect(await store.update('aaaaaaaaaaaa', change)).toEqual({ kind: 'damaged' });
    expect(await client().get(nameOf('aaaaaaaaaaaa'))).toBe('{');
  });

  it('lists every key by id, damaged ones too, and skips an id whose record is gone', async () => {
    await store.create(recordOf('cccccccccccc'));
    await store.create(recordOf('aaaaaaaaaaaa'));
    await store.create(recordOf('bbbbbbbbbbbb'));
    await client().set(nameOf('bbbbbbbbbbbb'), 'damaged');
    await store.create(recordOf('dddddddddddd'));
    await client().del(nameOf('dddddddddddd'));
    const listed = await store.list();
    expect(listed.map(({ id, lookup }) => [id, lookup.kind])).toEqual([
      ['aaaaaaaaaaaa', 'found'],
      ['bbbbbbbbbbbb', 'damaged'],
      ['cccccccccccc', 'found'],
    ]);
  });

  it('notes for a day that a key was deleted, and nothing of one that is gone', async () => {
    for (const id of ['aaaaaaaaaaaa', 'bbbbbbbbbbbb']) await store.create(recordOf(id));
    await store.delete('aaaaaaaaaaaa');
    await client().del(nameOf('bbbbbbbbbbbb'));
    expect(await store.isDeleted('aaaaaaaaaaaa')).toBe(true);
    expect(await store.isDeleted('bbbbbbbbbbbb')).toBe(false);
    const leftMs = await client().pttl(createRedisKeys(shared.prefix).deletedApiKey('aaaaaaaaaaaa'));
    expect(Math.abs(leftMs - 86_400_000)).toBeLessThan(60_000);
  });

  it('calls a key of another type damaged, and a record that was put under another id', async () => {
    await client().rpush(nameOf('aaaaaaaaaaaa'), 'x');
    expect(await store.find('aaaaaaaaaaaa')).toEqual({ kind: 'damaged' });
    await store.create(recordOf('bbbbbbbbbbbb'));
    await client().copy(nameOf('bbbbbbbbbbbb'), nameOf('cccccccccccc'));
    expect(await store.find('cccccccccccc')).toEqual({ kind: 'damaged' });
  });
});

describe('the key store without Redis', () => {
  it('reports that Redis cannot be reached, without the arguments of the command', async () => {
    const server = await startRedis();
    const redis = endAfterTest(await connectRedis(server.url));
    const store = createKeyStore(redis.client, createRedisKeys('portico:'));
    await server.stop();
    const lookup = await store.find('aaaaaaaaaaaa');
    expect(lookup.kind).toBe('unreachable');
    expect(Object.keys(lookup.kind === 'unreachable' ? lookup.cause : {})).toEqual([]);
    await expect(store.create(recordOf('aaaaaaaaaaaa'))).rejects.toThrow();
    await expect(store.list()).rejects.toThrow();
  });
});
