// Chooses the host of a source for each call, and ejects hosts that fail for a time.

import type { CallOutcome } from './breaker.ts';
import type { HealthCheck } from './health-check.ts';

/** One host of a source. */
export type Host = {
  /** The base URL, to which the targets of requests are appended. */
  readonly base: string;
  /** Host and port, for the log and the metrics. */
  readonly name: string;
  /** The number of running calls. */
  active: number;
};

/**
 * An event of a host. `ejected`: it failed several times in a row. `unhealthy`, `healthy`: a check of `net.health` found it so.
 */
export type HostEvent = 'ejected' | 'unhealthy' | 'healthy';

/** The hosts of one source. */
export type Hosts = ReturnType<typeof createHosts>;

type TrackedHost = Host & { failures: number; ejections: number; ejectedUntil: number; isHealthy: boolean };

/** No ejection lasts longer than this many times the first one. */
const EJECTIONS_MAX = 30;

/** Power of two choices: draws two hosts and returns the one with fewer running calls. */
function leastLoadedOfTwo(hosts: readonly TrackedHost[], random: () => number): TrackedHost {
  const first = Math.floor(random() * hosts.length);
  const second = (first + 1 + Math.floor(random() * (hosts.length - 1))) % hosts.length;
  const [one, other] = [hosts[first], hosts[second]] as [TrackedHost, TrackedHost];
  return other.active < one.active ? other : one;
}

/**
 * Outlier ejection: a host that fails `failures` times in a row is not used for a time. The first ejection lasts `ejectMs`, the
 * n-th n times as long.
 */
type EjectionLimits = { readonly failures: number; readonly ejectMs: number };

/** What the hosts of a source need. `checkHealth` sends a host the health probe; absent: there is none. */
type HostsDeps = {
  /** A clock that never jumps, in milliseconds. */
  readonly monotonic: () => number;
  /** From 0 to below 1. */
  readonly random: () => number;
  readonly checkHealth?: HealthCheck | undefined;
  readonly onEvent: (host: Host, event: HostEvent) => void;
};

/** Creates the rules by which hosts are ejected. */
function createEjections(
  all: readonly TrackedHost[],
  { failures: failuresMax, ejectMs }: EjectionLimits,
  { monotonic, checkHealth, onEvent }: HostsDeps,
) {
  const isUsable = (host: TrackedHost) => host.isHealthy && monotonic() >= host.ejectedUntil;
  const isLast = (host: TrackedHost) => !all.some((other) => other !== host && isUsable(other));

  function eject(host: TrackedHost): void {
    host.ejections = Math.min(EJECTIONS_MAX, host.ejections + 1);
    host.ejectedUntil = monotonic() + ejectMs * host.ejections;
    onEvent(host, 'ejected');
  }

  /** Ejects a host unless it answers the health probe well, because then the callers' questions are at fault. */
  async function ejectUnlessWell(host: TrackedHost, asked: ReturnType<HealthCheck>): Promise<void> {
    const verdict = await asked;
    if (verdict?.isHealthy === false && isUsable(host) && !isLast(host)) eject(host);
  }

  return {
    isUsable,
    addFailure(host: TrackedHost, outcome: 'failure' | 'timeout' | 'error', startedMs: number): void {
      // Failures of calls that started before the ejection do not count.
      if (!isUsable(host)) return;
      host.failures += 1;
      // After a timeout, the health probe is sent at once, so that it does not delay the ejection of a host that hangs.
      const asked =
        outcome === 'timeout' ? checkHealth?.(host.base, ({ endedMs }) => endedMs >= startedMs) : undefined;
      if (host.failures < failuresMax || isLast(host)) return;
      host.failures = 0;
      if (outcome === 'failure' || checkHealth === undefined) eject(host);
      else void ejectUnlessWell(host, asked ?? checkHealth(host.base));
    },
    addSuccess(host: TrackedHost): void {
      host.failures = 0;
      // The host has been usable for as long as its ejection lasted, so the next ejection counts as its first.
      if (monotonic() >= host.ejectedUntil + ejectMs * host.ejections) host.ejections = 0;
    },
  };
}

/** Creates the hosts of a source, at least one. */
export function createHosts(bases: readonly string[], limits: EjectionLimits, deps: HostsDeps) {
  const all = bases.map((base): TrackedHost => ({
    ...{ base, name: new URL(base).host, active: 0 },
    ...{ failures: 0, ejections: 0, ejectedUntil: -Infinity, isHealthy: true },
  }));
  const [only] = all as [TrackedHost];
  const ejections = createEjections(all, limits, deps);
  const { isUsable } = ejections;
  // One host may lag behind another, so windows of one page are read from one host.
  const affinities = new WeakMap<object, TrackedHost>();

  function draw(avoid: Host | undefined): TrackedHost {
    const usable = all.filter(isUsable);
    // If no host is usable, any of them may have recovered without being noticed.
    const candidates = usable.length > 0 ? usable : all;
    const others = candidates.filter((host) => host !== avoid);
    return leastLoadedOfTwo(others.length > 0 ? others : candidates, deps.random);
  }

  return {
    all: all as readonly Host[],
    /**
     * Chooses the host of a call by the power of two choices: of two random hosts, the one with fewer running calls.
     * Calls with the same `affinity` stay at one host while it is usable. `avoid` is not chosen if there is another.
     */
    choose(affinity: object, avoid?: Host): Host {
      if (all.length === 1) return only;
      const last = affinities.get(affinity);
      if (last !== undefined && last !== avoid && isUsable(last)) return last;
      const drawn = draw(avoid);
      affinities.set(affinity, drawn);
      return drawn;
    },
    /** Reports the outcome of a call to a host, and when the call was sent. */
    report(host: Host, outcome: CallOutcome, startedMs: number): void {
      if (all.length === 1 || outcome === 'ignored') return;
      if (outcome === 'success') ejections.addSuccess(host as TrackedHost);
      else ejections.addFailure(host as TrackedHost, outcome, startedMs);
    },
    /** Reports the result of a health check. */
    reportHealth(reported: Host, isHealthy: boolean): void {
      const host = reported as TrackedHost;
      if (host.isHealthy === isHealthy) return;
      host.isHealthy = isHealthy;
      deps.onEvent(host, isHealthy ? 'healthy' : 'unhealthy');
    },
  };
}
