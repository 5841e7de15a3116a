import type { Secret } from '../../kernel/secret.ts';
import { hashApiKey, newApiKey, newKeyId } from './api-key.ts';
import type { KeyHash, KeyRecord } from '../../store/key-record.ts';
import type { KeyLookup, KeyStore } from '../../store/key-store.ts';

/** A key and its record. The key is the secret itself; only the record is kept. */
export type MintedKey = { readonly key: string; readonly record: KeyRecord };

/** What an operator decides about a new key. */
export type KeyTerms = Pick<KeyRecord, 'label' | 'permissions' | 'tier'> & { readonly expiresInMs?: number };

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
 * `overlapMs` more, earlier ones until the end they were given.
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
  const lookup = await store.update(id, (record) => {
    if (record.revokedAt !== undefined) throw new Error(`key ${id} is revoked; create a new one`);
    return { ...record, hashes: [{ hash }, ...outgoing(record.hashes, now, now + overlapMs)] };
  });
  return { key, record: recordOf(id, lookup) };
}

function outgoing(hashes: readonly KeyHash[], now: number, until: number): readonly KeyHash[] {
  return hashes
    .map(({ hash, validUntil = until }) => ({ hash, validUntil: Math.min(validUntil, until) }))
    .filter(({ validUntil }) => validUntil > now);
}

/** Ends a key for good; a key that is revoked already keeps its date. */
export async function revokeKey(store: KeyStore, id: string, now: number): Promise<KeyRecord> {
  return recordOf(
    id,
    await store.update(id, (record) => ({ ...record, revokedAt: record.revokedAt ?? now })),
  );
}

function recordOf(id: string, lookup: KeyLookup): KeyRecord {
  switch (lookup.kind) {
    case 'found':
      return lookup.record;
    case 'absent':
      throw new Error(`no key in Redis has the id ${id}`);
    case 'damaged':
      throw new Error(`the record of key ${id} is damaged`);
    case 'unreachable':
      throw lookup.cause;
  }
}
