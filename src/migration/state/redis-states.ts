// The states of migrations of a fleet: changed in Redis by compare-and-set, followed by every process.

import { Cluster, type Redis } from 'ioredis';
import type { Clock } from '../../kernel/clock.ts';
import { createSerialQueue } from '../../kernel/semaphore.ts';
import type { DeclaredMigration } from './declared-migration.ts';
import { createStateReplica, type StateReplica } from './state-replica.ts';
import type { MigrationState } from './migration-state.ts';
import type { AcknowledgedState, MigrationStateStore, StateChange } from './state-store.ts';
import { readState, writeState } from './state-format.ts';
import type { StateFile } from './state-file.ts';
import { acknowledgeRevs, compareAndSetState } from '../../store/redis/scripts/record-scripts.ts';

/** How long a process counts as running that no longer writes. */
const ACK_MS = 15_000;

/** The key of a state. It contains the sources, because another pair of sources is another migration. */
const partOf = ({ resource, sources }: Pick<MigrationState, 'resource' | 'sources'>) =>
  ['state', resource, ...sources].join(':');

/** Reads and writes states in Redis. Everything rejects where Redis fails. */
function createStore({ client, keyOf }: RedisStatesDeps) {
  const seen = [keyOf('seen'), keyOf('revs')] as const;
  return {
    channel: keyOf('changed'),
    /** The text of a state; `null`: there is none. */
    read: (of: Pick<MigrationState, 'resource' | 'sources'>) => client.hget(keyOf(partOf(of)), 'state'),
    /** Writes a state unless Redis has one whose `rev` is above `revMax`; then it returns that one's text. */
    async write(revMax: number, state: MigrationState): Promise<'written' | { readonly text: string }> {
      const args = [revMax, state.rev, writeState(state), keyOf('changed')];
      const reply = await compareAndSetState(client, [keyOf(partOf(state))], args);
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

/**
 * `file` is for a start while Redis is away. `client` may fail at any time: this process then goes on with what it knows,
 * and a change rejects.
 */
export type RedisStatesDeps = {
  readonly client: Redis;
  /** Builds the Redis key of a part; all parts have one hash tag: a script may only touch keys of one slot of a cluster. */
  readonly keyOf: (part: string) => string;
  readonly file: StateFile;
  readonly clock: Clock;
  /** The name of this process, such as `host-1:4711`. */
  readonly instance: string;
  readonly log: { warn(fields: object, message: string): void };
  /** Called where Redis had lost changes of a migration, and has got them back. */
  readonly onRegressed?: ((resource: string) => void) | undefined;
};

const POLL_MS = 1_000;

/** Why a text in Redis is not followed. */
const UNREADABLE = {
  damaged: 'the state of a migration in Redis is damaged; it is not followed',
  newer: 'the state of a migration in Redis has the format of a newer Portico; it is not followed',
} as const;

type Store = ReturnType<typeof createStore>;

/** Compares the state in Redis with that of this process. The higher `rev` replaces the lower one, in either place. */
function createComparison(known: StateReplica, store: Store, { log, onRegressed }: RedisStatesDeps) {
  const told = new Set<string>();

  /** Says once of each text why it is not followed. */
  function warn(resource: string, text: string, problem: keyof typeof UNREADABLE): void {
    if (told.has(text)) return;
    told.add(text);
    log.warn({ resource }, UNREADABLE[problem]);
  }

  async function putBack(own: MigrationState, redisRev: number): Promise<void> {
    if ((await store.write(own.rev - 1, own)) !== 'written') return;
    const { resource, rev } = own;
    onRegressed?.(resource);
    log.warn({ resource, rev, redisRev }, 'Redis had lost changes of a migration; they are there again');
  }

  return async function compare(declared: DeclaredMigration): Promise<void> {
    const text = await store.read(declared);
    const own = known.shared(declared.resource);
    if (own === undefined) return;
    const found = text === null ? undefined : readState(text);
    if (text !== null && typeof found === 'string') warn(own.resource, text, found);
    // A newer Portico goes on with its state: nothing of this process may replace it.
    if (found === 'newer') return;
    const state = found === 'damaged' ? undefined : found;
    if ((state?.rev ?? 0) < own.rev) await putBack(own, state?.rev ?? 0);
    else if (state !== undefined && writeState(state) !== writeState(own)) known.learn(state);
  };
}

/** Calls `work` about every second, one call after the other, until it is closed. */
function pollForever(work: () => Promise<void>): () => void {
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;
  function next(): void {
    if (isClosed) return;
    // Processes that were started at the same moment must not go on asking at the same moments.
    const waitMs = POLL_MS * (0.9 + Math.random() * 0.2);
    timer = setTimeout(() => void work().then(next), waitMs);
    timer.unref();
  }
  next();
  return () => {
    isClosed = true;
    clearTimeout(timer);
  };
}

/**
 * Listens to a channel with a connection of its own, which is made again by itself. `onNews` is called at each message, and
 * whenever the subscription has begun anew, because messages may have been missed before. Returns what ends it.
 */
function subscribe(client: Redis | Cluster, channel: string, onNews: () => void): () => void {
  // The client's own subscribing after a reconnect exposes no promise: its failure would end the process.
  const connection =
    client instanceof Cluster ? client.duplicate() : client.duplicate({ autoResubscribe: false });
  connection.on('error', () => undefined);
  connection.on('message', onNews);
  connection.on('ready', () => void connection.subscribe(channel).then(onNews, () => undefined));
  return () => connection.disconnect();
}

/** Follows what other processes change. A gateway without migrations asks Redis nothing. */
function createFollowing({ client, instance }: RedisStatesDeps, store: Store, refresh: () => Promise<void>) {
  let stop: (() => void) | undefined;
  function follow(): () => void {
    const unsubscribe = subscribe(client, store.channel, () => void refresh());
    const stopPolling = pollForever(refresh);
    return function stopFollowing() {
      stopPolling();
      unsubscribe();
      if (client.status === 'ready') void store.leave(instance).catch(() => undefined);
    };
  }
  return {
    begin: () => void (stop ??= follow()),
    end: (): void => {
      stop?.();
      stop = undefined;
    },
  };
}

/**
 * Creates the states of a fleet, changed in Redis by compare-and-set. A change is published; it is also found by a read every
 * second, because a message may get lost. While Redis fails, this process goes on with the state that it knows.
 */
export function createRedisStates(deps: RedisStatesDeps): MigrationStateStore {
  const { client, clock, instance } = deps;
  const store = createStore(deps);
  const known = createStateReplica({ ...deps, isFileLeading: false });
  const compare = createComparison(known, store, deps);
  // In turn, so that a late answer with an old state does not look as if Redis had lost a newer one.
  const inTurn = createSerialQueue();
  let readAt = clock.monotonic();

  async function acknowledge(): Promise<void> {
    const declared = known.declared();
    if (declared.length === 0) return;
    const revs = declared.map((one) => [store.partOf(one), known.current(one.resource)?.rev ?? 0] as const);
    await store.acknowledge(instance, Object.fromEntries(revs));
  }

  async function read(): Promise<void> {
    if (client.status !== 'ready') return;
    try {
      await Promise.all(known.declared().map(compare));
      readAt = clock.monotonic();
      await acknowledge();
    } catch {
      // While Redis is down nothing changes; the next reading finds what was changed there.
    }
  }
  const refresh = () => inTurn(read);

  async function write(expected: MigrationState, next: Omit<MigrationState, 'rev'>): Promise<StateChange> {
    const state = { ...next, rev: expected.rev + 1 };
    const own = known.shared(expected.resource);
    if (own !== undefined && own.rev > expected.rev) return { kind: 'conflict', state: own };
    const written = await store.write(expected.rev, state);
    if (written === 'written') {
      known.learn(state);
      await acknowledge().catch(() => undefined);
      return { kind: 'changed', state };
    }
    const winner = readState(written.text);
    if (winner === 'newer')
      throw new Error(
        'the state of this migration in Redis has the format of a newer Portico: change it there, or end the upgrade',
      );
    if (winner === 'damaged')
      throw new Error('the state of this migration in Redis is damaged: restore it, or delete its key');
    known.learn(winner);
    return { kind: 'conflict', state: winner };
  }

  const following = createFollowing(deps, store, refresh);
  return {
    ...known,
    declare(all) {
      known.declare(all);
      if (all.length === 0) following.end();
      else following.begin();
      void refresh();
    },
    change: (expected, next) => inTurn(() => write(expected, next)),
    refresh,
    async acknowledged(resource) {
      const state = known.shared(resource);
      return state === undefined ? { total: 0, atRev: 0, stale: [] } : store.acknowledged(state);
    },
    staleSeconds: () => (clock.monotonic() - readAt) / 1_000,
    close: following.end,
  };
}
