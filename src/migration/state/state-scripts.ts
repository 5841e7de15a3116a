// Reads and writes states in Redis, by scripts.

import type { Redis } from 'ioredis';
import { acknowledgeRevs, writeStateText } from '../../store/redis/scripts/record-scripts.ts';
import type { MigrationState } from './migration-state.ts';
import type { AcknowledgedState } from './state-store.ts';
import { writeState } from './state-format.ts';

/** How long a process counts as running that no longer writes. */
const ACK_MS = 15_000;

/** One hash tag, because a script may only touch keys of one slot of a Redis Cluster. */
export type StateKeys = {
  /** Builds the Redis key of a part; all parts have the same hash tag. */
  readonly keyOf: (part: string) => string;
};

type Client = Pick<Redis, 'callBuffer' | 'hget' | 'hgetall' | 'zrem' | 'hdel'>;

/** The key of a state. It contains the sources, because another pair of sources is another migration. */
const partOf = ({ resource, sources }: Pick<MigrationState, 'resource' | 'sources'>) =>
  ['state', resource, ...sources].join(':');

/** Reads and writes states in Redis. Everything rejects where Redis fails. */
export function createStateScripts(client: Client, { keyOf }: StateKeys) {
  const seen = [keyOf('seen'), keyOf('revs')] as const;
  return {
    channel: keyOf('changed'),
    /** The text of a state; `null`: there is none. */
    read: (of: Pick<MigrationState, 'resource' | 'sources'>) => client.hget(keyOf(partOf(of)), 'state'),
    /** Writes a state unless Redis has one whose `rev` is above `revMax`; then it returns that one's text. */
    async write(revMax: number, state: MigrationState): Promise<'written' | { readonly text: string }> {
      const args = [revMax, state.rev, writeState(state), keyOf('changed')];
      const reply = await writeStateText(client, [keyOf(partOf(state))], args);
      return reply === 1 ? 'written' : { text: String(reply) };
    },
    async acknowledge(instance: string, revs: Readonly<Record<string, number>>): Promise<void> {
      await acknowledgeRevs(client, seen, [instance, JSON.stringify(revs), ACK_MS]);
    },
    async acknowledged(of: MigrationState): Promise<AcknowledgedState> {
      const all = Object.entries(await client.hgetall(seen[1])).flatMap(([instance, text]) => {
        const { [partOf(of)]: rev } = JSON.parse(text) as Record<string, number | undefined>;
        return rev === undefined ? [] : [{ instance, isCurrent: rev >= of.rev }];
      });
      const stale = all.filter(({ isCurrent }) => !isCurrent).map(({ instance }) => instance);
      return { total: all.length, atRev: all.length - stale.length, stale: stale.sort() };
    },
    async leave(instance: string): Promise<void> {
      await Promise.all([client.zrem(seen[0], instance), client.hdel(seen[1], instance)]);
    },
    partOf,
  };
}
