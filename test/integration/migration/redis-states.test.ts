import { redisUsers } from '../../support/redis/documented-users.ts';
import { atRamp, move, users, useStateFleet } from '../../support/migration/state-fleet.ts';
import { eventually } from '../../support/time/eventually.ts';
import { createFolder } from '../../support/process/folder.ts';
import { startForEach } from '../../support/jest/lifetime.ts';

/** The key of the state of users. */
const STATE = 'portico:{migration}:state:users:crm:people';

const fleet = useStateFleet();
const { open } = fleet;
const folder = startForEach(() => createFolder('states'));

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
    const all = await Promise.all(['a', 'b', 'c', 'd'].map((name) => open(name)));
    const state = all[0]!.current('users')!;
    const writers = Array.from({ length: 50 }, (_, n) => all[n % 4]!.change(state, atRamp(state, n / 100)));
    const changes = await Promise.all(writers);
    const winners = changes.filter(({ kind }) => kind === 'changed');
    expect(winners).toHaveLength(1);
    for (const change of changes) expect(change.state).toEqual(winners[0]!.state);
    for (const states of all) expect(states.current('users')).toEqual(winners[0]!.state);
  });

  it('reaches a process that gets no messages within two seconds', async () => {
    const [a, b] = [await open('a'), await open('b')];
    const ids = String(await fleet.admin.call('client', 'LIST', 'TYPE', 'pubsub'));
    for (const [, id = ''] of ids.matchAll(/^id=(\d+)/gm)) await fleet.admin.call('client', 'KILL', 'ID', id);
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
    await fleet.admin.zadd('portico:{migration}:seen', Date.now(), 'late-1:4711');
    await fleet.admin.hset('portico:{migration}:revs', 'late-1:4711', '{"state:users:crm:people":0}');
    expect(await a.acknowledged('users')).toEqual({ total: 2, atRev: 1, stale: ['late-1:4711'] });
  });

  it('is put back where Redis has lost it, and the rev never falls', async () => {
    const a = await open('a');
    await move(a, 5);
    const state = await move(a, 25);
    expect(fleet.regressed).toEqual([]);
    await fleet.admin.flushall();
    const late = await open('late');
    await eventually(() => late.current('users')?.rev === 2);
    expect(late.current('users')).toEqual(state);
    expect(a.current('users')).toEqual(state);
    expect(fleet.warnings).toContain('Redis had lost changes of a migration; they are there again');
    expect(fleet.regressed).toEqual(['users']);
    expect((await move(late, 50)).rev).toBe(3);
  });

  it('is kept by a process while Redis is gone, and a change is refused then', async () => {
    const a = await open('a');
    const state = await move(a, 5);
    await fleet.server.pause();
    try {
      await expect(a.change(state, atRamp(state, 25))).rejects.toThrow();
      await a.refresh();
      expect(a.current('users')).toEqual(state);
      expect(a.staleSeconds()).toBeGreaterThan(0);
    } finally {
      fleet.server.resume();
    }
    await eventually(() => a.staleSeconds() < 0.5);
  });

  it('is read from state.dir by a process that starts without Redis, the override of that process included', async () => {
    const a = await open('a', { dir: folder.path });
    const state = await move(a, 5);
    a.rollBackHere({ ...state, stage: 'shadow', percent: 0 });
    await fleet.server.kill();
    const b = await open('b', { dir: folder.path });
    expect(b.current('users')).toEqual({ ...state, stage: 'shadow', percent: 0, rev: 0 });
    await fleet.server.restart();
    // Redis has lost everything with the restart, and learns it from a process.
    const c = await open('c', { declared: users });
    await eventually(() => c.current('users')?.rev === 1, { withinMs: 5_000 });
    await move(c, 25);
    await eventually(() => b.shared('users')?.percent === 25);
    // Nobody has said that the callers of this process may go back to the source that an operator has taken them from.
    expect(b.current('users')).toMatchObject({ stage: 'shadow', percent: 0 });
  });

  it('does not count for another pair of sources', async () => {
    await move(await open('a'), 5);
    const next = await open('b', { declared: { ...users, sources: ['people', 'hr'] } });
    expect(next.current('users')).toMatchObject({ rev: 0, stage: 'legacy' });
  });

  it('is not followed where somebody has damaged it', async () => {
    const a = await open('a');
    const state = await move(a, 5);
    await fleet.admin.hset(STATE, 'rev', 9, 'state', '{"stage":"live"}');
    await a.refresh();
    expect(a.current('users')).toEqual(state);
    expect(fleet.warnings).toContain('the state of a migration in Redis is damaged; it is not followed');
    await expect(a.change(state, atRamp(state, 25))).rejects.toThrow('damaged');
  });

  it('carries the number of its format, and counts as format 1 without one', async () => {
    const a = await open('a');
    const state = await move(a, 5);
    expect(JSON.parse((await fleet.admin.hget(STATE, 'state'))!)).toEqual({ version: 1, ...state });
    const written = { ...state, rev: 2, percent: 7 };
    const seen: number[] = [];
    a.onChange(({ rev }) => seen.push(rev));
    await fleet.admin.hset(STATE, 'rev', 2, 'state', JSON.stringify(written));
    for (let round = 0; round < 2; round += 1) await a.refresh();
    expect([a.current('users'), seen, fleet.warnings]).toEqual([written, [2], []]);
  });

  it.each([9, 1])(
    'is neither followed nor replaced in the format of a newer version, at rev %i',
    async (rev) => {
      const a = await open('a');
      await move(a, 5);
      const state = await move(a, 7);
      const newer = JSON.stringify({ version: 2, ...state, rev, percent: 50 });
      await fleet.admin.hset(STATE, 'rev', rev, 'state', newer);
      for (let round = 0; round < 2; round += 1) await a.refresh();
      expect([a.current('users'), await fleet.admin.hget(STATE, 'state')]).toEqual([state, newer]);
      expect(fleet.warnings).toEqual([
        'the state of a migration in Redis has the format of a newer Portico; it is not followed',
      ]);
      if (rev > state.rev) await expect(a.change(state, atRamp(state, 25))).rejects.toThrow('newer Portico');
    },
  );

  it('needs no more rights in Redis than config/docs/operate.md gives the user of the keys', async () => {
    const { name, rules } = redisUsers.find((user) => user.name === 'portico-keys')!;
    await fleet.admin.acl('SETUSER', name, 'on', '>secret', ...rules);
    await fleet.admin.acl('LOG', 'RESET');
    const url = fleet.server.url.replace('//', `//${name}:secret@`);
    const [a, b] = [await open('a', { url }), await open('b', { url })];
    await move(a, 5);
    await eventually(() => b.current('users')?.rev === 1);
    expect((await a.acknowledged('users')).total).toBe(2);
    a.close();
    await eventually(async () => (await b.acknowledged('users')).total === 1);
    expect(await fleet.admin.acl('LOG')).toEqual([]);
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
