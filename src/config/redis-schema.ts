import { z } from 'zod';
import { Secret } from '../kernel/secret.ts';
import { hostAndPort, redisUrl, secret, timeLimit } from './scalars.ts';

/** Where Redis is: one server, a cluster, or behind sentinels; and how long it may take. */
export const redis = z.strictObject({
  url: redisUrl
    .transform((text) => (text === '' ? undefined : new Secret(text)))
    .optional()
    .describe(
      'One server. Without it, `cluster` and `sentinel`: the embedded mode, everything in this process.',
    ),
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
    .describe('Sentinels, who know which server is the master.'),
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
  prefix: z
    .string()
    .regex(/^[A-Za-z0-9:_-]{1,40}$/)
    .default('portico:')
    .describe('What every key in Redis starts with: 1 to 40 letters, digits, `:`, `_` and `-`.'),
  commandTimeout: timeLimit.default(100).describe('How long a command may take; then Redis counts as gone.'),
  connectTimeout: timeLimit.default(500).describe('How long connecting may take.'),
});
