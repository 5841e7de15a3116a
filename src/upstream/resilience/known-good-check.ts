/** How a host answered the known-good request. */
export type KnownGoodResult = {
  /** Whether the answer was right. */
  readonly isHealthy: boolean;
  /** When it was asked, by the monotonic clock. */
  readonly askedMs: number;
};

/** Sends a host the known-good request; `undefined`: it could not be sent, so nothing is known. It never rejects. */
export type AskKnownGood = (base: string) => Promise<boolean | undefined>;

/** The last result of a host; a new one, if that is too old. `undefined`: nothing is known. */
export type KnownGoodCheck = (base: string) => Promise<KnownGoodResult | undefined>;

/**
 * Creates the check that is made when requests of callers fail, so that bad requests do not open the breaker: if the host
 * answers a known-good request well, the requests are at fault and not the host. A result holds for `holdsMs`. A host gets
 * one such request in this time, however many requests fail.
 */
export function createKnownGoodCheck(
  ask: AskKnownGood,
  holdsMs: number,
  monotonic: () => number,
): KnownGoodCheck {
  const asked = new Map<
    string,
    { readonly askedMs: number; readonly isHealthy: Promise<boolean | undefined> }
  >();
  return async function checkKnownGood(base) {
    const last = asked.get(base);
    const isHeld = last !== undefined && monotonic() < last.askedMs + holdsMs;
    const question = isHeld ? last : { askedMs: monotonic(), isHealthy: ask(base) };
    asked.set(base, question);
    const isHealthy = await question.isHealthy;
    if (isHealthy !== undefined) return { isHealthy, askedMs: question.askedMs };
    if (asked.get(base) === question) asked.delete(base);
    return undefined;
  };
}
