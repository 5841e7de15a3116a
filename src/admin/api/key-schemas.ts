// The schemas of what the actions on API keys answer. They import nothing of Node, because the page of the console reads
// their types.

import * as z from 'zod';
import { matching, utcTime, type Parsed } from './action.ts';

/** The id of a key. */
export const keyId = matching(/^[a-z0-9]{6,32}$/, 'the part between the underscores of a key').describe(
  'The part between the underscores of the key.',
);

/** A key without its secret. */
export const key = z.strictObject({
  id: keyId,
  label: z.string(),
  state: z.enum(['valid', 'expired', 'revoked']),
  permissions: z.array(z.string()),
  tier: z.string(),
  addresses: z.array(z.string()).optional().describe('Absent: from anywhere.'),
  operations: z.array(z.string()).optional().describe('Absent: all.'),
  createdAt: utcTime,
  expiresAt: utcTime.optional(),
  revokedAt: utcTime.optional(),
  lastUsedAt: utcTime.optional().describe('To the minute; absent: not used, as far as Redis knows.'),
  secrets: z.int().describe('How many secrets work: two for a while after a rotation.'),
  oldSecretUntil: utcTime.optional().describe('Until when the secret of before the last rotation works.'),
});
/** The answer of `keys`. */
export const keyList = z.strictObject({
  keys: z.array(key),
  damaged: z.array(z.string()).describe('Keys whose record cannot be read; their callers get 503.'),
});

/** The type of the answer of `keys`. */
export type KeyList = Parsed<typeof keyList>;

/** How safe a change is. */
export const replication = z
  .enum(['kept', 'alone', 'unsure'])
  .describe(
    'Whether the change outlives the Redis that took it: a replica has it (kept), there is no replica (alone), or none has acknowledged it within a second (unsure).',
  );
/** The answer of an action that has changed a key. */
export const changed = z.strictObject({ key, replication });
/** The answer of an action that has made a secret. */
export const minted = changed.extend({
  secret: z.string().describe('The whole key. It is not shown again.'),
});
