import { setTimeout as delay } from 'node:timers/promises';
import { createBoundedMap } from '../../../../src/store/memory/bounded-map.ts';

const sized = (size: number) => ({ size });
const mapOf = (sizeMax: number) => createBoundedMap<{ size: number }>(sizeMax, (value) => value.size);

describe('a bounded map', () => {
  it('holds what it is given, up to the sum of the sizes', () => {
    const map = mapOf(10);
    for (const key of ['a', 'b', 'c']) map.set(key, sized(3), 60_000);
    expect([map.size, map.entries]).toEqual([9, 3]);
    map.set('d', sized(4), 60_000);
    expect(map.size).toBeLessThanOrEqual(10);
    expect(map.get('d')).toEqual(sized(4));
  });

  it('evicts the expired entries, and no others, on evictExpired', async () => {
    const map = mapOf(10);
    map.set('brief', sized(3), 1);
    map.set('long', sized(3), 60_000);
    await delay(20);
    expect(map.entries).toBe(2);
    map.evictExpired();
    expect([map.size, map.entries]).toEqual([3, 1]);
    expect(map.get('long')).toBeDefined();
  });

  it('lets the least recently used go first', () => {
    const map = mapOf(3);
    for (const key of ['a', 'b', 'c']) map.set(key, sized(1), 60_000);
    map.get('a');
    map.set('d', sized(1), 60_000);
    expect(['a', 'b', 'c', 'd'].filter((key) => map.get(key) !== undefined)).toEqual(['a', 'c', 'd']);
  });

  it('does not store an entry above its bound, and evicts none for it', () => {
    const map = mapOf(10);
    map.set('a', sized(5), 60_000);
    map.set('big', sized(11), 60_000);
    expect(map.get('big')).toBeUndefined();
    expect(map.get('a')).toBeDefined();
  });

  it('never holds more than its bound, whatever the sizes', () => {
    const map = mapOf(50);
    for (let i = 0; i < 1_000; i += 1) {
      map.set(`k${i % 37}`, sized((i * 7) % 60), 60_000);
      expect(map.size).toBeLessThanOrEqual(50);
    }
  });

  it('counts entries that take no room, so that there is an end to them', () => {
    const map = mapOf(10);
    for (let i = 0; i < 100; i += 1) map.set(`k${i}`, sized(0), 60_000);
    expect(map.entries).toBe(10);
  });

  it.each([0, -1, -0.5])('keeps nothing for %i ms', (ttlMs) => {
    const map = mapOf(10);
    map.set('a', sized(1), ttlMs);
    expect(map.get('a')).toBeUndefined();
  });

  it('forgets replaced, deleted and cleared entries', () => {
    const map = mapOf(10);
    map.set('a', sized(5), 60_000);
    map.set('a', sized(2), 60_000);
    expect(map.size).toBe(2);
    map.delete('a');
    expect([map.get('a'), map.size]).toEqual([undefined, 0]);
    map.set('b', sized(1), 60_000);
    map.clear();
    expect(map.entries).toBe(0);
  });
});
