import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { systemClock } from '../../../src/kernel/clock.ts';
import type { DeclaredMigration } from '../../../src/migration/state/declared-migration.ts';
import type { MigrationState } from '../../../src/migration/state/migration-state.ts';
import type { MigrationStates } from '../../../src/migration/state/migration-states.ts';
import { createRedisStates } from '../../../src/migration/state/redis-states.ts';
import { openStateFile } from '../../../src/migration/state/state-file.ts';
import { createRedisKeys } from '../../../src/store/redis/redis-keys.ts';
import { createRedis } from '../../../src/store/redis/redis.ts';
import { redisUsers } from '../../support/redis/documented-users.ts';
import { type RedisServer, startRedis } from '../../support/redis/redis-server.ts';
import { eventually } from '../../support/time/eventually.ts';

const users: DeclaredMigration = {
  resource: 'users',
  sources: ['crm', 'people'],
  digests: ['d1', 'd2'],
  position: { stage: 'legacy', percent: 0 },
};

/** The key of their state. */
const STATE = 'portico:{migration}:state:users:crm:people';

let server: RedisServer;
let folder: string;
let admin: Redis;
const closing: (() => unknown)[] = [];
const warnings: string[] = [];
const regressed: string[] = [];
const quiet = { info: () => undefined, warn: () => undefined };
const log = { warn: (_fields: object, message: string) => void warnings.push(message) };

/** A process of the fleet, which has asked Redis once where Redis is there. */
async function open(
  instance: string,
  {
    declared = users,
    dir,
    url = server.url,
  }: { declared?: DeclaredMigration; dir?: string; url?: string } = {},
): Promise<MigrationStates> {
  const redis = createRedis({ url, commandTimeoutMs: 250, connectTimeoutMs: 1_000 }, quiet);
  await redis.untilReady(1_000);
  const keyOf = (part: string) => createRedisKeys('portico:').migration(part);
  const file = openStateFile(dir, instance, (problem) => warnings.push(problem));
  const onRegressed = (resource: string) => void regressed.push(resource);
  const deps = { client: redis.client, keyOf, file, clock: systemClock, instance, log, onRegressed };
  const states = createRedisStates(deps);
  states.declare([declared]);
  await states.refresh();
  closing.push(
    () => states.close(),
    () => redis.close(),
  );
  return states;
}

const moved = (state: MigrationState, percent: number): MigrationState => ({
  ...state,
  stage: 'ramp',
  percent,
});

/** Changes the share, from a state with the `rev` that is in force. */
async function move(states: MigrationStates, percent: number): Promise<MigrationState> {
  const state = states.current('users')!;
  const change = await states.change(state, moved(state, percent));
  expect(change.kind).toBe('changed');
  return change.state;
}

beforeAll(async () => {
  server = await startRedis();
  admin = new Redis(server.url);
  admin.on('error', () => undefined);
});
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'portico-states-'));
});
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
  warnings.length = 0;
  regressed.length = 0;
  await admin.flushall();
  await rm(folder, { recursive: true });
});
afterAll(async () => {
  admin.disconnect();
  await server.stop();
});

describe('the state of a migration in a fleet', () => {
  it('is what the file says until somebody begins, and then the same in every process', async () => {
    const [a, b] = [await open('a'), await open('b')];
    expect(a.current('users')).toMatchObject({ rev: 0, stage: 'legacy', percent: 0, generation: 1 });
    const state = await move(a, 5);
    expect(state.rev).toBe(1);
    await eventually(() => b.current('users')?.rev === 1);
    expect(b.current('users')).toEqual(state);
    expect((await open('c')).current('users')).toEqual(state);
  });

  it('has one winner where many change it at once, and the others learn who', async () => {
    const fleet = await Promise.all(['a', 'b', 'c', 'd'].map((name) => open(name)));
    const state = fleet[0]!.current('users')!;
    const writers = Array.from({ length: 50 }, (_, n) => fleet[n % 4]!.change(state, moved(state, n / 100)));
    const changes = await Promise.all(writers);
    const winners = changes.filter(({ kind }) => kind === 'changed');
    expect(winners).toHaveLength(1);
    for (const change of changes) expect(change.state).toEqual(winners[0]!.state);
    for (const states of fleet) expect(states.current('users')).toEqual(winners[0]!.state);
  });

  it('reaches a process that gets no messages within two seconds', async () => {
    const [a, b] = [await open('a'), await open('b')];
    const ids = String(await admin.call('client', 'LIST', 'TYPE', 'pubsub'));
    for (const [, id = ''] of ids.matchAll(/^id=(\d+)/gm)) await admin.call('client', 'KILL', 'ID', id);
    const startedAt = performance.now();
    await move(a, 5);
    await eventually(() => b.current('users')?.percent === 5);
    expect(performance.now() - startedAt).toBeLessThan(2_000);
  });

  it('is acknowledged by every process that has taken it over, and not by one that has closed', async () => {
    const [a, b] = [await open('a'), await open('b')];
    await move(a, 5);
    await eventually(async () => (await a.acknowledged('users')).atRev === 2);
    expect(await a.acknowledged('users')).toEqual({ total: 2, atRev: 2, stale: [] });
    b.close();
    await eventually(async () => (await a.acknowledged('users')).total === 1);
  });

  it('counts a process as stale that has not taken over the last change', async () => {
    const a = await open('a');
    await move(a, 5);
    await admin.zadd('portico:{migration}:seen', Date.now(), 'late-1:4711');
    await admin.hset('portico:{migration}:revs', 'late-1:4711', '{"state:users:crm:people":0}');
    expect(await a.acknowledged('users')).toEqual({ total: 2, atRev: 1, stale: ['late-1:4711'] });
  });

  it('is put back where Redis has lost it, and the rev never falls', async () => {
    const a = await open('a');
    await move(a, 5);
    const state = await move(a, 25);
    expect(regressed).toEqual([]);
    await admin.flushall();
    const late = await open('late');
    await eventually(() => late.current('users')?.rev === 2);
    expect(late.current('users')).toEqual(state);
    expect(a.current('users')).toEqual(state);
    expect(warnings).toContain('Redis had lost changes of a migration; they are there again');
    expect(regressed).toEqual(['users']);
    expect((await move(late, 50)).rev).toBe(3);
  });

  it('is kept by a process while Redis is gone, and a change is refused then', async () => {
    const a = await open('a');
    const state = await move(a, 5);
    await server.pause();
    try {
      await expect(a.change(state, moved(state, 25))).rejects.toThrow();
      await a.refresh();
      expect(a.current('users')).toEqual(state);
      expect(a.staleSeconds()).toBeGreaterThan(0);
    } finally {
      server.resume();
    }
    await eventually(() => a.staleSeconds() < 0.5);
  });

  it('is read from state.dir by a process that starts without Redis, the override of that process included', async () => {
    const a = await open('a', { dir: folder });
    const state = await move(a, 5);
    a.override({ ...state, stage: 'shadow', percent: 0 });
    await server.kill();
    const b = await open('b', { dir: folder });
    expect(b.current('users')).toEqual({ ...state, stage: 'shadow', percent: 0 });
    await server.restart();
    // Redis has lost everything with the restart, and learns it from a process.
    const c = await open('c', { declared: users });
    await eventually(() => c.current('users')?.rev === 1, { withinMs: 5_000 });
    await move(c, 25);
    await eventually(() => b.current('users')?.percent === 25);
  });

  it('does not count for another pair of sources', async () => {
    await move(await open('a'), 5);
    const next = await open('b', { declared: { ...users, sources: ['people', 'hr'] } });
    expect(next.current('users')).toMatchObject({ rev: 0, stage: 'legacy' });
  });

  it('is not followed where somebody has damaged it', async () => {
    const a = await open('a');
    const state = await move(a, 5);
    await admin.hset(STATE, 'rev', 9, 'state', '{"stage":"live"}');
    await a.refresh();
    expect(a.current('users')).toEqual(state);
    expect(warnings).toContain('the state of a migration in Redis is damaged; it is not followed');
    await expect(a.change(state, moved(state, 25))).rejects.toThrow('damaged');
  });

  it('carries the number of its format, and counts as format 1 without one', async () => {
    const a = await open('a');
    const state = await move(a, 5);
    expect(JSON.parse((await admin.hget(STATE, 'state'))!)).toEqual({ version: 1, ...state });
    const written = { ...state, rev: 2, percent: 7 };
    await admin.hset(STATE, 'rev', 2, 'state', JSON.stringify(written));
    const seen: number[] = [];
    a.onChange(({ rev }) => seen.push(rev));
    for (let round = 0; round < 2; round += 1) await a.refresh();
    expect([a.current('users'), seen, warnings]).toEqual([written, [2], []]);
  });

  it.each([9, 1])(
    'is neither followed nor replaced in the format of a newer version, at rev %i',
    async (rev) => {
      const a = await open('a');
      await move(a, 5);
      const state = await move(a, 7);
      const newer = JSON.stringify({ version: 2, ...state, rev, percent: 50 });
      await admin.hset(STATE, 'rev', rev, 'state', newer);
      for (let round = 0; round < 2; round += 1) await a.refresh();
      expect([a.current('users'), await admin.hget(STATE, 'state')]).toEqual([state, newer]);
      expect(warnings).toEqual([
        'the state of a migration in Redis has the format of a newer Portico; it is not followed',
      ]);
      if (rev > state.rev) await expect(a.change(state, moved(state, 25))).rejects.toThrow('newer Portico');
    },
  );

  it('needs no more rights in Redis than config/operations.md gives the user of the keys', async () => {
    const { name, rules } = redisUsers.find((user) => user.name === 'portico-keys')!;
    await admin.acl('SETUSER', name, 'on', '>secret', ...rules);
    await admin.acl('LOG', 'RESET');
    const url = server.url.replace('//', `//${name}:secret@`);
    const [a, b] = [await open('a', { url }), await open('b', { url })];
    await move(a, 5);
    await eventually(() => b.current('users')?.rev === 1);
    expect((await a.acknowledged('users')).total).toBe(2);
    a.close();
    await eventually(async () => (await b.acknowledged('users')).total === 1);
    expect(await admin.acl('LOG')).toEqual([]);
  });

  it('calls back at each change, and says nothing of what was not declared', async () => {
    const a = await open('a');
    const seen: number[] = [];
    const stop = a.onChange(({ percent }) => seen.push(percent));
    await move(a, 5);
    stop();
    await move(a, 25);
    expect(seen).toEqual([5]);
    expect(a.current('products')).toBeUndefined();
    a.declare([]);
    expect(a.current('users')).toBeUndefined();
  });
});
