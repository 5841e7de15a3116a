import { type Fleet, fleetCalls } from '../../store/fleet/fleet.ts';
import type { WorkerQuery } from './messages.ts';
import type { WorkerLink } from './worker-link.ts';

type Call = (...args: readonly unknown[]) => Promise<unknown>;

const READ_MS = 10_000;
const ASK_MS = 5_000;

/** Does something with the fleet for a primary, which has no Redis. @throws Error if Redis fails */
export async function answerFleet(
  { fleet }: { readonly fleet: Fleet | undefined },
  query: Extract<WorkerQuery, { about: 'fleet' }>,
): Promise<unknown> {
  if (fleet === undefined) throw new Error('there is no Redis for the cache');
  return (fleet[query.call] as Call)(...query.with);
}

/**
 * The fleet for a primary: one of its workers reads and writes. No second one is asked if that fails: the first may have
 * written, and figures would be counted twice.
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
