import type { InjectedCall } from './injector.ts';
import type { Met } from './callers.ts';
import type { Night } from './night.ts';

/** What happened, by the logs of the injector and of the callers alone. */
export type Truth = {
  /** When the first and the last call or request failed, or what was killed or refused was. */
  readonly since: number;
  readonly last: number;
  /** The calls from the first to the last harmed one; absent: nothing counts them. */
  readonly calls?: { readonly failed: number; readonly total: number };
  readonly answers: { readonly failed: number; readonly total: number };
  /** Failed answers by the names of their callers, and by operation. */
  readonly callers: ReadonlyMap<string, number>;
  readonly operations: ReadonlyMap<string, number>;
};

function countBy<T>(all: readonly T[], nameOf: (one: T) => string): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const one of all) counts.set(nameOf(one), (counts.get(nameOf(one)) ?? 0) + 1);
  return counts;
}

/** The answers that failed: with a status from 500 on, or none at all. */
const failedAnswers = (log: readonly Met[]) => log.filter(({ status }) => status >= 500 || status === 0);

/** The truth about answers, from when on something failed. */
function answersSince({ fleet }: Pick<Night, 'fleet'>, since: number, failedOf = failedAnswers) {
  const { log } = fleet.callers;
  const failed = failedOf(log);
  const last = Math.max(since, ...failed.map(({ endedAt }) => endedAt));
  return {
    /** When the last of them failed; a breaker stays open for a while. */
    lastAnswer: Math.max(0, ...failed.map(({ at }) => at)),
    answers: {
      failed: failed.length,
      total: log.filter(({ endedAt }) => endedAt >= since && endedAt <= last).length,
    },
    callers: countBy(failed, ({ caller }) => caller),
    operations: countBy(failed, ({ operation }) => operation),
  };
}

/** The truth about calls, of the log of an injector: those until the last harmed one had ended. */
export function callsOf(log: readonly InjectedCall[]) {
  const harmed = log.filter(({ manner }) => manner !== 'well');
  const [since, last] = [harmed[0]?.at ?? NaN, harmed.at(-1)?.at ?? NaN];
  const end = Math.max(0, ...harmed.map(({ endedAt }) => endedAt));
  const total = log.filter(({ at }) => at >= since && at <= end).length;
  return { since, last, calls: { failed: harmed.length, total } };
}

/** The truth of the logs of a night, where an injector has logged the calls. */
export function truthOf(night: Pick<Night, 'fleet'>, log: readonly InjectedCall[]): Truth {
  const told = callsOf(log);
  const { lastAnswer, ...answers } = answersSince(night, told.since);
  return { ...told, ...answers, last: Math.max(told.last, lastAnswer) };
}

/** An answer that takes longer is slow. */
const SLOW_MS = 1_000;

/** The truth of a night in which calls were slow and none failed: whose answers were slow, and of which operation. */
export function slowTruthOf(night: Pick<Night, 'fleet'>, log: readonly InjectedCall[]): Truth {
  const slow = night.fleet.callers.log.filter(({ at, endedAt }) => endedAt - at > SLOW_MS);
  return {
    ...truthOf(night, log),
    callers: countBy(slow, ({ caller }) => caller),
    operations: countBy(slow, ({ operation }) => operation),
  };
}

/** Who got answers that lack the renamed field, and of which operations. */
export function lackingOf({ fleet }: Pick<Night, 'fleet'>) {
  const lacking = fleet.callers.log.filter(({ isLacking }) => isLacking);
  return {
    callers: countBy(lacking, ({ caller }) => caller),
    operations: countBy(lacking, ({ operation }) => operation),
  };
}

/** The truth of a night in which something was harmed that logs nothing. */
export function truthBetween(night: Night): Truth {
  const { lastAnswer, ...answers } = answersSince(night, night.from);
  return { since: night.from, last: Math.max(night.until, lastAnswer), ...answers };
}

/** The truth of a night in which callers were refused for keys that were lost. */
export function lostKeysTruth(night: Night): Truth {
  const refused = (log: readonly Met[]) => log.filter(({ status }) => status === 401);
  const { lastAnswer, ...answers } = answersSince(night, night.from, refused);
  return { since: night.from, last: lastAnswer, ...answers };
}

/** Whether a time is true to 2 s. */
export const isAt = (told: string | number | undefined, truth: number): boolean =>
  Math.abs((typeof told === 'number' ? told : Date.parse(told ?? '')) - truth) <= 2_000;

/** Whether a count is true to 2 %; one may be under way as it is read. */
export const isCount = (told: number | undefined, truth: number): boolean =>
  Math.abs((told ?? NaN) - truth) <= Math.max(1, 0.02 * truth);
