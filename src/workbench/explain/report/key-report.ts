// Reports API keys, as text for a terminal.

import { singleLine } from '../../../kernel/control-characters.ts';
import { endsSoon } from '../../../pipeline/stages/authentication/key-housekeeping.ts';
import type { KeyRecord } from '../../../store/key-record.ts';
import type { ReportBlock } from './report.ts';
import type { KeyView } from '../../../admin/actions/keys/key-view.ts';

const DAY_MS = 86_400_000;

/** The lines for a new key. They are the only place where a key is displayed. */
export function newKeyLines(key: string): readonly string[] {
  return [key, '', 'Keep it now: it is not shown again.'];
}

/** The minute of an instant: `2026-01-31 09:05`. */
const minuteOf = (instant: string | undefined) => instant?.slice(0, 16).replace('T', ' ');

/** Whether a key works, and until when. */
function stateText(
  { state, expiresAt, revokedAt }: Pick<KeyView, 'state' | 'expiresAt' | 'revokedAt'>,
  now: number,
) {
  if (state === 'revoked') return `revoked ${minuteOf(revokedAt) ?? ''}`;
  if (expiresAt === undefined) return 'valid';
  if (state === 'expired') return `expired ${minuteOf(expiresAt) ?? ''}`;
  const endMs = Date.parse(expiresAt);
  const days = Math.floor((endMs - now) / DAY_MS);
  return `valid until ${minuteOf(expiresAt) ?? ''}${endsSoon({ expiresAt: endMs }, now) ? ` (${days} days)` : ''}`;
}

/** Keys as a table with a header, times in UTC. Label and permissions stand below each key, so that it fits 80 columns. */
export function keyTable(keys: readonly KeyView[], now: number): ReportBlock {
  if (keys.length === 0) return 'there is no key in Redis';
  const rows = keys.flatMap((key) => {
    const { id, state, tier, label, permissions, operations = [], addresses = [], oldSecretUntil } = key;
    const ends = (key.revokedAt ?? key.expiresAt)?.slice(0, 10) ?? 'never';
    const isSoon = state === 'valid' && stateText(key, now).endsWith('days)');
    const only = [...operations, ...addresses];
    const more = [
      `${label}: ${permissions.join(',') || 'no permission'}`,
      ...(only.length === 0 ? [] : [`only ${only.join(',')}`]),
      ...(oldSecretUntil === undefined
        ? []
        : [`the old secret works until ${minuteOf(oldSecretUntil) ?? ''}`]),
    ];
    const used = minuteOf(key.lastUsedAt) ?? 'never';
    return [[id, isSoon ? 'ends soon' : state, ends, used, tier], [`  ${more.join('; ')}`]];
  });
  const head = ['ID', 'STATE', 'ENDS', 'LAST USED', 'TIER'];
  return { head, table: rows.map((row) => row.map(singleLine)) };
}

/** One key, a line for each of its properties. */
export function keyLines(key: KeyView): readonly string[] {
  const fields = {
    id: key.id,
    label: key.label,
    state: stateText(key, Date.now()),
    tier: key.tier,
    permissions: key.permissions.join(', '),
    addresses: key.addresses?.join(', ') ?? 'anywhere',
    operations: key.operations?.join(', ') ?? 'all',
    created: key.createdAt,
    'last used': key.lastUsedAt ?? 'never, as far as Redis knows',
    secrets: `${key.secrets}${key.oldSecretUntil ? `; the old one works until ${key.oldSecretUntil}` : ''}`,
  };
  return Object.entries(fields).map(([name, value]) => `${name.padEnd(12)} ${singleLine(value)}`);
}

/** The entry of a key for `auth.apiKeys.keys` in the gateway file. Its scalars are JSON, which is YAML too. */
export function configuredKeyYaml(record: KeyRecord): string {
  const { id, label, permissions, tier, addresses, operations, expiresAt, hashes } = record;
  const expiry = expiresAt === undefined ? undefined : new Date(expiresAt).toISOString();
  const fields = {
    id,
    hash: hashes[0]?.hash,
    label,
    permissions,
    tier,
    addresses,
    operations,
    expiresAt: expiry,
  };
  const lines = Object.entries(fields)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}: ${JSON.stringify(value)}`);
  const where =
    'If its apiKeys have a pepper already, only the lines from "keys" on go there, below the pepper.';
  return `\nFor the gateway file. ${where}\n\nauth:\n  apiKeys:\n    keys:\n      - ${lines.join('\n        ')}\n`;
}
