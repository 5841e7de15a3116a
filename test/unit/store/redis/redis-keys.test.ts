import { redis as redisSchema } from '../../../../src/config/schema/redis.ts';
import { createRedisKeys } from '../../../../src/store/redis/redis-keys.ts';

const keys = createRedisKeys('portico:');

/** What decides the slot of a key in a Redis Cluster: the text in its first braces, or else all of it. */
function hashTagOf(key: string): string {
  return /\{([^}]+)\}/.exec(key)?.[1] ?? key;
}

describe('the slots of keys in a Redis Cluster', () => {
  it.each([
    ['one answer', ['value', 'lock'].map((part) => keys.cache('an-answer', part))],
    ['one scan', ['lock', 'fence', 'now'].map((part) => keys.scanCache('a-scan', part))],
    ['the purges', ['head', 'tags', 'notes'].map((part) => keys.purges(part))],
    ['the migrations', ['changed', 'users'].map((part) => keys.migration(part))],
  ])('are one for the parts of %s, which one script asks', (_, parts) => {
    expect(new Set(parts.map(hashTagOf)).size).toBe(1);
  });

  it('are one for the counts of a caller in all tiers, and others for other callers', () => {
    const slotOf = (tier: string, subject: string) =>
      hashTagOf(keys.tierCounts(tier, [{ points: 20, seconds: 1 }], subject));
    expect(slotOf('standard', 'key:ada')).toBe(slotOf('partner', 'key:ada'));
    expect(slotOf('standard', 'key:ada')).not.toBe(slotOf('standard', 'key:bob'));
  });

  it('are others for the records of other keys, and for other answers', () => {
    expect(hashTagOf(keys.apiKey('ada'))).not.toBe(hashTagOf(keys.apiKey('bob')));
    expect(hashTagOf(keys.cache('one', 'value'))).not.toBe(hashTagOf(keys.cache('two', 'value')));
  });

  it('cannot all become one by a prefix with braces', () => {
    expect(redisSchema.safeParse({ prefix: '{portico}:' }).success).toBe(false);
    expect(redisSchema.safeParse({ prefix: 'portico:' }).success).toBe(true);
  });
});
