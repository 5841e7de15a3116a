import { problemText } from '../../../src/config/yaml/problem.ts';
import { type RedisProfile, redisProfile, redisProfiles } from '../../../src/store/redis/redis-profile.ts';
import { changed, gatewayText, loadTexts } from '../../support/gateway/config-texts.ts';

const withRedis = (text: string, workers = '1') =>
  changed(changed(gatewayText, '${WORKERS:-1}', workers), '  url: ${REDIS_URL:-}', text);

function problemsOf(text: string, workers?: string): string[] {
  return loadTexts({ gateway: withRedis(text, workers) }).problems.map(problemText);
}

function redisOf(text: string, variables: Readonly<Record<string, string>> = {}) {
  const { config, problems } = loadTexts({ gateway: withRedis(text), variables });
  expect(problems).toEqual([]);
  return config.gateway!.redis;
}

const urlOf = (profile: RedisProfile | undefined) => (profile && 'url' in profile ? profile.url : undefined);

describe('the Redis of a role', () => {
  it('is the main one if it has no settings, on one connection', () => {
    const [all, ...others] = redisProfiles(redisOf('  url: redis://a'));
    expect(others).toEqual([]);
    expect([urlOf(all?.profile), all?.roles]).toEqual(['redis://a', ['keys', 'limits', 'cache']]);
  });

  it('is its own if it has settings, and roles with equal settings share a connection', () => {
    const redis = redisOf(
      '  url: redis://a\n  keys: { url: redis://b }\n  limits: { url: redis://c }\n  cache: { url: redis://b }',
    );
    const found = redisProfiles(redis).map(({ profile, roles }) => [urlOf(profile), ...roles]);
    expect(found).toEqual([
      ['redis://b', 'keys', 'cache'],
      ['redis://c', 'limits'],
    ]);
  });

  it('takes over no credentials of the main Redis, but its timeouts unless it has its own', () => {
    const redis = redisOf(
      '  cluster: ["a:1"]\n  username: u\n  password: p\n  tls: {}\n  commandTimeout: 70ms\n  cache: { cluster: ["b:1"], connectTimeout: 2s }',
    );
    expect(redisProfile(redis, 'cache')).toEqual({
      cluster: [{ host: 'b', port: 1 }],
      access: {},
      commandTimeoutMs: 70,
      connectTimeoutMs: 2_000,
    });
    expect(redisProfile(redis, 'keys')).toMatchObject({ access: { username: 'u', password: 'p', tls: {} } });
  });

  it('may be that of the rest with times of its own, over a connection of its own', () => {
    const redis = redisOf('  url: redis://a\n  cache: { commandTimeout: 20ms }');
    expect(urlOf(redisProfile(redis, 'cache'))).toBe('redis://a');
    expect(redisProfiles(redis).map(({ roles }) => roles)).toEqual([['keys', 'limits'], ['cache']]);
  });

  it('is the main one if its address comes from an unset variable', () => {
    const text = '  url: redis://a\n  cache: { url: "${CACHE_URL:-}" }';
    expect(urlOf(redisProfile(redisOf(text), 'cache'))).toBe('redis://a');
    expect(urlOf(redisProfile(redisOf(text, { CACHE_URL: 'redis://b' }), 'cache'))).toBe('redis://b');
  });

  it('may be the only one: the rest is in the process', () => {
    const redis = redisOf('  keys: { url: redis://a }');
    expect(redisProfiles(redis).map(({ roles }) => roles)).toEqual([['keys']]);
  });

  it('is checked like that of the rest', () => {
    expect(
      problemsOf('  cache: { url: redis://a, cluster: ["a:1"] }\n  keys: { url: redis://a, tls: {} }'),
    ).toEqual([
      expect.stringContaining('redis.keys.tls: redis.keys.url does not use TLS'),
      expect.stringContaining('redis.cache.cluster: redis.cache.url already names the Redis'),
    ]);
    expect(problemsOf('  limits: { password: x }')).toEqual([
      expect.stringContaining('password is only for redis.limits.cluster and redis.limits.sentinel'),
    ]);
    expect(problemsOf('  limits: { prefix: x }')).toEqual([expect.stringContaining('redis.limits.prefix')]);
  });

  it('of limits and that of the cache make several workers one gateway', () => {
    const several = (text: string) => problemsOf(text, '2').length;
    expect(several('  keys: { url: redis://a }')).toBe(1);
    expect(several('  keys: { url: redis://a }\n  limits: { url: redis://a }')).toBe(1);
    expect(several('  limits: { url: redis://a }\n  cache: { url: redis://b }')).toBe(0);
  });
});
