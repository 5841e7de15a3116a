import { Redis } from 'ioredis';
import {
  createEvidenceCollector,
  type EvidenceCollectorDeps,
} from '../../../src/migration/evidence/evidence-collector.ts';
import type { MigrationEvidence } from '../../../src/migration/evidence/evidence.ts';
import { createLocalEvidenceStore } from '../../../src/migration/evidence/local-evidence.ts';
import { createRedisEvidenceStore } from '../../../src/migration/evidence/redis-evidence.ts';
import type { MigrationState } from '../../../src/migration/state/migration-state.ts';
import { comparison, difference, mismatch, transient } from '../../support/migration/comparisons.ts';
import { BEGAN, HOUR_MS, migrationState } from '../../support/migration/migration-facts.ts';
import { useRedis } from '../../support/redis/redis-server.ts';
import { createManualClock } from '../../support/time/manual-clock.ts';

const redis = useRedis();
const closing: (() => unknown)[] = [];
let round = 0;

afterEach(async () => {
  await Promise.all(closing.splice(0).map((close) => close()));
});

/** Two processes of a fleet, or one process twice, which gather evidence of one state. */
async function open(kind: 'redis' | 'local') {
  let state = migrationState();
  const clock = createManualClock(BEGAN);
  const deps: Omit<EvidenceCollectorDeps, 'store'> = {
    states: { current: () => state },
    ...{ clock, secret: 'of the test', critical: () => ['data.email'] },
  };
  round += 1;
  const prefix = `${redis.prefix}${round}:`;
  const client = new Redis(redis.url);
  closing.push(() => client.quit());
  await client.ping();
  const local = createLocalEvidenceStore();
  const storeOf = () =>
    kind === 'local' ? local : createRedisEvidenceStore(client, (part) => `${prefix}{migration}:${part}`);
  const evidenceOf = (): MigrationEvidence => {
    const evidence = createEvidenceCollector({ ...deps, store: storeOf() });
    closing.push(() => evidence.close());
    return evidence;
  };
  return {
    ...{ clock, client, prefix },
    processes: [evidenceOf(), evidenceOf()] as const,
    change: (next: Partial<MigrationState>) => (state = { ...state, ...next }),
    async read() {
      await Promise.all(this.processes.map((one) => one.flush()));
      return (await this.processes[0].read('users'))['users.get'];
    },
  };
}

describe.each(['redis', 'local'] as const)('evidence that is kept in %s', (kind) => {
  test('counts distinct questions over all processes, and each comparison by its verdict', async () => {
    const fleet = await open(kind);
    const [one, other] = fleet.processes;
    for (let id = 0; id < 30; id += 1) {
      one.compared(comparison(`user_${id}`));
      other.compared(comparison(`user_${id + 20}`));
      other.compared(comparison('user_0', { verdict: 'ignored' }));
    }
    one.compared(mismatch('user_7'));
    other.compared(comparison('user_99', { verdict: 'inconclusive' }));
    other.compared(comparison('user_99', { verdict: 'failed_new', newMs: undefined }));
    expect(await fleet.read()).toMatchObject({
      ...{ keys: 50, mismatchedKeys: 1, match: 60, ignored: 30, mismatch: 1, inconclusive: 1, failedNew: 1 },
      ...{ recent: { keys: 50, mismatchedKeys: 1 }, legacyMs: { '12.1': 92 }, newMs: { '19.6': 92 } },
    });
  });

  test('lets the last comparison of a question count, also where another process has made it', async () => {
    const fleet = await open(kind);
    fleet.processes[0].compared(mismatch('user_7'));
    expect(await fleet.read()).toMatchObject({ keys: 1, mismatchedKeys: 1 });
    fleet.processes[1].compared(comparison('user_7', { verdict: 'ignored' }));
    expect(await fleet.read()).toMatchObject({ keys: 1, mismatchedKeys: 0, mismatch: 1 });
  });

  test('counts what differed once by field, with the distinct records, and how often the legacy source changed', async () => {
    const fleet = await open(kind);
    const [one, other] = fleet.processes;
    for (const process of [one, other])
      for (const query of ['user_1', 'user_2']) process.compared(transient(query));
    one.compared(transient('user_3', { path: 'data[].email', isAtOnce: false }));
    other.reread('users', 'users.get', ['data.email']);
    other.reread('users', 'users.get', []);
    expect(await fleet.read()).toMatchObject({
      ...{ transient: 5, given: 4, keys: 3, mismatchedKeys: 0, critical: {} },
      ...{ transients: { 'data.email|once': 4, 'data.email|later': 1 } },
      ...{ rereads: 2, changed: { 'data.email': 1 } },
      step: { transientRecords: { 'data.email|once': 2, 'data.email|later': 1 } },
    });
  });

  test('counts records that differ in a critical field once, wherever the field was seen', async () => {
    const fleet = await open(kind);
    const [one, other] = fleet.processes;
    one.compared(mismatch('user_7', 'data.email'));
    other.compared(mismatch('user_7', 'data[].email'));
    other.compared(mismatch('user_8', 'data.name'));
    expect((await fleet.read())?.critical).toEqual({ 'data.email': 1 });
  });

  test('counts calls at the new source, its failures, and those that are its own', async () => {
    const fleet = await open(kind);
    const call = { resource: 'users', operation: 'users.get', ms: 30, isAttributable: false };
    fleet.clock.advance(5_000);
    fleet.processes[0].served(call);
    fleet.processes[0].served({ ...call, fallback: 'timeout' });
    fleet.processes[1].served({ ...call, fallback: 'invalid', isAttributable: true });
    fleet.processes[1].served({ ...call, fallback: 'missing', isAttributable: true });
    for (const process of fleet.processes) process.refused('users', 'users.get', 'id=…');
    const read = await fleet.read();
    expect(read).toMatchObject({
      ...{ served: 4, failed: 2, attributable: 1, lastFallbackAt: BEGAN + 5_000 },
      fallback: { failed: 0, timeout: 1, invalid: 1, missing: 1 },
      refused: { 'id=…': 2 },
      step: { served: 4, failed: 2, attributable: 1, servedMs: { '31.6': 1 } },
    });
  });

  test('begins the counts of a step anew with the step, and all of them with another evidence', async () => {
    const fleet = await open(kind);
    const [one] = fleet.processes;
    one.compared(mismatch('user_1', 'data.email'));
    one.served({ resource: 'users', operation: 'users.get', ms: 30, isAttributable: false });
    one.rehearsed('users', 'users.get');
    await one.flush();
    fleet.clock.advance(HOUR_MS);
    fleet.change({ stage: 'ramp', percent: 5, since: new Date(BEGAN + HOUR_MS).toISOString() });
    one.compared(comparison('user_2'));
    expect(await fleet.read()).toMatchObject({
      ...{ keys: 2, served: 1, critical: { 'data.email': 1 } },
      step: { keys: 1, mismatchedKeys: 0, served: 0, rehearsed: 0, critical: {} },
    });
    expect(one.isKnown('users', 'users.get', 'user_1')).toBe(true);
    fleet.change({ evidence: 'e2' });
    expect(await fleet.read()).toBeUndefined();
    expect(one.isKnown('users', 'users.get', 'user_1')).toBe(false);
  });

  test('knows what was compared in the last 24 hours', async () => {
    const fleet = await open(kind);
    const [one] = fleet.processes;
    one.compared(mismatch('user_1'));
    one.compared(comparison('user_2'));
    await one.flush();
    fleet.clock.advance(23 * HOUR_MS);
    one.compared(comparison('user_2'));
    one.compared(comparison('user_3'));
    await one.flush();
    fleet.clock.advance(2 * HOUR_MS);
    expect(await fleet.read()).toMatchObject({ keys: 3, recent: { keys: 2, mismatchedKeys: 0 } });
  });

  test('groups differences by path and kind, with five samples of different records', async () => {
    const fleet = await open(kind);
    for (let id = 0; id < 12; id += 1) fleet.processes[id % 2]?.compared(mismatch(`user_${id % 8}`));
    const ignored = comparison('user_1', { verdict: 'ignored', ignored: [difference('data.bio', 'h:1')] });
    fleet.processes[0].compared(ignored);
    await fleet.read();
    const groups = await fleet.processes[1].differences('users');
    expect(groups).toMatchObject([
      { operation: 'users.get', path: 'data.name', kind: 'value', count: 12, ignored: false },
      { operation: 'users.get', path: 'data.bio', kind: 'value', count: 1, ignored: true },
    ]);
    expect(new Set(groups[0]?.samples.map(({ key }) => key)).size).toBe(5);
    expect(groups[0]).toMatchObject({ firstAt: '2026-01-01T00:00:00.000Z', samples: { length: 5 } });
  });

  test('bounds the number of groups', async () => {
    const fleet = await open(kind);
    for (let field = 0; field < 250; field += 1)
      fleet.processes[0].compared(mismatch('user_1', `data.f${field}`));
    await fleet.read();
    for (let field = 250; field < 260; field += 1)
      fleet.processes[0].compared(mismatch('user_1', `data.f${field}`));
    const groups = await fleet.processes[0].differences('users');
    expect(groups).toHaveLength(201);
    expect(groups[0]).toMatchObject({ path: '(other)', count: 60, samples: [] });
  });
});

describe('the evidence of a fleet', () => {
  test('is added once where Redis has taken it and the answer was lost', async () => {
    const fleet = await open('redis');
    const store = createRedisEvidenceStore(fleet.client, (part) => `${fleet.prefix}{migration}:${part}`);
    let isLost = true;
    const losing: typeof store = {
      ...store,
      async add(...args) {
        await store.add(...args);
        if (isLost) throw new Error('the answer was lost');
      },
    };
    const evidence = createEvidenceCollector({
      ...{ store: losing, states: { current: () => migrationState() }, clock: fleet.clock },
      ...{ secret: 's', critical: () => [] },
    });
    closing.push(() => evidence.close());
    evidence.compared(comparison('user_1'));
    await expect(evidence.flush()).rejects.toThrow('lost');
    evidence.compared(comparison('user_2'));
    isLost = false;
    await evidence.flush();
    await evidence.flush();
    expect(await fleet.read()).toMatchObject({ keys: 2, match: 2 });
  });

  test('is counted where Redis is full', async () => {
    const fleet = await open('redis');
    await fleet.client.config('SET', 'maxmemory', '1');
    fleet.processes[0].compared(comparison('user_1'));
    await fleet.processes[0].flush().finally(() => fleet.client.config('SET', 'maxmemory', '0'));
    expect(await fleet.read()).toMatchObject({ keys: 1, match: 1 });
  });

  test('holds no question, no id and no value', async () => {
    const fleet = await open('redis');
    const differences = [difference('data.name', 'h:1')];
    fleet.processes[0].compared(comparison('user_4711', { verdict: 'mismatch', differences }));
    await fleet.client.config('SET', 'rdbcompression', 'no');
    await fleet.read();
    const keys = await fleet.client.keys(`${fleet.prefix}*`);
    const dumps = await Promise.all(keys.map((key) => fleet.client.dumpBuffer(key)));
    expect(keys.length).toBeGreaterThan(5);
    expect(dumps.some((dump) => dump.includes('data.name'))).toBe(true);
    expect(dumps.some((dump) => dump.includes('4711')) || keys.join().includes('4711')).toBe(false);
  });
});
