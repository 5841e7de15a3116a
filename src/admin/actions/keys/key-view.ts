// Makes what operators may see of an API key from its stored record, for the actions on keys and the reports of `portico
// keys`.

import type { KeyRecord } from '../../../store/key-record.ts';
import type { ActionValue } from '../../api/action-table.ts';

/** A key as operators see it, without its hashes. Times are instants in UTC. */
export type KeyView = ActionValue<'keys.show'>['key'];

/** The instant of a time, in UTC. */
function instantOf(ms: number | undefined): string | undefined {
  return ms === undefined ? undefined : new Date(ms).toISOString();
}

/** Whether a key is valid at a moment. */
export function keyState({ expiresAt, revokedAt }: KeyRecord, now: number): KeyView['state'] {
  if (revokedAt !== undefined) return 'revoked';
  return (expiresAt ?? Infinity) <= now ? 'expired' : 'valid';
}

/** Makes the view of a key, without its hashes. */
export function keyView(record: KeyRecord, now: number, lastUsed?: number): KeyView {
  const { id, label, permissions, tier, addresses, operations, createdAt, expiresAt, revokedAt } = record;
  const state = keyState(record, now);
  const valid = record.hashes.filter(({ validUntil = Infinity }) => validUntil > now);
  return {
    ...{ id, label, state, permissions, tier, addresses, operations },
    createdAt: new Date(createdAt).toISOString(),
    expiresAt: instantOf(expiresAt),
    revokedAt: instantOf(revokedAt),
    lastUsedAt: instantOf(lastUsed),
    secrets: state === 'valid' ? valid.length : 0,
    oldSecretUntil:
      state === 'valid' ? instantOf(valid.find(({ validUntil }) => validUntil)?.validUntil) : undefined,
  };
}
