// Creates, rotates, revokes and changes API keys in Redis, for `portico keys` and the operator's API.

import type { Secret } from '../../../kernel/secret.ts';
import { hashApiKey, newApiKey, newKeyId } from './api-key.ts';
import type { KeyRecord } from '../../../store/key-record.ts';
import type { KeyLookup, KeyStore } from '../../../store/key-store.ts';

/** A new key and its record. The key itself is secret and never stored; only the record is. */
export type MintedKey = { readonly key: string; readonly record: KeyRecord };

/** The properties of a new key that an operator chooses. */
export type KeyTerms = Pick<KeyRecord, 'label' | 'permissions' | 'tier' | 'addresses' | 'operations'> & {
  readonly expiresInMs?: number;
};

/** The error if a key cannot be changed: there is none, its record is damaged, or its state does not allow it. */
export class KeyChangeError extends Error {
  readonly kind: 'absent' | 'damaged' | 'conflict';

  constructor(kind: KeyChangeError['kind'], message: string) {
    super(message);
    this.name = 'KeyChangeError';
    this.kind = kind;
  }
}

/** Makes a new key and its record, without storing them. `now` is in milliseconds since the epoch. */
export function mintKey(pepper: Secret, now: number, { expiresInMs, ...terms }: KeyTerms): MintedKey {
  const id = newKeyId();
  const key = newApiKey(id);
  const expiry = expiresInMs === undefined ? {} : { expiresAt: now + expiresInMs };
  return {
    key,
    record: { id, ...terms, createdAt: now, ...expiry, hashes: [{ hash: hashApiKey(pepper, key) }] },
  };
}

/** Stores the record of a new key. If its id is taken, it makes another key. */
export async function createKey(store: KeyStore, mint: () => MintedKey): Promise<MintedKey> {
  for (;;) {
    const made = mint();
    if (await store.create(made.record)) return made;
  }
}

/**
 * Gives a key a new secret under the same id, so that limits and permissions stay. The current secret still works for
 * `overlapMs`. An older one ends at once, so at most two secrets are valid. @throws KeyChangeError
 */
export async function rotateKey(
  store: KeyStore,
  id: string,
  pepper: Secret,
  now: number,
  overlapMs: number,
): Promise<MintedKey> {
  const key = newApiKey(id);
  const hash = hashApiKey(pepper, key);
  const record = await changeKey(store, id, (before) => {
    if (before.revokedAt !== undefined)
      throw new KeyChangeError('conflict', `key ${id} is revoked; create a new one`);
    const [current] = before.hashes;
    const old =
      current === undefined || overlapMs === 0 ? [] : [{ hash: current.hash, validUntil: now + overlapMs }];
    return { ...before, hashes: [{ hash }, ...old] };
  });
  return { key, record };
}

/** Revokes a key for ever. A key that was revoked already keeps its date. @throws KeyChangeError */
export async function revokeKey(store: KeyStore, id: string, now: number): Promise<KeyRecord> {
  return changeKey(store, id, (record) => ({ ...record, revokedAt: record.revokedAt ?? now }));
}

/** Changes the record of a key. `change` runs again if another process changed it meanwhile. @throws KeyChangeError */
export async function changeKey(
  store: KeyStore,
  id: string,
  change: (record: KeyRecord) => KeyRecord,
): Promise<KeyRecord> {
  return recordOf(id, await store.update(id, change));
}

/** Finds the record of a key. @throws KeyChangeError if there is none, or it is damaged */
export async function findKey(store: Pick<KeyStore, 'find'>, id: string): Promise<KeyRecord> {
  return recordOf(id, await store.find(id));
}

function recordOf(id: string, lookup: KeyLookup): KeyRecord {
  switch (lookup.kind) {
    case 'found':
      return lookup.record;
    case 'absent':
      throw new KeyChangeError('absent', `no key in Redis has the id ${id}`);
    case 'damaged':
      throw new KeyChangeError('damaged', `the record of key ${id} is damaged`);
    case 'unreachable':
      throw lookup.cause;
  }
}
