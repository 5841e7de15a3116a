// Lets a primary, which has no Redis, read and write through one of its workers what the gateways of a fleet share in Redis.

import { type Fleet, fleetCalls } from '../../store/fleet/fleet.ts';
import type { WorkerQuery } from './messages.ts';
import type { WorkerLink } from './worker-link.ts';

type Call = (...args: readonly unknown[]) => Promise<unknown>;

/** How long a primary waits for its worker: for figures of many hours, which are many keys, and for anything else. */
const READ_MS = 10_000;
const ASK_MS = 5_000;

/** Calls a function of the fleet in a worker, for the primary. @throws Error if Redis fails, or there is none for the cache */
export async function answerFleet(
  { fleet }: { readonly fleet: Fleet | undefined },
  query: Extract<WorkerQuery, { about: 'fleet' }>,
): Promise<unknown> {
  if (fleet === undefined) throw new Error('there is no Redis for the cache');
  return (fleet[query.call] as Call)(...query.with);
}

/**
 * Creates the fleet of a primary: one of its workers reads and writes. If the worker fails, no other worker is asked, because
 * the first may have written already, and figures would be counted twice.
 */
export function createForwardedFleet(serving: () => readonly Pick<WorkerLink, 'ask'>[]): Fleet {
  const forward =
    (call: keyof Fleet): Call =>
    async (...args) => {
      const [link] = serving();
      if (link === undefined) throw new Error('no worker serves');
      return link.ask({ about: 'fleet', call, with: args }, call === 'readFigures' ? READ_MS : ASK_MS);
    };
  return Object.fromEntries(fleetCalls.map((call) => [call, forward(call)])) as Fleet;
}
