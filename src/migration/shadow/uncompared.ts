// Remembers why answers are not compared, so that the status can show it.

/** A reason is reported if no comparison had an answer for this time. */
const SILENT_MS = 5_000;
/** A reason is forgotten this long after the last chosen answer. */
const FORGOTTEN_MS = 60_000;

/**
 * The outcomes for an answer that was chosen for comparison: what the other source did, or why it was not asked (`dropped_…`).
 * The words follow `the last 3 answers were not compared:`.
 */
export const uncomparedWords = {
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

/** One of the outcomes in `uncomparedWords`. */
export type ShadowOutcome = keyof typeof uncomparedWords;

/** Creates the memory for one source. `onChange` is called with a reason when nothing is compared any more, and when that ends. */
export function createUncompared(monotonic: () => number, onChange: (reason: string | undefined) => void) {
  let since:
    { readonly ms: number; count: number; lastMs: number; why: string; isReported: boolean } | undefined;
  const text = ({ count, why }: { readonly count: number; readonly why: string }) =>
    `the last ${count} answers were not compared: ${why}`;

  return {
    /** Counts an outcome. `detail` is the message of the source's own protection, such as that its breaker is open. */
    count(outcome: ShadowOutcome, detail?: string): void {
      const nowMs = monotonic();
      if (outcome === 'ok') {
        if (since?.isReported === true) onChange(undefined);
        since = undefined;
        return;
      }
      since ??= { ms: nowMs, count: 0, lastMs: nowMs, why: '', isReported: false };
      since.count += 1;
      since.lastMs = nowMs;
      since.why = detail ?? uncomparedWords[outcome];
      if (since.isReported || nowMs - since.ms < SILENT_MS) return;
      since.isReported = true;
      onChange(text(since));
    },
    /** Why nothing is compared; `undefined` if answers are compared, or there were none to compare. */
    get reason(): string | undefined {
      if (since?.isReported !== true || monotonic() - since.lastMs > FORGOTTEN_MS) return undefined;
      return text(since);
    },
  };
}
