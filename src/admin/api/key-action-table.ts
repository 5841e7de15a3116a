import * as z from 'zod';
import { addressRange, permission } from '../../config/schema/elements/scalars.ts';
import type { ActionSpec } from './action.ts';
import { changed, keyId as id, keyList, minted, replication, key } from './key-schemas.ts';
import { printable, reason } from './printable-text.ts';

const label = printable(0, 80).describe('Whose key it is, for lists.');
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

const pepper = z.string().max(64).describe('Shows whether two gateways have the same pepper.');
const record = z.looseObject({ id }).describe('The stored record of a key, with its hashes.');
const time = z.int().min(0).describe('Milliseconds since the epoch.');
/**
 * A file to import may come from anywhere, so its records keep the bounds of those that are made here. What else they hold is
 * dropped: nested deep enough, it would exhaust the stack of every process that it is sent to.
 */
const importable = z
  .object({
    ...{ version: z.int(), id, label, permissions, tier, createdAt: time },
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
  keys: {
    method: 'get',
    path: '/api/keys',
    role: 'viewer',
    summary: 'The API keys in Redis, without their hashes.',
    input: z.strictObject({}),
    output: keyList,
  },
  'keys.create': {
    method: 'post',
    path: '/api/keys',
    role: 'operator',
    summary: 'Makes a key. Its secret is in the answer, this once.',
    input: z.strictObject({
      ...{ label, permissions, tier: tier.optional(), expires: expires.optional() },
      ...{ addresses: addresses.optional(), operations: operations.optional(), reason },
    }),
    output: minted,
  },
  'keys.show': {
    method: 'get',
    path: '/api/keys/{id}',
    role: 'viewer',
    summary: 'One API key, without its hashes.',
    input: z.strictObject({ id }),
    output: z.strictObject({ key }),
  },
  'keys.update': {
    method: 'patch',
    path: '/api/keys/{id}',
    role: 'operator',
    summary: 'Changes what a key may do; what is absent stays. It takes effect everywhere within a second.',
    input: z.strictObject({
      id,
      ...{ label: label.optional(), permissions: permissions.optional(), tier: tier.optional() },
      ...{ expires: expires.optional(), addresses: addresses.optional(), operations: operations.optional() },
      reason,
    }),
    output: changed,
  },
  'keys.delete': {
    method: 'delete',
    path: '/api/keys/{id}',
    role: 'operator',
    summary: 'Forgets a key that is revoked or has expired.',
    input: z.strictObject({ id, reason }),
    output: z.strictObject({ deleted: z.array(id), replication }),
  },
  'keys.rotate': {
    method: 'post',
    path: '/api/keys/{id}/rotate',
    role: 'operator',
    summary: 'Gives a key a new secret. The old one works for a while; one from before that ends at once.',
    input: z.strictObject({
      id,
      overlap: span.default('24h').describe('How long the old secret works.'),
      reason,
    }),
    output: minted,
  },
  'keys.revoke': {
    method: 'post',
    path: '/api/keys/{id}/revoke',
    role: 'operator',
    summary: 'Ends a key for good, everywhere within a second.',
    input: z.strictObject({ id, reason }),
    output: changed,
  },
  'keys.prune': {
    method: 'post',
    path: '/api/key-prune',
    role: 'operator',
    summary: 'Forgets all keys that were revoked or expired some time ago.',
    input: z.strictObject({ olderThan: span.default('90d').describe('How long ago.'), reason }),
    output: z.strictObject({ deleted: z.array(id), replication }),
  },
  'keys.export': {
    method: 'post',
    path: '/api/key-export',
    role: 'operator',
    summary: 'All records with their hashes, for a backup or another Redis. No key can be made of them.',
    input: z.strictObject({ reason }),
    output: z.strictObject({ pepper, keys: z.array(record) }),
  },
  'keys.import': {
    method: 'post',
    path: '/api/key-import',
    role: 'operator',
    summary: 'Puts exported records back. An id that is there already is left as it is.',
    input: z.strictObject({ pepper, keys: z.array(importable).max(1_000), reason }),
    output: z.strictObject({ imported: z.int(), skipped: z.array(id), replication }),
  },
} as const satisfies Readonly<Record<string, ActionSpec>>;
