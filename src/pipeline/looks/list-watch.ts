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
import { digestOf, type FieldBit, fieldBits, statesOf } from './field-states.ts';
import { createPairedReads } from './paired-reads.ts';
import { type ListLook, lookAtList } from './look-at-list.ts';
import {
  isBack,
  isJump,
  type MissingRate,
  type PastMissingRates,
  readPast,
  withLook,
  writePast,
} from './missing-rate.ts';

/** What is done about fields of which many records suddenly have no value. */
export type FieldAlarms = {
  readonly isRaised: (claim: string) => boolean;
  /** `since`: when records that callers read began to lack it; absent: now. */
  readonly raise: (bit: FieldBit, before: MissingRate, now: MissingRate, since?: number) => void;
  /** The values have come back. */
  readonly restore: (bit: FieldBit) => void;
};

/** Keeps what looks of all processes have found. Neither function rejects. */
export type PastStore = {
  readonly recall: () => Promise<string | undefined>;
  readonly leave: (text: string) => Promise<void>;
};

/** Watches the list of one resource of a source. It finds fields that records suddenly lack, and an order that is lost. */
export type ListWatch = {
  readonly onRecords: NonNullable<ReplyObserver['onRecords']>;
  /**
   * Looks at the list if it is time. To be called whenever the source is asked. A look that a comparison causes is one, too,
   * and takes one of their slots: a new source that serves nobody yet is asked no more at once than its migration says.
   */
  asked(source: SourceRuntime, usage: Pick<Usage, 'slots'>): void;
  /** Takes the present state of a field as its normal one. */
  readonly accept: (claim: string) => void;
  close(): Promise<void>;
};

const NOTHING = { records: 0, without: 0, isFrozen: false };
/** How often the fleet looks at a list. */
const LOOK_MS = 55_000;
/** The most calls of looks to a source in that time; if its lists need more, they are looked at less often. */
const CALLS_MAX = 4;
/** How soon a process tries again to get the turn to look. */
const RETRY_MS = 5_000;
/** If nothing is known from before, the first look can wait, because the pages that callers read are compared anyway. */
const FIRST_MS = 45_000;

/** The most pages that are compared at once, and in a second: under load, a part of them shows as much as all. */
const PAGES_AT_ONCE = 200;
const PAGES_PER_SECOND = 10;

/** Creates the check of the pages that callers read, of one view. */
function createPageCheck(resource: Resource, bits: readonly FieldBit[], clock: Clock, alarms: FieldAlarms) {
  const reads = createPairedReads(bits.length, clock);
  const raisedFrom = new Map<string, MissingRate>();
  /** Since when more records lack a field than before. */
  const risesSince = new Map<string, number>();
  // Most replies say what the same page said before.
  const pages = new Map<string, number>();
  let window = -1;
  const tokens = createTokenBucket(PAGES_AT_ONCE, PAGES_PER_SECOND, clock);

  function check(): void {
    for (const [index, bit] of bits.entries()) {
      const { before, now } = reads.ratesOf(index);
      if (now.without <= before.without) risesSince.delete(bit.claim);
      else if (!risesSince.has(bit.claim)) risesSince.set(bit.claim, clock.now());
      if (!alarms.isRaised(bit.claim)) {
        if (!isJump(before, now)) continue;
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
    /** Since when more records lack a field than before; `undefined`: they do not, or nobody reads any. */
    sinceOf: (claim: string) => risesSince.get(claim),
    forget() {
      pages.clear();
      reads.clear();
    },
  };
}

/** Compares both ends of a list with what earlier looks have found there. */
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
    else if (!isRaised) past.set(bit.claim, withLook(before, now));
    // An alarm that looks do not see is ended by what callers read.
    else if (before.isFrozen && isBack(before, now)) alarms.restore(bit);
  }
}

/**
 * Creates the check of an order that the file claims. One page cannot show a row that moved to another page. What breaks
 * the order must be seen twice, because rows may move between two calls; then the claim is disabled. `lookAgain` reads the
 * same windows once more.
 */
function createOrderCheck() {
  let before: readonly CanonicalRecord[] | undefined;
  return async function checkOrder(
    source: SourceRuntime,
    { inOrder: rows }: ListLook,
    lookAgain: () => Promise<ListLook | undefined>,
  ): Promise<void> {
    const { bet } = source.adapter.list;
    if (bet === undefined || rows === undefined) return;
    const rule = { by: bet.by, fields: source.resource.itemFields };
    const again = brokenBet(rule, rows, before) === undefined ? rows : (await lookAgain())?.inOrder;
    const broken = again && brokenBet(rule, again, before);
    before = again ?? before;
    if (broken !== undefined) disableClaim(source, 'order', broken);
  };
}

/** Creates the watch of a compiled source. */
export function createListWatch(
  { resource, source: { spec } }: CompiledSource,
  clock: Clock,
  alarms: FieldAlarms,
  store: PastStore,
  random: () => number = Math.random,
): ListWatch {
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
  let [isLooking, isBegun, dueAt, everyMs] = [false, false, -Infinity, LOOK_MS];

  async function look(source: SourceRuntime, slots: Usage['slots'], signal: AbortSignal): Promise<void> {
    const begunAt = clock.monotonic();
    dueAt = begunAt + RETRY_MS;
    const canWait = !isBegun && source.adapter.list.bet === undefined;
    isBegun = true;
    if (canWait && (await store.recall()) === undefined) dueAt = begunAt + FIRST_MS;
    else if ((await source.takeLook?.('list', everyMs)) === true) {
      const drawn = random();
      const priority = slots === undefined ? 'scan' : 'shadow';
      const read = () => lookAtList(source, bits, { signal, priority, drawn });
      const lookOnce = () => slots?.run(read, signal) ?? read();
      const found = await lookOnce();
      everyMs = LOOK_MS * Math.max(1, ((found?.calls ?? 0) * lists) / CALLS_MAX);
      dueAt = begunAt + everyMs;
      const past = readPast(await store.recall());
      if (found !== undefined) checkEnds(bits, found.ends, past, alarms, checks.list.sinceOf);
      await store.leave(writePast(past));
      if (found !== undefined) await checkOrder(source, found, lookOnce);
    }
  }

  return {
    onRecords(view, records, missingValues) {
      if (view !== 'get') checks[view].count(records, missingValues);
    },
    asked(source, usage) {
      if (!resource.hasList || isLooking || clock.monotonic() < dueAt) return;
      isLooking = true;
      tasks.run((signal) => look(source, usage.slots, signal).finally(() => (isLooking = false)));
    },
    accept(claim) {
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
