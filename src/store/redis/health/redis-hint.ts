// Explains errors of Redis to operators: what the error means and what to do.

/** The hint for each error that operators can repair, found by the first word of the message or by its code. */
const HINTS: readonly (readonly [pattern: RegExp, hint: string])[] = [
  [
    /^OOM\b/,
    'Redis is full and may evict nothing: raise its maxmemory, or set the maxmemory-policy that fits its roles (config/docs/operate.md, Redis roles)',
  ],
  [
    /^READONLY\b/,
    'this is a replica, which takes no writes: name the master, or the sentinels that know it (redis.sentinel)',
  ],
  [
    /^NOAUTH\b/,
    'Redis asks for a password: write it into the URL (redis://user:password@host:6379), or into redis.password beside cluster or sentinel',
  ],
  [/^WRONGPASS\b/, 'the user or the password is wrong: compare it with ACL LIST of Redis'],
  [/^ERR AUTH\b/, 'Redis has no such password: take it out of the configuration, or set requirepass'],
  [
    /^NOPERM\b/,
    'the user of Redis lacks a right: config/docs/operate.md, Redis users, has the rights of each role',
  ],
  [/^LOADING\b/, 'Redis has just started and reads its data: it is used as soon as it has'],
  [
    /^MISCONF\b/,
    'Redis cannot write to its disk and so takes no writes: make room there, and look at the log of Redis',
  ],
  [/^MASTERDOWN\b/, 'this replica has lost its master: bring the master back, or name sentinels'],
  [/^NOREPLICAS\b/, 'Redis has too few replicas (min-replicas-to-write): bring them back'],
  [
    /^CLUSTERDOWN\b/,
    'the cluster has no master for some keys: CLUSTER INFO of Redis says for how many slots',
  ],
  [
    /^BUSY\b/,
    'a script of somebody else keeps Redis busy: SCRIPT KILL ends it; give Portico a Redis of its own',
  ],
  [/max number of clients/, 'Redis has as many connections as it may: raise its maxclients'],
  [
    /\bWRONGTYPE\b/,
    'somebody else writes under the prefix of Portico: give it one of its own (redis.prefix)',
  ],
  [/\bECONNREFUSED\b/, 'nothing listens at that address: start Redis there, or correct the address'],
  [
    /\bE(?:NOTFOUND|AI_AGAIN)\b/,
    'the name of the host is not known here: correct the address, or look at DNS',
  ],
  [/certificate/i, 'the certificate of Redis is not trusted: name its authority in redis.tls.ca'],
];

/** What an error message of Redis or of its connection means, and what to do; `undefined` if the message is not known. */
export function redisHint(message: string): string | undefined {
  return HINTS.find(([pattern]) => pattern.test(message))?.[1];
}
