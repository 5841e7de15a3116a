// Verifies the API key of a request: by the keys of the configuration, and by the keys in Redis (api-key-records.ts).

import { timingSafeEqual } from 'node:crypto';
import type { KeyRecordConfig } from '../../../config/schema/access.ts';
import type { Clock } from '../../../kernel/clock.ts';
import type { Secret } from '../../../kernel/secret.ts';
import type { KeyRecord } from '../../../store/key-record.ts';
import type { HeldKey, KeyRecords } from './api-key-records.ts';
import { type AllowsAddress, allowedAddresses } from '../allowed-addresses.ts';
import { hashApiKey, parseApiKey } from './api-key.ts';
import type { Principal } from '../call.ts';
import type { LostKey } from './lost-keys.ts';
import type { CredentialAttempt } from './credential-throttle.ts';
import {
  type AcceptedCredential,
  type CallerCredential,
  UNRECOGNISED,
  type RefusalReason,
  type RefusedCredential,
  type CredentialResult,
} from './credential-result.ts';

/** Verifies API keys: first those of the configuration, then those in Redis. */
export type ApiKeyCheck = ReturnType<typeof createApiKeyCheck>;

/** What the check of API keys needs. `records` has the keys in Redis. */
export type ApiKeyCheckDeps = {
  readonly pepper: Secret;
  readonly configured: readonly KeyRecordConfig[];
  /** Absent in the embedded mode. */
  readonly records?: KeyRecords | undefined;
  readonly clock: Clock;
  /** Names of the tiers that exist. A key with another tier is counted in `fallbackTier`. */
  readonly tiers: ReadonlySet<string>;
  readonly fallbackTier: string;
};

type ConfiguredKey = {
  readonly hash: string;
  readonly until: number;
  readonly principal: Principal;
  readonly allows: AllowsAddress | undefined;
};

function refused(reason: RefusalReason, keyId: string): RefusedCredential {
  return { kind: 'refused', reason, keyId };
}

/** Refuses a key that Redis has lost. Who has its secret is its owner, and does not guess. */
function refuseLost(lost: LostKey, presented: string, clock: Clock): RefusedCredential {
  const { id, label } = lost.record;
  if ((validUntil(lost.record, presented) ?? -Infinity) <= clock.now()) return refused('unknown', id);
  lost.usedAt = clock.monotonic();
  return { ...refused('lost', id), label };
}

/** What a principal is made of. `operations`: the only ones that it may call; absent: its permissions decide alone. */
type PrincipalTerms = Pick<KeyRecord, 'id' | 'label' | 'permissions' | 'tier'> & {
  readonly operations?: readonly string[] | undefined;
};

/** Creates the check of API keys. */
export function createApiKeyCheck(deps: ApiKeyCheckDeps) {
  const { pepper, records, clock, tiers, fallbackTier } = deps;
  const { byId, byHash } = indexConfigured(deps, principalOf);

  function principalOf({ id, label, permissions, tier, operations }: PrincipalTerms): Principal {
    return {
      kind: 'key',
      id,
      label: label === '' ? undefined : label,
      subject: `key:${id}`,
      permissions: new Set(permissions),
      tier: tiers.has(tier) ? tier : fallbackTier,
      operations: operations && new Set(operations),
    };
  }

  /** Checks a credential against the keys of the configuration, without I/O; `unrecognised` if it is none of them. */
  function configured({ text }: CallerCredential): CredentialResult {
    if (byId.size === 0) return UNRECOGNISED;
    const id = parseApiKey(text)?.id;
    // Keys of a company's own format contain no id, so they are found by their hash.
    if (id === undefined) {
      const key = byHash.get(hashApiKey(pepper, text));
      return key === undefined ? UNRECOGNISED : acceptConfigured(key);
    }
    const key = byId.get(id);
    if (key === undefined) return UNRECOGNISED;
    return isSame(key.hash, hashApiKey(pepper, text)) ? acceptConfigured(key) : refused('wrong_secret', id);
  }

  function acceptConfigured({ until, principal, allows }: ConfiguredKey): CredentialResult {
    const isFresh = () => clock.now() < until;
    return isFresh() ? { kind: 'accepted', principal, isFresh, allows } : refused('expired', principal.id);
  }

  /**
   * Checks a credential against the keys in Redis; only well-formed keys are looked up. Rejects with 503 if Redis does not
   * answer and this process does not know the key, and with the error that `attempt` throws.
   */
  async function stored({ text }: CallerCredential, attempt?: CredentialAttempt): Promise<CredentialResult> {
    const id = parseApiKey(text)?.id;
    if (id === undefined) return UNRECOGNISED;
    const held = await records?.current(id, attempt);
    if (held?.record !== undefined) return checkRecord(held, held.record, hashApiKey(pepper, text));
    const lost = records?.lost.get(id);
    return lost === undefined ? refused('unknown', id) : refuseLost(lost, hashApiKey(pepper, text), clock);
  }

  function checkRecord(
    held: HeldKey,
    record: KeyRecord,
    presented: string,
  ): AcceptedCredential | RefusedCredential {
    const until = validUntil(record, presented);
    if (until === undefined) return refused('wrong_secret', record.id);
    if (record.revokedAt !== undefined) return refused('revoked', record.id);
    if (clock.now() >= until) return refused('expired', record.id);
    const isFresh = () => {
      const now = clock.now();
      if (now >= until || held.record !== record || !held.isFresh()) return false;
      held.usedAt = now;
      return true;
    };
    return {
      kind: 'accepted',
      principal: principalOf(record),
      isFresh,
      allows: allowedAddresses(record.addresses),
    };
  }

  return { configured, stored };
}

/** Indexes the keys of the configuration by id and by hash. */
function indexConfigured({ configured }: ApiKeyCheckDeps, principalOf: (key: KeyRecordConfig) => Principal) {
  const entries = configured.map((key): readonly [KeyRecordConfig, ConfiguredKey] => {
    const until = key.expiresAt === undefined ? Infinity : Date.parse(key.expiresAt);
    return [
      key,
      { hash: key.hash, until, principal: principalOf(key), allows: allowedAddresses(key.addresses) },
    ];
  });
  return {
    byId: new Map(entries.map(([{ id }, entry]) => [id, entry])),
    byHash: new Map(entries.map(([{ hash }, entry]) => [hash, entry])),
  };
}

/** Until when (ms since the epoch) a record accepts the hash of a key; `undefined` if the record does not have the hash. */
function validUntil({ expiresAt, hashes }: KeyRecord, presented: string): number | undefined {
  const matching = hashes.filter(({ hash }) => isSame(hash, presented));
  if (matching.length === 0) return undefined;
  const hashUntil = Math.max(...matching.map((hash) => hash.validUntil ?? Infinity));
  return Math.min(hashUntil, expiresAt ?? Infinity);
}

/** Compares two hashes in constant time, so that the time does not reveal how many characters agree. */
function isSame(left: string, right: string): boolean {
  const [a, b] = [Buffer.from(left), Buffer.from(right)];
  return a.length === b.length && timingSafeEqual(a, b);
}
