import { timingSafeEqual } from 'node:crypto';
import type { KeyRecordConfig } from '../../config/schema/access.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { Secret } from '../../kernel/secret.ts';
import type { KeyRecord } from '../../store/key-record.ts';
import type { HeldKey, KeyRecords } from './api-key-records.ts';
import { hashApiKey, parseApiKey } from './api-key.ts';
import type { Principal } from '../call.ts';
import type { Trial } from './credential-throttle.ts';
import { type Accepted, type Credential, FOREIGN, REFUSED, type Verdict } from './credential-result.ts';

/** Verifies API keys: those of the configuration, and those in Redis where there is one. */
export type ApiKeyCheck = {
  /** The verdict of the configuration alone, without any I/O; `foreign` where it does not know the key. */
  configured(credential: Credential): Verdict;
  /**
   * The verdict of Redis, for a credential the configuration does not know; asks only for well-formed keys.
   * Rejects with a fault where Redis cannot be asked and the key is not known here, and as the trial has it.
   */
  stored(credential: Credential, trial?: Trial): Promise<Verdict>;
};

export type ApiKeyCheckDeps = {
  readonly pepper: Secret;
  readonly configured: readonly KeyRecordConfig[];
  /** Absent in the embedded mode. */
  readonly records?: KeyRecords | undefined;
  readonly clock: Clock;
  /** Names of the tiers that exist; a key whose tier does not is counted under `fallbackTier`. */
  readonly tiers: ReadonlySet<string>;
  readonly fallbackTier: string;
};

type ConfiguredKey = { readonly hash: string; readonly until: number; readonly principal: Principal };

/** Creates the check. */
export function createApiKeyCheck(deps: ApiKeyCheckDeps): ApiKeyCheck {
  const { pepper, records, clock, tiers, fallbackTier } = deps;
  const byId = new Map<string, ConfiguredKey>();
  const byHash = new Map<string, ConfiguredKey>();
  for (const key of deps.configured) {
    const until = key.expiresAt === undefined ? Infinity : Date.parse(key.expiresAt);
    const entry = { hash: key.hash, until, principal: principalOf(key) };
    byId.set(key.id, entry);
    byHash.set(key.hash, entry);
  }

  function principalOf({ id, permissions, tier }: Pick<KeyRecord, 'id' | 'permissions' | 'tier'>): Principal {
    return {
      kind: 'key',
      id,
      subject: `key:${id}`,
      permissions: new Set(permissions),
      tier: tiers.has(tier) ? tier : fallbackTier,
    };
  }

  function configured({ text }: Credential): Verdict {
    if (byId.size === 0) return FOREIGN;
    const id = parseApiKey(text)?.id;
    // A company's own keys have no id that could be read from them.
    if (id === undefined) {
      const key = byHash.get(hashApiKey(pepper, text));
      return key === undefined ? FOREIGN : acceptConfigured(key);
    }
    const key = byId.get(id);
    if (key === undefined) return FOREIGN;
    return isSame(key.hash, hashApiKey(pepper, text)) ? acceptConfigured(key) : REFUSED;
  }

  function acceptConfigured({ until, principal }: ConfiguredKey): Verdict {
    const isFresh = () => clock.now() < until;
    return isFresh() ? { kind: 'accepted', principal, isFresh } : REFUSED;
  }

  async function stored({ text }: Credential, trial?: Trial): Promise<Verdict> {
    const id = parseApiKey(text)?.id;
    if (id === undefined) return FOREIGN;
    const held = await records?.current(id, trial);
    return held?.record === undefined ? REFUSED : judge(held, held.record, hashApiKey(pepper, text));
  }

  function judge(held: HeldKey, record: KeyRecord, presented: string): Accepted | typeof REFUSED {
    const until = validUntil(record, presented);
    if (clock.now() >= until) return REFUSED;
    const isFresh = () => held.isFresh() && held.record === record && clock.now() < until;
    return { kind: 'accepted', principal: principalOf(record), isFresh };
  }

  return { configured, stored };
}

/** Until when, ms since the epoch, a record accepts the key of this hash; 0: not at all. */
function validUntil({ expiresAt, revokedAt, hashes }: KeyRecord, presented: string): number {
  const matching = hashes.filter(({ hash }) => isSame(hash, presented));
  if (matching.length === 0 || revokedAt !== undefined) return 0;
  const hashUntil = Math.max(...matching.map((hash) => hash.validUntil ?? Infinity));
  return Math.min(hashUntil, expiresAt ?? Infinity);
}

/** Compares two hashes in a time that does not tell how much of them agrees. */
function isSame(left: string, right: string): boolean {
  const [a, b] = [Buffer.from(left), Buffer.from(right)];
  return a.length === b.length && timingSafeEqual(a, b);
}
