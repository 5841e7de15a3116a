// Notices that a source changed for the worse: records suddenly lack a field, or the list has lost its order. It compares the
// pages that callers read, and about once a minute both ends of the list, which it reads itself (a "look").

import type { Resource } from '../../contract/resource.ts';
import type { CanonicalRecord } from '../../contract/response-body.ts';
import { brokenBet } from '../../source/checks/order-bet.ts';
import type { MissingValue, ReadRecords, ReplyObserver } from '../../source/adapter/map/reply-observer.ts';
import { viewSpecOf } from '../../source/adapter/map/row-fields.ts';
import { createBackgroundTasks } from '../../kernel/background-tasks.ts';
import type { Clock } from '../../kernel/clock.ts';
import { createTokenBucket } from '../stages/token-bucket.ts';
import { disableClaim, type SourceRuntime } from '../reading/windows/source-runtime.ts';
import type { Usage } from '../../source/client/guard/exchange.ts';
import type { CompiledSource } from '../../source/compile-sources.ts';
import { digestOf, type FieldBit, fieldBits, statesOf, createPairedReads } from './field-states.ts';
import { type ListEnds, readListEnds } from './read-list-ends.ts';
import {
  isBack,
  isJump,
  type MissingRate,
  type PastMissingRates,
  readPast,
  withReading,
  writePast,
} from './missing-rate.ts';

/** The alarms for fields that many records suddenly lack. */
export type FieldAlarms = {
  readonly isRaised: (claim: string) => boolean;
  /** `before` and `now` are the rates of records without a value. `since`: when callers got the first such record. */
  readonly raise: (bit: FieldBit, before: MissingRate, now: MissingRate, since?: number) => void;
  /** Ends an alarm, because the values have come back. */
  readonly restore: (bit: FieldBit) => void;
};

/** Keeps what the looks of all processes have found, as a text in Redis. Neither function rejects. */
export type PastStore = {
  readonly recall: () => Promise<string | undefined>;
  readonly leave: (text: string) => Promise<void>;
};

/** Watches the list of one resource of a source. It finds fields that records suddenly lack, and an order that is lost. */
export type ListWatch = ReturnType<typeof createListWatch>;

/** The rate of a field before any look. */
const NOTHING = { records: 0, without: 0, isFrozen: false };
/** How often one process of the fleet looks at a list. */
const LOOK_MS = 55_000;
/** The most calls of looks to a source in that time; if its lists need more, they are looked at less often. */
const CALLS_MAX = 4;
/** How soon a process tries again to get the turn to look. */
const RETRY_MS = 5_000;
/** If no earlier look is known, the first look can wait, because the pages that callers read are compared anyway. */
const FIRST_MS = 45_000;

/** The most pages that are compared in a burst and in a second. Under load, a part of the pages shows enough. */
const PAGES_AT_ONCE = 200;
const PAGES_PER_SECOND = 10;

/** Creates the check of the pages of one view that callers read. */
function createPageCheck(resource: Resource, bits: readonly FieldBit[], clock: Clock, alarms: FieldAlarms) {
  const reads = createPairedReads(bits.length, clock);
  const raisedFrom = new Map<string, MissingRate>();
  /** By alarm: since when more records lack the field than before. */
  const risesSince = new Map<string, number>();
  // Most replies are the same as the last reply for that page; their digests are kept here.
  const pages = new Map<string, number>();
  let window = -1;
  const tokens = createTokenBucket(PAGES_AT_ONCE, PAGES_PER_SECOND, clock);

  function check(): void {
    for (const [index, bit] of bits.entries()) {
      const { before, now } = reads.ratesOf(index);
      const hasRisen = now.without > before.without;
      if (!hasRisen) risesSince.delete(bit.claim);
      else if (!risesSince.has(bit.claim)) risesSince.set(bit.claim, clock.now());
      if (!alarms.isRaised(bit.claim)) {
        // Both rates are of the same records, so without a rise there is no jump.
        if (!hasRisen || !isJump(before, now)) continue;
        raisedFrom.set(bit.claim, before);
        alarms.raise(bit, before, now, risesSince.get(bit.claim));
      } else if (isJump(now, before) && isBack(raisedFrom.get(bit.claim) ?? NOTHING, now))
        alarms.restore(bit);
    }
  }

  return {
    count(records: ReadRecords, missingValues: readonly MissingValue[]) {
      if (records.length === 0 || bits.length === 0 || tokens.waitSeconds() > 0) return;
      tokens.spend();
      const { key, missingValues: lacking } = digestOf(records, missingValues);
      if (reads.window() !== window || pages.size > 1_000) pages.clear();
      window = reads.window();
      if (pages.get(key) === lacking) return;
      pages.set(key, lacking);
      const raised = bits.reduce((all, { claim }, bit) => all | (Number(alarms.isRaised(claim)) << bit), 0);
      reads.add(statesOf(resource, bits, records, missingValues), raised);
      check();
    },
    /** Since when more records lack a field than before; `undefined` if that is not so, or nobody reads the list. */
    sinceOf: (claim: string) => risesSince.get(claim),
    forget() {
      pages.clear();
      reads.clear();
    },
  };
}

/** Compares both ends of a list with the results of earlier looks. */
function checkEnds(
  bits: readonly FieldBit[],
  states: ReadonlyMap<string, number>,
  past: PastMissingRates,
  alarms: FieldAlarms,
  sinceOf: (claim: string) => number | undefined,
): void {
  for (const [index, bit] of bits.entries()) {
    const without = [...states.values()].filter((state) => (state >> index) & 1).length;
    const now = { records: states.size, without };
    const before = past.get(bit.claim) ?? NOTHING;
    const jumps = isJump(before, now);
    const isRaised = alarms.isRaised(bit.claim);
    if (jumps && !isRaised) alarms.raise(bit, before, now, sinceOf(bit.claim));
    if (jumps) past.set(bit.claim, { ...before, isFrozen: true });
    else if (!isRaised) past.set(bit.claim, withReading(before, now));
    // An alarm that no look has seen is ended by the check of the pages that callers read.
    else if (before.isFrozen && isBack(before, now)) alarms.restore(bit);
  }
}

/**
 * Creates the check of an order that pages depend on although no request asks for it. One page cannot show a row that moved to another
 * page. A break of the order must be seen twice, because rows may move between two calls; then the claim is disabled.
 * `readAgain` reads the same windows once more.
 */
function createOrderCheck() {
  let before: readonly CanonicalRecord[] | undefined;
  return async function checkOrder(
    source: SourceRuntime,
    { inOrder: rows }: ListEnds,
    readAgain: () => Promise<ListEnds | undefined>,
  ): Promise<void> {
    const { bet } = source.adapter.list;
    if (bet === undefined || rows === undefined) return;
    const rule = { by: bet.by, fields: source.resource.itemFields };
    const again = brokenBet(rule, rows, before) === undefined ? rows : (await readAgain())?.inOrder;
    const broken = again && brokenBet(rule, again, before);
    before = again ?? before;
    if (broken !== undefined) disableClaim(source, 'order', broken);
  };
}

/** Creates the watch of the list of a compiled source. `store` keeps the results of looks; `random` is from 0 to 1. */
export function createListWatch(
  { resource, source: { spec } }: CompiledSource,
  clock: Clock,
  alarms: FieldAlarms,
  store: PastStore,
  random: () => number = Math.random,
) {
  const own = spec.resources[resource.name];
  const bitsOf = (view: 'list' | 'details') =>
    fieldBits((own && viewSpecOf(own, resource, view))?.fields ?? []);
  const bits = bitsOf('list');
  const checks = {
    list: createPageCheck(resource, bits, clock, alarms),
    details: createPageCheck(resource, bitsOf('details'), clock, alarms),
  };
  const checkOrder = createOrderCheck();
  const lists = Object.keys(spec.resources).length;
  const tasks = createBackgroundTasks();
  let [isReading, isBegun, dueAt, everyMs] = [false, false, -Infinity, LOOK_MS];

  async function readEnds(source: SourceRuntime, slots: Usage['slots'], signal: AbortSignal): Promise<void> {
    const begunAt = clock.monotonic();
    dueAt = begunAt + RETRY_MS;
    const canWait = !isBegun && source.adapter.list.bet === undefined;
    isBegun = true;
    if (canWait && (await store.recall()) === undefined) dueAt = begunAt + FIRST_MS;
    else if ((await source.takeTurn?.('list', everyMs)) === true) {
      const drawn = random();
      const priority = slots === undefined ? 'scan' : 'shadow';
      const read = () => readListEnds(source, bits, { signal, priority, drawn });
      const readOnce = () => slots?.run(read, signal) ?? read();
      const found = await readOnce();
      everyMs = LOOK_MS * Math.max(1, ((found?.calls ?? 0) * lists) / CALLS_MAX);
      dueAt = begunAt + everyMs;
      const past = readPast(await store.recall());
      if (found !== undefined) checkEnds(bits, found.ends, past, alarms, checks.list.sinceOf);
      await store.leave(writePast(past));
      if (found !== undefined) await checkOrder(source, found, readOnce);
    }
  }

  const onRecords: NonNullable<ReplyObserver['onRecords']> = (view, records, missingValues) => {
    if (view !== 'get') checks[view].count(records, missingValues);
  };

  return {
    onRecords,
    /**
     * Reads both ends of the list if that is due. To be called whenever the source was asked. If a comparison of a migration
     * asked it, the look takes one of the comparison's slots, so that the new source gets no more calls at once than allowed.
     */
    asked(source: SourceRuntime, usage: Pick<Usage, 'slots'>): void {
      if (!resource.hasList || isReading || clock.monotonic() < dueAt) return;
      isReading = true;
      tasks.run((signal) => readEnds(source, usage.slots, signal).finally(() => (isReading = false)));
    },
    /** Takes the present state of a field as its normal one. */
    accept: (claim: string): void => {
      tasks.run(async () => {
        const past = readPast(await store.recall());
        if (past.delete(claim)) await store.leave(writePast(past));
      });
      checks.list.forget();
      checks.details.forget();
    },
    close: () => tasks.close(),
  };
}
