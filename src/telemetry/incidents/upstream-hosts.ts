// Remembers of the hosts of one upstream which are dead and which were well, so that its incident names the one that fails.

import { hostOf } from './incident-tally.ts';
import { QUIET_MS, SAME_MS } from './incident.ts';

/** Creates the memory of the hosts of one upstream, which is empty. */
export function createUpstreamHosts() {
  /** The hosts that are not asked because they failed, with the time at which that was last reported. */
  const dead = new Map<string, number>();
  /** When each host, by its base URL, last answered well. */
  const wellAt = new Map<string, number>();
  return {
    ok(at: number, base: string): void {
      wellAt.set(base, at);
      if (dead.size > 0) dead.delete(hostOf(base));
    },
    lost: (name: string, now: number): void => void dead.set(name, now),
    /** Whether a host is dead at this moment. One of which nothing was heard for long may be gone. */
    isOneDead(now: number): boolean {
      for (const [name, at] of dead) if (now - at > SAME_MS) dead.delete(name);
      return dead.size > 0;
    },
    /** The hosts that were well until shortly before a moment. */
    wellUntil: (ms: number): readonly string[] =>
      [...wellAt].flatMap(([base, at]) => (at >= ms - QUIET_MS ? [base] : [])),
  };
}
