import type { Secret } from '../../../kernel/secret.ts';
import { hashApiKey, newApiKey, newKeyId } from './api-key.ts';
import type { KeyRecord } from '../../../store/key-record.ts';
import type { KeyLookup, KeyStore } from '../../../store/key-store.ts';

/** A key and its record. The key is the secret itself; only the record is kept. */
export type MintedKey = { readonly key: string; readonly record: KeyRecord };

/** What an operator decides about a new key. */
export type KeyTerms = Pick<KeyRecord, 'label' | 'permissions' | 'tier' | 'addresses' | 'operations'> & {
  readonly expiresInMs?: number;
};

/** Why a key cannot be changed as asked. */
export class KeyChangeError extends Error {
  readonly kind: 'absent' | 'damaged' | 'conflict';

  constructor(kind: KeyChangeError['kind'], message: string) {
    super(message);
    this.name = 'KeyChangeError';
    this.kind = kind;
  }
}

/** Makes a key without storing anything. */
export function mintKey(pepper: Secret, now: number, { expiresInMs, ...terms }: KeyTerms): MintedKey {
  const id = newKeyId();
  const key = newApiKey(id);
  const expiry = expiresInMs === undefined ? {} : { expiresAt: now + expiresInMs };
  return {
    key,
    record: { id, ...terms, createdAt: now, ...expiry, hashes: [{ hash: hashApiKey(pepper, key) }] },
  };
}

/** Stores a freshly minted key under an id that nobody has. */
export async function createKey(store: KeyStore, mint: () => MintedKey): Promise<MintedKey> {
  for (;;) {
    const made = mint();
    if (await store.create(made.record)) return made;
  }
}

/**
 * Gives a key a new secret under the same id, so that limits and permissions stay. The current secret works for
 * `overlapMs` more; an older one ends at once, so that at most two are valid. @throws KeyChangeError
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

/** Ends a key for good; a key that is revoked already keeps its date. @throws KeyChangeError */
export async function revokeKey(store: KeyStore, id: string, now: number): Promise<KeyRecord> {
  return changeKey(store, id, (record) => ({ ...record, revokedAt: record.revokedAt ?? now }));
}

/** Changes the record of a key. `change` runs again if another process came first. @throws KeyChangeError */
export async function changeKey(
  store: KeyStore,
  id: string,
  change: (record: KeyRecord) => KeyRecord,
): Promise<KeyRecord> {
  return recordOf(id, await store.update(id, change));
}

/** The record of a key that must be there. @throws KeyChangeError */
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
