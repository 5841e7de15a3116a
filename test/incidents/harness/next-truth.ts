import type { Met } from './callers.ts';
import type { Injector } from './injector.ts';
import type { Night } from './night.ts';

type Facts = {
  readonly night: Night;
  /** When the sentence was read, and by when what it names is to have happened. */
  readonly at: number;
  readonly by: number;
  readonly injector: Injector | undefined;
};

const SLACK_MS = 2_000;

const met = ({ fleet }: Night, fits: (one: Met) => boolean) => fleet.callers.log.filter(fits);
const isTokens = ({ caller }: Met) => caller === 'partner';
const callsIn = (injector: Injector | undefined, from: number, to: number) =>
  injector?.log.some(({ at }) => at >= from && at <= to) === true;

/** What each sentence about what comes next says, and whether it came so, by the logs of injector and callers. */
const SENTENCES: readonly (readonly [sentence: RegExp, came: (facts: Facts) => boolean])[] = [
  [
    /^its breaker is open(?: in .*)?: one call(?: of each process)? tries in \d+ seconds?$/,
    ({ injector, at, by }) => callsIn(injector, at, by),
  ],
  [
    /^its breaker is (?:half )?open(?: in .*)?: one call(?: of each process)? at a time tries, and the others are not sent$/,
    ({ injector, at }) => callsIn(injector, at - SLACK_MS, at + SLACK_MS),
  ],
  [
    /^its breaker is closed: each request asks it$/,
    ({ injector, at }) => callsIn(injector, at - 1_000, at + 1_000),
  ],
  [
    /^its breaker is closed, but all its slots are taken: requests wait for one, or get 503 overloaded$/,
    ({ injector, at }) => callsIn(injector, at - 1_000, at + 1_000),
  ],
  [
    /^older answers are served for at most \d+ seconds? more$/,
    ({ night, by }) => met(night, ({ isStale, at }) => isStale && at > by && at < night.until).length === 0,
  ],
  [
    /^older answers are no longer served$/,
    ({ night, at: read }) =>
      met(night, ({ isStale, at }) => isStale && at > read + SLACK_MS && at < night.until).length === 0,
  ],
  [/^no older answers are served/, ({ night }) => met(night, ({ isStale }) => isStale).length === 0],
  [
    /^keys that are known are served for at most \d+ seconds? more$/,
    ({ night, at: read }) =>
      met(
        night,
        ({ caller, status, at }) => caller === 'web' && status !== 200 && at > night.from && at < read,
      ).length === 0,
  ],
  [
    /^a key is accepted again within a second once Redis has its record$/,
    ({ night }) => met(night, ({ status, at }) => status === 401 && at > night.until + SLACK_MS).length === 0,
  ],
  [
    /^each process counts limits alone$/,
    ({ night }) =>
      met(night, ({ caller, status, at }) => caller === 'mobile' && status === 200 && at > night.from)
        .length > 0,
  ],
  [
    /^Redis is used again within a second once it is back$/,
    // The server itself starts within this time, too.
    ({ night }) =>
      met(night, ({ status, at }) => status === 503 && at > night.until + 1_000 + SLACK_MS).length === 0,
  ],
  [
    /^the last key set serves for at most \d+ seconds? more; tokens of a newer key get 401$/,
    ({ night, at: read, by }) =>
      met(night, (one) => isTokens(one) && one.status >= 500 && one.at < read).length === 0 &&
      (by > night.until ||
        met(night, (one) => isTokens(one) && one.status >= 500 && one.at <= by).length > 0),
  ],
  [
    /^(?:tokens are refused with 503 until its key set can be read|the next token asks for its key set, in each process at most once a second)$/,
    ({ night, at: read }) =>
      met(night, (one) => isTokens(one) && one.status >= 500 && one.at < read).length > 0 &&
      met(night, (one) => isTokens(one) && one.status >= 500 && one.at > night.until + 1_000 + SLACK_MS)
        .length === 0,
  ],
  [
    /^the first token after \d+ seconds? asks for its key set again$/,
    ({ night, at, by }) => by > night.until || callsIn(night.fleet.issuer, at, by),
  ],
  [
    /^(?:it ends by itself|the configuration before it stays in force)/,
    ({ night }) => night.over.page.incidents.every(({ state }) => state === 'ended'),
  ],
];

/** The sentences that did not come true; one that is not known here counts as such. */
export function untrueNext(
  told: readonly string[],
  at: number,
  night: Night,
  injector: Injector | undefined,
): readonly string[] {
  if (told.length === 0) return ['nothing is said'];
  return told.filter((sentence) => {
    const by = at + Number(/(\d+) seconds?/.exec(sentence)?.[1] ?? 0) * 1_000 + SLACK_MS;
    const came = SENTENCES.find(([pattern]) => pattern.test(sentence))?.[1];
    return came?.({ night, at, by, injector }) !== true;
  });
}
