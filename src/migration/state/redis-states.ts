// The states of the migrations of a fleet. They are changed in Redis by compare-and-set, and every process follows the changes.

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

/** A process that has not written for this time no longer counts as running. */
const ACK_MS = 15_000;

/** The part of a state's Redis key. It contains the sources, because another pair of sources is another migration. */
const partOf = ({ resource, sources }: Pick<MigrationState, 'resource' | 'sources'>) =>
  ['state', resource, ...sources].join(':');

/** Reads and writes states in Redis. All functions reject if Redis fails. */
function createStore({ client, keyOf }: RedisStatesDeps) {
  const seen = [keyOf('seen'), keyOf('revs')] as const;
  return {
    channel: keyOf('changed'),
    /** The text of a state; `null` if there is none. */
    read: (of: Pick<MigrationState, 'resource' | 'sources'>) => client.hget(keyOf(partOf(of)), 'state'),
    /** Writes a state. If Redis has a state with a `rev` above `revMax`, it writes nothing and returns the text of that state. */
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

/** What the states need. `file` is for a start without Redis; if `client` fails later, this process keeps the state that it has. */
export type RedisStatesDeps = {
  readonly client: Redis;
  /** Builds Redis keys. All have the same hash tag, because a script may only use keys of one slot of a cluster. */
  readonly keyOf: (part: string) => string;
  readonly file: StateFile;
  readonly clock: Clock;
  /** The name of this process, such as `host-1:4711`. */
  readonly instance: string;
  readonly log: { warn(fields: object, message: string): void };
  /** Called when Redis had lost changes of a migration and this process has written them again. */
  readonly onRegressed?: ((resource: string) => void) | undefined;
};

const POLL_MS = 1_000;

/** Why a state in Redis is not used. */
const UNREADABLE = {
  damaged: 'the state of a migration in Redis is damaged; it is not followed',
  newer: 'the state of a migration in Redis has the format of a newer Portico; it is not followed',
} as const;

type Store = ReturnType<typeof createStore>;

/** Creates the function that compares the state in Redis with that of this process. The state with the higher `rev` wins. */
function createReconcile(replica: StateReplica, store: Store, { log, onRegressed }: RedisStatesDeps) {
  const warned = new Set<string>();

  /** Logs why a text is not used, once for each text. */
  function warn(resource: string, text: string, problem: keyof typeof UNREADABLE): void {
    if (warned.has(text)) return;
    warned.add(text);
    log.warn({ resource }, UNREADABLE[problem]);
  }

  async function putBack(own: MigrationState, redisRev: number): Promise<void> {
    if ((await store.write(own.rev - 1, own)) !== 'written') return;
    const { resource, rev } = own;
    onRegressed?.(resource);
    log.warn({ resource, rev, redisRev }, 'Redis had lost changes of a migration; they are there again');
  }

  return async function reconcile(declared: DeclaredMigration): Promise<void> {
    const text = await store.read(declared);
    const own = replica.shared(declared.resource);
    if (own === undefined) return;
    const found = text === null ? undefined : readState(text);
    if (text !== null && typeof found === 'string') warn(own.resource, text, found);
    // A newer Portico has written this state, so this process must not replace it.
    if (found === 'newer') return;
    const state = found === 'damaged' ? undefined : found;
    if ((state?.rev ?? 0) < own.rev) await putBack(own, state?.rev ?? 0);
    else if (state !== undefined && writeState(state) !== writeState(own)) replica.replace(state);
  };
}

/** Calls `work` about every second, one call after another. Returns the function that stops this. */
function pollForever(work: () => Promise<void>): () => void {
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;
  function next(): void {
    if (isClosed) return;
    // The interval is random, so that processes that started together do not all ask at the same time.
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
 * Subscribes to a channel on a separate connection, which reconnects by itself. `onNews` is called for each message, and after
 * each reconnect, because messages may have been missed before it. Returns the function that ends the subscription.
 */
function subscribe(client: Redis | Cluster, channel: string, onNews: () => void): () => void {
  // If the client subscribed again by itself and failed, nobody could catch the rejection, and the process would end.
  const connection =
    client instanceof Cluster ? client.duplicate() : client.duplicate({ autoResubscribe: false });
  connection.on('error', () => undefined);
  connection.on('message', onNews);
  connection.on('ready', () => void connection.subscribe(channel).then(onNews, () => undefined));
  return () => connection.disconnect();
}

/** Follows the changes of other processes. A gateway without migrations sends nothing to Redis. */
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
 * Creates the states of a fleet. A change is published in Redis; each process also reads the states every second, because a
 * message may get lost. While Redis fails, this process continues with the state that it has.
 */
export function createRedisStates(deps: RedisStatesDeps): MigrationStateStore {
  const { client, clock, instance } = deps;
  const store = createStore(deps);
  const replica = createStateReplica({ ...deps, isFileLeading: false });
  const reconcile = createReconcile(replica, store, deps);
  // Calls run one after another; otherwise a late reply with an old state would look as if Redis had lost the newer state.
  const inTurn = createSerialQueue();
  let readAt = clock.monotonic();

  async function acknowledge(): Promise<void> {
    const declared = replica.declared();
    if (declared.length === 0) return;
    const revs = declared.map((one) => [store.partOf(one), replica.current(one.resource)?.rev ?? 0] as const);
    await store.acknowledge(instance, Object.fromEntries(revs));
  }

  async function read(): Promise<void> {
    if (client.status !== 'ready') return;
    try {
      await Promise.all(replica.declared().map(reconcile));
      readAt = clock.monotonic();
      await acknowledge();
    } catch {
      // Redis is down. The next read finds the changes made meanwhile.
    }
  }
  const refresh = () => inTurn(read);

  async function write(expected: MigrationState, next: Omit<MigrationState, 'rev'>): Promise<StateChange> {
    const state = { ...next, rev: expected.rev + 1 };
    const own = replica.shared(expected.resource);
    if (own !== undefined && own.rev > expected.rev) return { kind: 'conflict', state: own };
    const written = await store.write(expected.rev, state);
    if (written === 'written') {
      replica.replace(state);
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
    replica.replace(winner);
    return { kind: 'conflict', state: winner };
  }

  const following = createFollowing(deps, store, refresh);
  return {
    ...replica,
    declare(all) {
      replica.declare(all);
      if (all.length === 0) following.end();
      else following.begin();
      void refresh();
    },
    change: (expected, next) => inTurn(() => write(expected, next)),
    refresh,
    async acknowledged(resource) {
      const state = replica.shared(resource);
      return state === undefined ? { total: 0, atRev: 0, stale: [] } : store.acknowledged(state);
    },
    staleSeconds: () => (clock.monotonic() - readAt) / 1_000,
    close: following.end,
  };
}
