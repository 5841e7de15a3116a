import { isDeepStrictEqual } from 'node:util';
import { fault } from '../../errors/fault.ts';
import type { Clock } from '../../kernel/clock.ts';
import { createBoundedMap } from '../../store/bounded-map.ts';
import type { KeyRecord } from '../../store/key-record.ts';
import type { KeyLookup } from '../../store/key-store.ts';
import type { Trial } from './credential-throttle.ts';

/** From this age on, a use of a record has it checked again behind the caller's back. */
const RECHECK_MS = 400;
/** From this age on, a use of a record waits for the check: a revocation is seen everywhere within a second. */
const FRESH_MS = 900;
/** How long a record serves after its last successful check while Redis cannot be asked. */
const OUTAGE_MS = 60_000;

/**
 * How long it is remembered that there is such a key, and thus worth a look-up: whoever else tries unknown ones from the
 * same address, its owner is not refused.
 */
const KNOWN_MS = 86_400_000;

const RECORDS_MAX = 50_000;
const ABSENT_MAX = 10_000;

/** What this process knows of one key. `record` is gone once the key is. */
export type HeldKey = {
  readonly record: KeyRecord | undefined;
  /** Whether `record` is as Redis had it less than a second ago; has it checked again in time. */
  isFresh(): boolean;
};

/** Local knowledge of the keys in Redis, never older than it may be. */
export type KeyRecords = {
  /**
   * The key; `undefined` where there is none. Rejects with a fault where that cannot be known, and as `trial` has it
   * where nothing is known of the id and Redis would have to be asked.
   */
  current(id: string, trial?: Trial): Promise<HeldKey | undefined>;
};

export type KeyRecordsDeps = {
  /** Asks Redis; never rejects. */
  readonly find: (id: string) => Promise<KeyLookup>;
  readonly clock: Clock;
};

type Held = { record: KeyRecord | undefined; checkedAt: number; isFresh(): boolean };

/** Creates the local knowledge of the keys that `find` finds. */
export function createKeyRecords({ find, clock }: KeyRecordsDeps): KeyRecords {
  const held = createBoundedMap<Held>(RECORDS_MAX, () => 1);
  // Apart from the records, so that a flood of invented ids drives out no real one.
  const absent = createBoundedMap<{ checkedAt: number }>(ABSENT_MAX, () => 1);
  const underWay = new Map<string, Promise<KeyLookup>>();

  function check(id: string): Promise<KeyLookup> {
    const joined = underWay.get(id);
    if (joined !== undefined) return joined;
    // The answer may be as old as the question.
    const askedAt = clock.monotonic();
    const started = find(id).then((lookup) => {
      underWay.delete(id);
      learn(id, lookup, askedAt);
      return lookup;
    });
    underWay.set(id, started);
    return started;
  }

  function learn(id: string, lookup: KeyLookup, checkedAt: number): void {
    if (lookup.kind === 'unreachable') return;
    const before = held.get(id);
    if (lookup.kind !== 'found') {
      if (before !== undefined) before.record = undefined;
      held.delete(id);
      if (lookup.kind === 'absent') absent.set(id, { checkedAt }, FRESH_MS);
      return;
    }
    const key = before ?? createHeld(id);
    // An unchanged record stays the same object: whoever has judged it need not do so again.
    if (!isDeepStrictEqual(key.record, lookup.record)) key.record = lookup.record;
    key.checkedAt = checkedAt;
    held.set(id, key, KNOWN_MS);
    absent.delete(id);
  }

  function createHeld(id: string): Held {
    const key: Held = {
      record: undefined,
      checkedAt: 0,
      isFresh() {
        const age = clock.monotonic() - key.checkedAt;
        if (age >= FRESH_MS || key.record === undefined) return false;
        if (age >= RECHECK_MS) void check(id);
        return true;
      },
    };
    return key;
  }

  function withinOutage(key: Held | undefined): key is Held {
    return key?.record !== undefined && clock.monotonic() - key.checkedAt <= OUTAGE_MS;
  }

  /** Asks about an id of which nothing is known here; who joins a question costs nothing. */
  async function tryOut(id: string, trial: Trial): Promise<KeyLookup> {
    trial.begin();
    const lookup = await check(id);
    if (lookup.kind === 'absent' || lookup.kind === 'damaged') trial.fail();
    return lookup;
  }

  async function current(id: string, trial?: Trial): Promise<HeldKey | undefined> {
    const before = held.get(id);
    if (before?.isFresh() === true) return before;
    const missed = absent.get(id);
    if (missed !== undefined && clock.monotonic() - missed.checkedAt < FRESH_MS) return undefined;
    const isTrial = trial !== undefined && before === undefined && !underWay.has(id);
    const lookup = await (isTrial ? tryOut(id, trial) : check(id));
    switch (lookup.kind) {
      case 'found':
        return held.get(id);
      case 'absent':
        return undefined;
      case 'damaged':
        throw fault('upstream_unavailable', { detail: `the stored record of API key ${id} cannot be read` });
      case 'unreachable':
        if (withinOutage(before)) return before;
        throw fault('upstream_unavailable', {
          detail: 'the API keys cannot be looked up',
          cause: lookup.cause,
        });
    }
  }

  return { current };
}
