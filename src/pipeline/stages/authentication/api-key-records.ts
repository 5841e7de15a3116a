// A local cache of the API keys in Redis, so that a request seldom waits for Redis and a revocation still acts within a second.

import { isDeepStrictEqual } from 'node:util';
import { blameUpstream, fault, type GatewayError } from '../../../kernel/errors/fault.ts';
import type { Clock } from '../../../kernel/clock.ts';
import { createBoundedMap } from '../../../store/memory/bounded-map.ts';
import type { KeyRecord } from '../../../store/key-record.ts';
import { KEY_KNOWN_MS, type KeyLookup, type KeyStore } from '../../../store/key-store.ts';
import type { CredentialAttempt } from './credential-throttle.ts';
import { createLostKeys, type LostKeys } from './lost-keys.ts';

/** If a record is older than this when it is used, it is checked again in the background. */
const RECHECK_MS = 400;
/** If a record is older than this, its use waits for the check, so that a revocation takes effect within a second. */
const FRESH_MS = 900;
/** How long the record of a key serves after its last successful check while Redis does not answer. */
export const OUTAGE_MS = 60_000;

const RECORDS_MAX = 50_000;
const ABSENT_MAX = 10_000;

/** A key that this process knows. `record` becomes `undefined` when the key is deleted. */
export type HeldKey = {
  readonly record: KeyRecord | undefined;
  /** Whether `record` was checked less than a second ago. It also starts the next check in the background when it is due. */
  isFresh(): boolean;
  /** When the key was last used in this process (ms since the epoch); 0 if it was not used yet. */
  usedAt: number;
};

/** The local cache of keys. */
export type KeyRecords = ReturnType<typeof createKeyRecords>;

/** What the cache needs. If `store` fails, keys are accepted for a minute after their last check. */
export type KeyRecordsDeps = {
  readonly store: Pick<KeyStore, 'find' | 'isDeleted'>;
  readonly clock: Clock;
};

type Held = { record: KeyRecord | undefined; checkedAt: number; usedAt: number; isFresh(): boolean };

/** Creates the memory of looked-up keys and of absent ids. `recheck` starts a check in the background. */
function createHeldKeys(clock: Clock, recheck: (id: string) => void) {
  const held = createBoundedMap<Held>(RECORDS_MAX, () => 1);
  let latestAt = -Infinity;
  // Absent ids have a map of their own, so that a flood of invented ids evicts no real key.
  const absent = createBoundedMap<{ checkedAt: number }>(ABSENT_MAX, () => 1);

  function createHeld(id: string): Held {
    const key: Held = {
      record: undefined,
      checkedAt: 0,
      usedAt: 0,
      isFresh() {
        const age = clock.monotonic() - key.checkedAt;
        if (age >= FRESH_MS || key.record === undefined) return false;
        if (age >= RECHECK_MS) recheck(id);
        return true;
      },
    };
    return key;
  }

  return {
    get: (id: string) => held.get(id),
    latestAt: () => latestAt,
    /** By id: when this process last used each key. It visits all keys, so it is slow. */
    uses: (): ReadonlyMap<string, number> =>
      new Map(held.alive().flatMap(([id, { usedAt }]) => (usedAt > 0 ? [[id, usedAt]] : []))),
    isAbsent(id: string): boolean {
      const missed = absent.get(id);
      return missed !== undefined && clock.monotonic() - missed.checkedAt < FRESH_MS;
    },
    keep(id: string, lookup: KeyLookup, checkedAt: number): void {
      if (lookup.kind === 'unreachable') return;
      const before = held.get(id);
      if (lookup.kind !== 'found') {
        if (before !== undefined) before.record = undefined;
        held.delete(id);
        if (lookup.kind === 'absent') absent.set(id, { checkedAt }, FRESH_MS);
        return;
      }
      const key = before ?? createHeld(id);
      // An unchanged record stays the same object, so that earlier verifications of the key stay valid.
      if (!isDeepStrictEqual(key.record, lookup.record)) key.record = lookup.record;
      key.checkedAt = checkedAt;
      latestAt = Math.max(latestAt, checkedAt);
      // Look-ups of a remembered id are not throttled, so that its owner is not refused if others at its address try unknown ids.
      held.set(id, key, KEY_KNOWN_MS);
      absent.delete(id);
    },
  };
}

/** Creates the held keys, and the function that checks one in `store`. At the same time, an id is checked only once. */
function createCheckedKeys({ store, clock }: KeyRecordsDeps) {
  const underWay = new Map<string, Promise<KeyLookup>>();
  const keys = createHeldKeys(clock, (id) => void check(id));
  const lost = createLostKeys(store, clock);

  function check(id: string): Promise<KeyLookup> {
    const joined = underWay.get(id);
    if (joined !== undefined) return joined;
    // The result may be as old as the start of the look-up, so its age counts from there.
    const askedAt = clock.monotonic();
    const started = store.find(id).then(async (lookup) => {
      await lost.note(id, lookup, keys.get(id)?.record);
      underWay.delete(id);
      keys.keep(id, lookup, askedAt);
      return lookup;
    });
    underWay.set(id, started);
    return started;
  }

  return { keys, lost, check, isUnderWay: (id: string) => underWay.has(id) };
}

/** Creates the local cache of the keys in `store`. */
export function createKeyRecords(deps: KeyRecordsDeps) {
  const { clock } = deps;
  const { keys, lost, check, isUnderWay } = createCheckedKeys(deps);

  function isWithinOutage(key: Held | undefined): key is Held {
    return key?.record !== undefined && clock.monotonic() - key.checkedAt <= OUTAGE_MS;
  }

  /** Looks up an unknown id. Only the caller who starts the look-up is throttled, not those who join it. */
  async function lookUpUnknown(id: string, attempt: CredentialAttempt): Promise<KeyLookup> {
    attempt.start();
    const lookup = await check(id);
    if (lookup.kind === 'absent' || lookup.kind === 'damaged') attempt.fail();
    return lookup;
  }

  /**
   * Finds a key; `undefined` if there is none. Rejects with 503 if Redis does not answer and no usable record is known, and
   * with the error that `attempt` throws if this process does not know the id and has to look it up.
   */
  async function current(id: string, attempt?: CredentialAttempt): Promise<HeldKey | undefined> {
    const before = keys.get(id);
    if (before?.isFresh() === true) return before;
    if (keys.isAbsent(id)) return undefined;
    const isKnown = before !== undefined || lost.get(id) !== undefined;
    const isThrottled = attempt !== undefined && !isKnown && !isUnderWay(id);
    const lookup = await (isThrottled ? lookUpUnknown(id, attempt) : check(id));
    switch (lookup.kind) {
      case 'found':
        return keys.get(id);
      case 'absent':
        return undefined;
      case 'damaged':
        throw storeFault(`the stored record of API key ${id} cannot be read`);
      case 'unreachable':
        if (isWithinOutage(before)) return before;
        throw storeFault('the API keys cannot be looked up', lookup.cause);
    }
  }

  /** Whether this process knows keys that it may accept while Redis does not answer. */
  const canServe = () => clock.monotonic() - keys.latestAt() <= OUTAGE_MS;
  return {
    current,
    uses: keys.uses,
    canServe,
    /** The keys that this process knew, and whose records are gone although nobody has deleted them. */
    lost: lost as Pick<LostKeys, 'get'>,
    /** The loss of data that made known keys unknown; `undefined`: Redis has lost none that are in use. */
    loss: () => lost.loss(keys.latestAt()),
  };
}

/** The 503 for a key whose record cannot be read from Redis. */
function storeFault(detail: string, cause?: unknown): GatewayError {
  const error = fault('upstream_unavailable', { detail, cause });
  blameUpstream(error, 'redis.keys');
  return error;
}
