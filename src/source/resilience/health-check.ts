// Asks a host for the first row of a list (the health probe) when calls fail, to see if the source or the calls are at fault.

/** How a host answered the health probe. */
export type HealthProbeResult = {
  /** Whether a good answer came in time. */
  readonly isHealthy: boolean;
  /** When the probe was sent, and when its answer came or its time was over, by the monotonic clock. */
  readonly askedMs: number;
  readonly endedMs: number;
};

/**
 * Sends a host the health probe. Returns false if no good answer comes within `timeoutMs`, and `undefined` if the probe could not
 * be sent, so that nothing is known. Never rejects.
 */
export type AskHealthProbe = (base: string, timeoutMs: number) => Promise<boolean | undefined>;

/** Whether the result of an earlier probe is recent enough to be used. */
export type IsCurrent = (result: HealthProbeResult) => boolean;

/** Returns the last result of a host if it is current, else that of a new probe. `undefined`: nothing is known. */
export type HealthCheck = (base: string, isCurrent?: IsCurrent) => Promise<HealthProbeResult | undefined>;

/**
 * Creates the health check for the time when requests of callers fail. If the host answers the probe well, the requests are at
 * fault and not the host, so they must not open the breaker. By default a result is current for `holdsMs`. A host gets one probe
 * at a time, however many requests fail.
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
