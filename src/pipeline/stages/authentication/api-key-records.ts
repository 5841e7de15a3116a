import { isDeepStrictEqual } from 'node:util';
import { blameUpstream, fault, type GatewayError } from '../../../kernel/errors/fault.ts';
import type { Clock } from '../../../kernel/clock.ts';
import { createBoundedMap } from '../../../store/memory/bounded-map.ts';
import type { KeyRecord } from '../../../store/key-record.ts';
import type { KeyLookup, KeyStore } from '../../../store/key-store.ts';
import type { CredentialAttempt } from './credential-throttle.ts';

/** From this age on, a use of a record checks it again in the background. */
const RECHECK_MS = 400;
/** From this age on, a use of a record waits for the check: a revocation takes effect everywhere within a second. */
const FRESH_MS = 900;
/** How long the record of a key serves after its last successful check while Redis does not answer. */
export const OUTAGE_MS = 60_000;

/**
 * How long an id is remembered as that of a key. Look-ups of such an id are not throttled, so that its owner is not
 * refused when others try unknown ids from the same address.
 */
const KNOWN_MS = 86_400_000;

const RECORDS_MAX = 50_000;
const ABSENT_MAX = 10_000;

/** What this process knows of one key. `record` becomes `undefined` when the key is deleted. */
export type HeldKey = {
  readonly record: KeyRecord | undefined;
  /** Whether `record` is as Redis had it less than a second ago. Starts the next check in time. */
  isFresh(): boolean;
  /** When it was last used in this process, ms since the epoch; 0: not yet. */
  usedAt: number;
};

/** A local cache of the keys in Redis, with a bound on their age. */
export type KeyRecords = {
  /**
   * The key; `undefined` if there is none. Rejects with 503 if that cannot be known, and with what `attempt`
   * throws if this process knows nothing of the id and has to look it up.
   */
  current(id: string, attempt?: CredentialAttempt): Promise<HeldKey | undefined>;
  /** When the keys that this process knows were last used by it, by id. It visits all of them. */
  uses(): ReadonlyMap<string, number>;
  /** Whether this process knows keys that it may serve while Redis does not answer. */
  canServe(): boolean;
};

/** `store` may fail: a key whose last check is less than a minute old then serves from memory. */
export type KeyRecordsDeps = {
  readonly store: Pick<KeyStore, 'find'>;
  readonly clock: Clock;
};

type Held = { record: KeyRecord | undefined; checkedAt: number; usedAt: number; isFresh(): boolean };

/** Creates the memory of looked-up keys. `recheck` starts a check in the background. */
function createHeldKeys(clock: Clock, recheck: (id: string) => void) {
  const held = createBoundedMap<Held>(RECORDS_MAX, () => 1);
  let latestAt = -Infinity;
  // Apart from the records, so that a flood of invented ids evicts no real one.
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
    uses: () => new Map(held.alive().flatMap(([id, { usedAt }]) => (usedAt > 0 ? [[id, usedAt]] : []))),
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
      // An unchanged record stays the same object, so that its verification holds.
      if (!isDeepStrictEqual(key.record, lookup.record)) key.record = lookup.record;
      key.checkedAt = checkedAt;
      latestAt = Math.max(latestAt, checkedAt);
      held.set(id, key, KNOWN_MS);
      absent.delete(id);
    },
  };
}

/** The held keys, and the check of one against `store`: a single flight per id. */
function createCheckedKeys({ store, clock }: KeyRecordsDeps) {
  const underWay = new Map<string, Promise<KeyLookup>>();
  const keys = createHeldKeys(clock, (id) => void check(id));

  function check(id: string): Promise<KeyLookup> {
    const joined = underWay.get(id);
    if (joined !== undefined) return joined;
    // The result may be as old as the moment of asking.
    const askedAt = clock.monotonic();
    const started = store.find(id).then((lookup) => {
      underWay.delete(id);
      keys.keep(id, lookup, askedAt);
      return lookup;
    });
    underWay.set(id, started);
    return started;
  }

  return { keys, check, isUnderWay: (id: string) => underWay.has(id) };
}

/** Creates the local cache of the keys in `store`. */
export function createKeyRecords(deps: KeyRecordsDeps): KeyRecords {
  const { clock } = deps;
  const { keys, check, isUnderWay } = createCheckedKeys(deps);

  function isWithinOutage(key: Held | undefined): key is Held {
    return key?.record !== undefined && clock.monotonic() - key.checkedAt <= OUTAGE_MS;
  }

  /** Looks an unknown id up. Only the one who starts the look-up is throttled. */
  async function lookUpUnknown(id: string, attempt: CredentialAttempt): Promise<KeyLookup> {
    attempt.start();
    const lookup = await check(id);
    if (lookup.kind === 'absent' || lookup.kind === 'damaged') attempt.fail();
    return lookup;
  }

  async function current(id: string, attempt?: CredentialAttempt): Promise<HeldKey | undefined> {
    const before = keys.get(id);
    if (before?.isFresh() === true) return before;
    if (keys.isAbsent(id)) return undefined;
    const isThrottled = attempt !== undefined && before === undefined && !isUnderWay(id);
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

  const canServe = () => clock.monotonic() - keys.latestAt() <= OUTAGE_MS;
  return { current, uses: keys.uses, canServe };
}

/** The error for a store of keys that cannot say what a key is. */
function storeFault(detail: string, cause?: unknown): GatewayError {
  const error = fault('upstream_unavailable', { detail, cause });
  blameUpstream(error, 'redis.keys');
  return error;
}
