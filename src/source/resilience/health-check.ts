/** How a host answered the health probe. */
export type HealthProbeResult = {
  /** Whether the answer was right. */
  readonly isHealthy: boolean;
  /** When it was asked, and when its answer came or its time was over, by the monotonic clock. */
  readonly askedMs: number;
  readonly endedMs: number;
};

/**
 * Sends a host the health probe. No answer within `timeoutMs` of its sending is `false`; `undefined`: it could not
 * be sent, so nothing is known. It never rejects.
 */
export type AskHealthProbe = (base: string, timeoutMs: number) => Promise<boolean | undefined>;

/** Whether a result still says something. */
export type IsCurrent = (result: HealthProbeResult) => boolean;

/** The last result of a host; a new one, if that is not current. `undefined`: nothing is known. */
export type HealthCheck = (base: string, isCurrent?: IsCurrent) => Promise<HealthProbeResult | undefined>;

/**
 * Creates the check that is made when requests of callers fail, so that bad requests do not open the breaker: if the host
 * answers a health probe well, the requests are at fault and not the host. By default a result is current for
 * `holdsMs`. A host gets one such request at a time, however many requests fail.
 */
export function createHealthCheck(
  ask: (base: string) => Promise<boolean | undefined>,
  holdsMs: number,
  monotonic: () => number,
): HealthCheck {
  const results = new Map<string, HealthProbeResult>();
  const running = new Map<string, Promise<HealthProbeResult | undefined>>();
  const isRecent: IsCurrent = ({ askedMs }) => monotonic() < askedMs + holdsMs;

  async function askNow(base: string): Promise<HealthProbeResult | undefined> {
    const askedMs = monotonic();
    const isHealthy = await ask(base);
    running.delete(base);
    if (isHealthy === undefined) return undefined;
    const result = { isHealthy, askedMs, endedMs: monotonic() };
    results.set(base, result);
    return result;
  }

  return function checkHealth(base, isCurrent = isRecent) {
    const last = results.get(base);
    const asked =
      running.get(base) ?? (last !== undefined && isCurrent(last) ? Promise.resolve(last) : undefined);
    if (asked !== undefined) return asked;
    const asking = askNow(base);
    running.set(base, asking);
    return asking;
  };
}
