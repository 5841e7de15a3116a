// Remembers why answers are not compared, so that the status can say why nothing is.

/** Why an answer was not compared, or what the other source did. */
export type ShadowOutcome =
  | 'ok'
  | 'timeout'
  | 'error'
  | 'dropped_cap'
  | 'dropped_rate'
  | 'dropped_overload'
  | 'dropped_breaker'
  | 'dropped_scan'
  | 'dropped_source';

/** What has come of the comparisons with one source since the last that had an answer. */
export type Uncompared = {
  /** Counts an outcome. `detail`: what the source's own protection says, such as that its breaker is open. */
  count(outcome: ShadowOutcome, detail?: string): void;
  /** Why nothing is compared; `undefined` while something is, or nobody asks. */
  readonly reason: string | undefined;
};

/** So long no comparison has to have an answer, and so long after the last question the reason is forgotten. */
const SILENT_MS = 5_000;
const FORGOTTEN_MS = 60_000;

const WORDS: Record<ShadowOutcome, string> = {
  ok: '',
  timeout: 'it answers later than shadow.timeout',
  error: 'it fails',
  dropped_cap: 'as many comparisons run as shadow.concurrency allows',
  dropped_rate: 'shadow.maxRps is used up, or the Redis of the limits does not answer',
  dropped_overload: 'this process is overloaded, or a Redis does not answer',
  dropped_breaker: 'it failed, so comparisons pause for half a minute',
  dropped_scan: 'it would have to scan for each answer',
  dropped_source: 'its breaker or its queue refuses',
};

/** Creates the memory for one source. `onChange` is called once when nothing is compared any more, and once when it ends. */
export function createUncompared(
  monotonic: () => number,
  onChange: (reason: string | undefined) => void,
): Uncompared {
  let since: { readonly ms: number; count: number; lastMs: number; why: string; isTold: boolean } | undefined;
  const text = ({ count, why }: { readonly count: number; readonly why: string }) =>
    `the last ${count} answers were not compared: ${why}`;

  return {
    count(outcome, detail) {
      const nowMs = monotonic();
      if (outcome === 'ok') {
        if (since?.isTold === true) onChange(undefined);
        since = undefined;
        return;
      }
      since ??= { ms: nowMs, count: 0, lastMs: nowMs, why: '', isTold: false };
      since.count += 1;
      since.lastMs = nowMs;
      since.why = detail ?? WORDS[outcome];
      if (since.isTold || nowMs - since.ms < SILENT_MS) return;
      since.isTold = true;
      onChange(text(since));
    },
    get reason() {
      if (since?.isTold !== true || monotonic() - since.lastMs > FORGOTTEN_MS) return undefined;
      return text(since);
    },
  };
}
