import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FaultBench } from '../faults/harness/bench.ts';
import { type ChaosProxy, startChaosProxy } from '../faults/harness/harm/chaos-proxy.ts';
import { type BenchRow, promised } from '../faults/harness/row.ts';
import { marked } from './harness/model-service.ts';
import {
  type FleetOptions,
  forEachOf,
  type MigratingFleet,
  startMigratingFleet,
} from './harness/migrating-fleet.ts';

/** Asks for every record; whether the new source served it, and how many answers were none. */
async function askRecords(fleet: MigratingFleet) {
  const answers = await forEachOf(fleet.users, 16, ({ id }) => fleet.ask(`/v1/users/${id}`));
  const errors = answers.filter(({ status }) => status !== 200).length;
  return { isNew: answers.map(({ isNew }) => isNew), errors };
}

type Asked = Awaited<ReturnType<typeof askRecords>>;

/** How many records were served by another source than before. */
const countMoved = (before: Asked, now: Asked) =>
  now.isNew.filter((isNew, at) => isNew !== before.isNew[at]).length;

/** A fleet that chooses by record, whose gateways keep their states in folders of their own. */
async function startKept(bench: FaultBench, options: FleetOptions = {}): Promise<MigratingFleet> {
  const folder = mkdtempSync(join(tmpdir(), 'portico-migration-'));
  bench.own({ close: () => rmSync(folder, { recursive: true, force: true }) });
  const fleet = await startMigratingFleet(bench, {
    migration: { bucketBy: 'record' },
    // Nothing is kept, so that each answer tells which source is chosen now.
    cache: { fresh: '0s', notFound: '0s' },
    stateDir: (number) => join(folder, String(number)),
    redis: { commandTimeout: '500ms', connectTimeout: '500ms' },
    ...options,
  });
  fleet.next.faults.change = marked;
  return fleet;
}

const STAGES = ['shadow users', 'ramp users --percent 50', 'live users'];

const gone: BenchRow = {
  id: 'redis-1',
  name: 'Redis is killed for 15 s in each stage (with --long, for a minute), a replica restarts meanwhile: no error, no record changes its source',
  async run(bench) {
    const fleet = await startKept(bench);
    const outageMs = bench.long ? 60_000 : 15_000;
    let [errors, changed, shadows, slowestMs] = [0, 0, 0, 0];
    for (const [index, stage] of STAGES.entries()) {
      await fleet.goTo(stage);
      const before = await askRecords(fleet);
      const { rev } = await fleet.status();
      await fleet.redis.kill();
      const endsAt = performance.now() + outageMs;
      await bench.sleep(2_000);
      const asked = fleet.next.upstream.calls;
      do {
        const now = await askRecords(fleet);
        errors += now.errors;
        changed += countMoved(before, now);
        if (stage.startsWith('shadow')) shadows = fleet.next.upstream.calls - asked;
        if (index > 0 && performance.now() < endsAt - outageMs / 2) await fleet.restart(index);
      } while (performance.now() < endsAt);
      await fleet.redis.restart();
      const backMs = await bench.until(async () => (await fleet.status()).rev >= rev, 20_000, 50);
      bench.atMost('ms until the state is at hand again', backMs, 2_000);
      slowestMs = Math.max(slowestMs, Math.round(backMs));
      const after = await askRecords(fleet);
      changed += countMoved(before, after);
    }
    return promised(errors === 0 && changed === 0 && shadows === 0, {
      'records that changed their source': changed,
      errors,
      'shadows while it was gone': shadows,
      'ms until the state is at hand again, at most': slowestMs,
    });
  },
};

const flushed: BenchRow = {
  id: 'redis-2',
  name: 'FLUSHALL takes nothing back: the state is there again within two seconds, and no record changes its source',
  async run(bench) {
    const fleet = await startKept(bench);
    await fleet.goTo('ramp users --percent 50');
    const before = await askRecords(fleet);
    const { rev } = await fleet.status();
    await fleet.gateways[0]?.withStored(({ client }) => client.flushall());
    const during = await askRecords(fleet);
    const inRedis = () =>
      fleet.gateways[0]?.withStored(async ({ client }) =>
        (await client.keys('*')).some((key) => key.includes('migration') || key.includes('mig:')),
      ) ?? Promise.resolve(false);
    const backMs = await bench.until(inRedis, 20_000, 50);
    bench.atMost('ms until Redis has the state again', backMs, 2_000);
    const after = await askRecords(fleet);
    const now = await fleet.status();
    const changed = [during, after].map((one) => countMoved(before, one));
    return promised(changed.every((count) => count === 0) && now.rev >= rev && now.percent === 50, {
      changed: changed.join(' '),
      'rev before': rev,
      'rev after': now.rev,
      ms: Math.round(backMs),
    });
  },
};

const WRITERS = 50;

const race: BenchRow = {
  id: 'redis-3',
  name: 'of 50 operators who change the same state at once, exactly one does for each rev',
  async run(bench) {
    const fleet = await startMigratingFleet(bench, { users: 40 });
    await fleet.goTo('ramp users --percent 1');
    const winners: number[] = [];
    for (let round = 0; round < 5; round += 1) {
      const { rev } = await fleet.status();
      const writers = Array.from({ length: WRITERS }, (_, index) => index);
      const won = await forEachOf(writers, WRITERS, async (index) => {
        const percent = String(1 + (index + round) / 100);
        const words = `ramp users --percent ${percent} --rev ${String(rev)} --force --reason race`;
        return fleet.operate(words, fleet.gateways[index % 4]).then(
          () => true,
          () => false,
        );
      });
      winners.push(won.filter(Boolean).length);
      assert.equal((await fleet.status()).rev, rev + 1);
    }
    return promised(
      winners.every((count) => count === 1),
      { 'winners by round': winners.join(' ') },
    );
  },
};

/** The gateway that is parted from Redis, while the others reach it. */
const PARTED = 3;

const parted: BenchRow = {
  id: 'redis-4',
  name: 'the way of one of four gateways to Redis is a black hole for 10 s (with --long, for a minute): no error, no record changes its source in any of them, then or afterwards',
  async run(bench) {
    let way: ChaosProxy | undefined;
    const fleet = await startKept(bench, {
      async wayToRedis(number, { url, port }) {
        if (number !== PARTED) return url;
        way = bench.own(await startChaosProxy(port));
        return `redis://127.0.0.1:${way.port}`;
      },
    });
    await fleet.goTo('ramp users --percent 50');
    const before = await askRecords(fleet);
    const { rev } = await fleet.status();
    const staleSeconds = (number: number) =>
      fleet.gateways[number]!.counted('portico_migration_stale_seconds');
    let [errors, changed, staleMax, othersMax] = [before.errors, 0, 0, 0];
    async function look(): Promise<void> {
      const now = await askRecords(fleet);
      errors += now.errors;
      changed += countMoved(before, now);
    }
    way?.setFault({ hole: true });
    const endsAt = performance.now() + (bench.long ? 60_000 : 10_000);
    do {
      await look();
      staleMax = Math.max(staleMax, await staleSeconds(PARTED));
      othersMax = Math.max(othersMax, await staleSeconds(0));
    } while (performance.now() < endsAt);
    way?.setFault();
    const backMs = await bench.until(async () => (await staleSeconds(PARTED)) < 2, 20_000, 50);
    await look();
    const now = await fleet.status();
    return promised(
      errors === 0 && changed === 0 && now.rev === rev && staleMax > 5 && othersMax < staleMax,
      {
        ...{ 'records that changed their source': changed, errors, rev: now.rev },
        ...{
          'seconds without the state': Math.round(staleMax),
          'ms until it is read again': Math.round(backMs),
        },
      },
    );
  },
};

/** What becomes of a migration when Redis is gone, emptied, written to by many, or out of reach of one gateway. */
export const redisRows: readonly BenchRow[] = [gone, flushed, race, parted];
