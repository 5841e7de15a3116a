// The schema of `redis`: the addresses of Redis, and the role that each of several Redis servers can have.

import * as z from 'zod';
import { Secret } from '../../kernel/secret.ts';
import { hostAndPort, redisUrl, secret, timeLimit } from './elements/scalars.ts';

/** The address of a Redis (one server, a cluster, or sentinels) and its credentials. */
const address = {
  url: redisUrl
    .transform((text) => (text === '' ? undefined : new Secret(text)))
    .optional()
    .describe('One server. Without it, `cluster` and `sentinel`: everything in this process.'),
  cluster: z
    .array(hostAndPort)
    .min(1)
    .optional()
    .describe(
      'Nodes of a Redis Cluster; the others are learned from them. Name several, in case one is down.',
    ),
  sentinel: z
    .strictObject({
      name: z.string().min(1).max(200).describe('The name of the master among the sentinels.'),
      nodes: z.array(hostAndPort).min(1).describe('The sentinels. Name several, in case one is down.'),
      username: z.string().min(1).optional().describe('The user that the sentinels ask for.'),
      password: secret.optional().describe('The password that the sentinels ask for.'),
    })
    .optional()
    .describe('Sentinels, which know the master.'),
  username: z
    .string()
    .min(1)
    .optional()
    .describe('The user (ACL) for `cluster` and `sentinel`; with `url` it stands there.'),
  password: secret
    .optional()
    .describe('The password for `cluster` and `sentinel`; with `url` it stands there.'),
  tls: z
    .strictObject({
      ca: z.string().min(1).optional().describe('The authority to trust, PEM; absent: those of the system.'),
      serverName: z
        .string()
        .min(1)
        .optional()
        .describe('The name that the certificates must be made out to.'),
    })
    .optional()
    .describe(
      'Present, even empty: connections to all nodes and sentinels are TLS; with `url`, write rediss://.',
    ),
};

const commandTimeout =
  'How long a command may take; then Redis counts as gone. Time in which Portico itself stood still does not count.';
const connectTimeout = 'How long connecting may take.';

/** A Redis for one role. A setting that is left out is taken from `redis`. */
const role = z.strictObject({
  ...address,
  commandTimeout: timeLimit.optional().describe(`${commandTimeout} Absent: as \`redis.commandTimeout\`.`),
  connectTimeout: timeLimit.optional().describe(`${connectTimeout} Absent: as \`redis.connectTimeout\`.`),
});

/** The roles of Redis. Each role has other needs, so each may have a server of its own. */
export const redisRoles = ['keys', 'limits', 'cache'] as const;

/**
 * What a Redis is used for: `keys` has data that must not be lost (API keys, the audit, states of migrations), `limits` has
 * counters, and `cache` has data that can be made again.
 */
export type RedisRole = (typeof redisRoles)[number];

/** The addresses of Redis, for everything or by role, and its timeouts. */
export const redis = z.strictObject({
  ...address,
  prefix: z
    .string()
    .regex(/^[A-Za-z0-9:_-]{1,40}$/)
    .default('portico:')
    .describe('What every key in Redis starts with: 1 to 40 letters, digits, `:`, `_` and `-`.'),
  commandTimeout: timeLimit.default(100).describe(commandTimeout),
  connectTimeout: timeLimit.default(500).describe(connectTimeout),
  keys: role
    .optional()
    .describe(
      'The Redis of API keys, where it is not that of the rest: one that evicts nothing and writes to disk.',
    ),
  limits: role
    .optional()
    .describe(
      'The Redis of what is counted: requests of callers, wrong credentials, `net.requestsPerSecond` of sources.',
    ),
  cache: role
    .optional()
    .describe(
      'The Redis of what can be made again: finished answers, rows of scans, places of walks, who fills and scans, what was purged, and which claims are disabled.',
    ),
});

/**
 * `redis` with its defaults, times in milliseconds. If neither `redis` nor a role has an address, the role works without
 * Redis.
 */
export type RedisConfig = z.infer<typeof redis>;

/**
 * `redis.keys`, `redis.limits` or `redis.cache`. A role without an address of its own uses that of `redis`, but keeps its
 * own timeouts.
 */
export type RedisRoleConfig = z.infer<typeof role>;

/** Whether an address of a Redis is configured. */
export function hasAddress({ url, cluster, sentinel }: RedisConfig | RedisRoleConfig): boolean {
  return (url ?? cluster ?? sentinel) !== undefined;
}

/** Whether limits and purges are shared through Redis, so that several processes act as one gateway. */
export function sharesWork(redis: RedisConfig): boolean {
  return [redis.limits, redis.cache].every((own) => hasAddress(own ?? {}) || hasAddress(redis));
}
