// Background work on API keys: notes in Redis when each key was used, and warns of keys that expire soon.

import type { Clock } from '../../../kernel/clock.ts';
import type { KeyRecord } from '../../../store/key-record.ts';
import { keysExpiring } from '../../../telemetry/conditions/gateway-conditions.ts';
import { foundRecords, type KeyStore } from '../../../store/key-store.ts';
import type { KeyLastUsed } from '../../../store/key-last-used.ts';
import type { KeyRecords } from './api-key-records.ts';

const DAY_MS = 86_400_000;
/** How often new uses are written. */
const FLUSH_MS = 10_000;
/** The shortest time between two writes of one key's use by a process. */
const REWRITE_MS = 60_000;
/** How often the keys that expire soon are counted. */
const COUNT_MS = 600_000;

/** Whether a key works now, but expires so soon that operators are warned. */
export function endsSoon(
  { expiresAt = Infinity, revokedAt }: Pick<KeyRecord, 'expiresAt' | 'revokedAt'>,
  now: number,
) {
  return revokedAt === undefined && expiresAt > now && expiresAt <= now + keysExpiring.above * DAY_MS;
}

/**
 * What the work needs. `records` says when keys were used, and `uses` is where this is written. `store` is listed every ten
 * minutes to count the keys that expire soon.
 */
export type KeyHousekeepingDeps = {
  readonly records: Pick<KeyRecords, 'uses'>;
  readonly store: Pick<KeyStore, 'list'>;
  readonly uses: Pick<KeyLastUsed, 'write'>;
  readonly clock: Clock;
  /** Called once for each key that expires soon. */
  readonly onEndingSoon?: ((record: KeyRecord) => void) | undefined;
};

/** Starts the work: each key's use is written once a minute at most. If Redis fails, it is tried again later. */
export function createKeyHousekeeping({ records, store, uses, clock, onEndingSoon }: KeyHousekeepingDeps) {
  const written = new Map<string, number>();
  /** By id: when a key expires that `onEndingSoon` was already called for. */
  const told = new Map<string, number | undefined>();
  let expiring = 0;
  let countedAt = -Infinity;

  /** Writes the uses that Redis does not have yet. `all`: even those of keys that were written less than a minute ago. */
  async function flush(all: boolean): Promise<void> {
    const due = new Map<string, number>();
    const now = records.uses();
    for (const [id, usedAt] of now) {
      const before = written.get(id) ?? -Infinity;
      if (usedAt > before && (all || usedAt - before >= REWRITE_MS)) due.set(id, usedAt);
    }
    for (const id of written.keys()) if (!now.has(id)) written.delete(id);
    if (due.size === 0) return;
    await uses.write(due);
    for (const [id, usedAt] of due) written.set(id, usedAt);
  }

  async function count(): Promise<void> {
    if (clock.monotonic() - countedAt < COUNT_MS) return;
    countedAt = clock.monotonic();
    const found = foundRecords(await store.list());
    const now = clock.now();
    const ending = found.filter((record) => endsSoon(record, now));
    expiring = ending.length;
    const ids = new Set(ending.map(({ id }) => id));
    for (const id of told.keys()) if (!ids.has(id)) told.delete(id);
    for (const record of ending) {
      if (told.get(record.id) !== record.expiresAt) onEndingSoon?.(record);
      told.set(record.id, record.expiresAt);
    }
  }

  const later = () => (countedAt = clock.monotonic() - COUNT_MS + FLUSH_MS);
  const timer = setInterval(() => {
    flush(false).catch(() => undefined);
    count().catch(later);
  }, FLUSH_MS).unref();
  return {
    /** How many keys expire soon, as of the last count. */
    expiring: (): number => expiring,
    /** Writes the last uses, and ends the work. */
    async close(): Promise<void> {
      clearInterval(timer);
      await flush(true).catch(() => undefined);
    },
  };
}
