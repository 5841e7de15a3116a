import { redisHint } from '../../../../src/store/redis/health/redis-hint.ts';

describe('the hint beside a message of Redis', () => {
  it.each([
    ["OOM command not allowed when used memory > 'maxmemory'.", 'maxmemory'],
    ["READONLY You can't write against a read only replica.", 'master'],
    ['NOAUTH Authentication required.', 'password'],
    ['WRONGPASS invalid username-password pair or user is disabled.', 'ACL LIST'],
    ["NOPERM this user has no permissions to run the 'eval' command", 'right'],
    ['LOADING Redis is loading the dataset in memory', 'reads its data'],
    ['MISCONF Redis is configured to save RDB snapshots, but cannot persist on disk', 'disk'],
    ["MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'.", 'master'],
    ['NOREPLICAS Not enough good replicas to write.', 'min-replicas-to-write'],
    ['CLUSTERDOWN The cluster is down', 'CLUSTER INFO'],
    ['BUSY Redis is busy running a script.', 'SCRIPT KILL'],
    ['ERR max number of clients reached', 'maxclients'],
    ['WRONGTYPE Operation against a key holding the wrong kind of value', 'redis.prefix'],
    ['connect ECONNREFUSED 127.0.0.1:6379', 'start Redis'],
    ['getaddrinfo ENOTFOUND redis', 'DNS'],
    ['self-signed certificate in certificate chain', 'redis.tls.ca'],
  ])('says what to do at "%s"', (message, word) => {
    expect(redisHint(message)).toContain(word);
  });

  it('is left out where nothing is known', () => {
    expect(redisHint('the connection was closed')).toBeUndefined();
  });
});
