import type { CallOutcome } from './breaker.ts';

/** One address of a source. */
export type Host = {
  /** What targets are appended to. */
  readonly base: string;
  /** Host and port, for log and metrics. */
  readonly name: string;
  /** Calls under way. */
  active: number;
};

/** What happens to a host: left out after failures in a row, or found sick or sound by a check. */
export type HostEvent = 'ejected' | 'sick' | 'sound';

/** When a host is left out, and for how long. */
export type HostsOptions = {
  /** Failures in a row. */
  readonly failures: number;
  /** How long for the first time; for the n-th time, n times as long. */
  readonly ejectMs: number;
};

/** The addresses of one source. */
export type Hosts = {
  readonly all: readonly Host[];
  /**
   * The address for a call: of two drawn by lot, the one with fewer calls under way. The calls of one errand stay with
   * the address of the first, as long as it is well; `avoid` is left out where there is another.
   */
  choose(errand: object, avoid?: Host): Host;
  /** What a call showed of a host. */
  report(host: Host, finding: CallOutcome): void;
  /** What a check of its health found. */
  check(host: Host, isSound: boolean): void;
};

/** What is known of a host. */
type Known = Host & { failures: number; ejections: number; backAt: number; isSick: boolean };

/** A host is left out for so many times the first time at most. */
const EJECTIONS_MAX = 30;

/** Creates the addresses of a source: at least one. `random` gives numbers from 0 to below 1. */
export function createHosts(
  bases: readonly string[],
  { failures: failuresMax, ejectMs }: HostsOptions,
  { monotonic, random }: { readonly monotonic: () => number; readonly random: () => number },
  onEvent: (host: Host, event: HostEvent) => void,
): Hosts {
  const all = bases.map((base): Known => ({
    ...{ base, name: new URL(base).host, active: 0 },
    ...{ failures: 0, ejections: 0, backAt: -Infinity, isSick: false },
  }));
  const [only] = all as [Known];
  /** Where an errand is at home. Pages read from several hosts need not fit together: one may lag behind. */
  const homes = new WeakMap<object, Known>();
  const isUsable = (host: Known) => !host.isSick && monotonic() >= host.backAt;

  function lighter(hosts: readonly Known[]): Known {
    const first = Math.floor(random() * hosts.length);
    const second = (first + 1 + Math.floor(random() * (hosts.length - 1))) % hosts.length;
    const [one, other] = [hosts[first], hosts[second]] as [Known, Known];
    return other.active < one.active ? other : one;
  }

  function draw(avoid: Host | undefined): Known {
    const usable = all.filter(isUsable);
    // Where no host is well, any may be better than its reputation.
    const open = usable.length > 0 ? usable : all;
    const others = open.filter((host) => host !== avoid);
    return lighter(others.length > 0 ? others : open);
  }

  function countFailure(host: Known): void {
    // Calls that were under way when it was left out.
    if (!isUsable(host)) return;
    host.failures += 1;
    if (host.failures < failuresMax) return;
    if (!all.some((other) => other !== host && isUsable(other))) return;
    host.failures = 0;
    host.ejections = Math.min(EJECTIONS_MAX, host.ejections + 1);
    host.backAt = monotonic() + ejectMs * host.ejections;
    onEvent(host, 'ejected');
  }

  function forgive(host: Known): void {
    host.failures = 0;
    // Well again for as long as it was left out.
    if (monotonic() >= host.backAt + ejectMs * host.ejections) host.ejections = 0;
  }

  return {
    all,
    choose(errand, avoid) {
      if (all.length === 1) return only;
      const home = homes.get(errand);
      if (home !== undefined && home !== avoid && isUsable(home)) return home;
      const drawn = draw(avoid);
      homes.set(errand, drawn);
      return drawn;
    },
    report(told, finding) {
      const host = told as Known;
      if (all.length === 1 || finding === 'unknown') return;
      if (finding === 'bad') countFailure(host);
      else forgive(host);
    },
    check(told, isSound) {
      const host = told as Known;
      if (host.isSick === !isSound) return;
      host.isSick = !isSound;
      onEvent(host, isSound ? 'sound' : 'sick');
    },
  };
}
