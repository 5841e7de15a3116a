// The specifications of the actions on API keys; src/admin/actions/keys implements them.

import * as z from 'zod';
import { addressRange, permission } from '../../config/schema/elements/scalars.ts';
import { changeAction, printable, readAction, reason } from './action.ts';
import { changed, keyId as id, keyList, minted, replication, key } from './key-schemas.ts';

const label = printable(1, 80).regex(/\S/, 'a label is not empty').describe('Whose key it is, for lists.');
const permissions = z.array(permission).max(100).describe('What the caller may read, such as users:read.');
const tier = z.string().max(40).describe('One of limits.tiers.');
const span = z.string().max(20);
const expires = span.describe('A span from now, such as 90d; or never.');
const addresses = z
  .array(addressRange)
  .max(100)
  .describe('Addresses and CIDR ranges that the key may be used from; empty: anywhere.');
const operations = z
  .array(z.string().max(60))
  .max(100)
  .describe('Operations that the key may use, such as users.list; empty: all.');
const terms = {
  ...{ label, permissions, tier: tier.optional(), expires: expires.optional() },
  ...{ addresses: addresses.optional(), operations: operations.optional() },
};

const pepper = z.string().max(64).describe('Shows whether two gateways have the same pepper.');
const record = z.looseObject({ id }).describe('The stored record of a key, with its hashes.');
const time = z.int().min(0).describe('Milliseconds since the epoch.');
/**
 * A file to import may come from anywhere, so its records have the bounds of those that are made here. Other fields are
 * dropped, because a deeply nested one would exhaust the stack of each process that it is sent to.
 */
const importable = z
  .object({
    // Earlier versions took an empty label.
    ...{ version: z.int(), id, label: printable(0, 80), permissions, tier, createdAt: time },
    ...{ expiresAt: time.optional(), revokedAt: time.optional() },
    ...{ addresses: addresses.optional(), operations: operations.optional() },
    hashes: z
      .array(z.object({ hash: z.string().max(43), validUntil: time.optional() }))
      .min(1)
      .max(10),
  })
  .describe('The stored record of a key, with its hashes, as an export has it.');

/** The actions on API keys. */
export const keySpecs = {
  keys: readAction('/api/keys', 'The API keys in Redis, without their hashes.', keyList, {}),
  'keys.create': changeAction(
    '/api/keys',
    'Makes a key. Its secret is in the answer, this once.',
    { ...terms, reason },
    minted,
  ),
  'keys.show': readAction('/api/keys/{id}', 'One API key, without its hashes.', z.strictObject({ key }), {
    id,
  }),
  'keys.update': {
    ...changeAction(
      '/api/keys/{id}',
      'Changes what a key may do; what is absent stays. It takes effect everywhere within a second.',
      { id, ...terms, label: label.optional(), permissions: permissions.optional(), reason },
      changed,
    ),
    method: 'patch',
  },
  'keys.delete': {
    ...changeAction(
      '/api/keys/{id}',
      'Forgets a key that is revoked or has expired.',
      { id, reason },
      z.strictObject({ deleted: z.array(id), replication }),
    ),
    method: 'delete',
  },
  'keys.rotate': changeAction(
    '/api/keys/{id}/rotate',
    'Gives a key a new secret. The old one works for a while; one from before that ends at once.',
    { id, overlap: span.default('24h').describe('How long the old secret works.'), reason },
    minted,
  ),
  'keys.revoke': changeAction(
    '/api/keys/{id}/revoke',
    'Ends a key for good, everywhere within a second.',
    { id, reason },
    changed,
  ),
  'keys.prune': changeAction(
    '/api/key-prune',
    'Forgets all keys that were revoked or expired some time ago.',
    { olderThan: span.default('90d').describe('How long ago.'), reason },
    z.strictObject({ deleted: z.array(id), replication }),
  ),
  'keys.export': changeAction(
    '/api/key-export',
    'All records with their hashes, for a backup or another Redis. No key can be made of them.',
    { reason },
    z.strictObject({ pepper, keys: z.array(record) }),
  ),
  'keys.import': changeAction(
    '/api/key-import',
    'Puts exported records back. An id that is there already is left as it is.',
    { pepper, keys: z.array(importable).max(1_000), reason },
    z.strictObject({ imported: z.int(), skipped: z.array(id), replication }),
  ),
} as const;
