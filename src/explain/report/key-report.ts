import type { KeyRecord } from '../../store/key-record.ts';

function instant(ms: number | undefined): string | undefined {
  return ms === undefined ? undefined : new Date(ms).toISOString();
}

/** A new key, displayed this once. */
export function newKeyText(key: string): string {
  return `${key}\n\nKeep it now: it is not shown again.\n`;
}

/** A key record as JSON; with its hash only where the entry is for the configuration file. */
export function keyJson(record: KeyRecord, withHash = false): Readonly<Record<string, unknown>> {
  const { id, label, permissions, tier, createdAt, expiresAt, revokedAt, hashes } = record;
  return {
    id,
    ...(withHash ? { hash: hashes[0]?.hash } : {}),
    label,
    permissions,
    tier,
    createdAt: instant(createdAt),
    expiresAt: instant(expiresAt),
    revokedAt: instant(revokedAt),
    secrets: hashes.length,
  };
}

/** A record on one line: id, state, tier, permissions, label. */
export function keyLine(
  { id, label, permissions, tier, expiresAt, revokedAt }: KeyRecord,
  now: number,
): string {
  const expiry =
    expiresAt === undefined
      ? 'valid'
      : `${expiresAt <= now ? 'expired' : 'valid until'} ${instant(expiresAt)}`;
  const state = revokedAt === undefined ? expiry : `revoked ${instant(revokedAt)}`;
  return [id, state, tier, permissions.join(','), label].join('  ');
}

/** The entry for the configuration file. Its scalars are JSON, which is YAML too. */
export function configuredKeyYaml({ id, label, permissions, tier, expiresAt, hashes }: KeyRecord): string {
  const fields = { id, hash: hashes[0]?.hash, label, permissions, tier, expiresAt: instant(expiresAt) };
  const lines = Object.entries(fields)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}: ${JSON.stringify(value)}`);
  return `\nFor the configuration:\n\nauth:\n  apiKeys:\n    keys:\n      - ${lines.join('\n        ')}\n`;
}
