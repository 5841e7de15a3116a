import { shapeOfFailure } from '../../../src/migration/statistics/cusum.ts';
import { comparison, difference, mismatch, transient } from '../../support/migration/comparisons.ts';
import { useFleetEvidence } from '../../support/migration/fleet-counts.ts';
import { BEGAN, HOUR_MS } from '../../support/migration/migration-facts.ts';

const { open } = useFleetEvidence();

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

  test('counts calls at the new source, its failures, those that are its own, and the odd ones apart', async () => {
    const fleet = await open(kind);
    const call = { resource: 'users', operation: 'users.get', ms: 30, isAttributable: false };
    fleet.clock.advance(5_000);
    fleet.processes[0].served(call);
    fleet.processes[0].served({ ...call, fallback: 'timeout' });
    fleet.processes[1].served({ ...call, fallback: 'invalid', isAttributable: true });
    fleet.processes[1].served({ ...call, fallback: 'missing', isAttributable: true });
    for (const process of fleet.processes) process.refused('users', 'users.get', 'id=…');
    fleet.clock.advance(5_000);
    fleet.processes[1].served({ ...call, fallback: 'odd' });
    for (const process of fleet.processes) process.uncompared('users', 'users.get', 'dropped_rate');
    fleet.processes[1].compared(comparison('user_99', { verdict: 'odd', newMs: undefined }));
    const read = await fleet.read();
    expect(read).toMatchObject({
      ...{ served: 4, failed: 2, attributable: 1, lastFallbackAt: BEGAN + 5_000 },
      ...{ keys: 0, failedNew: 0, odd: 1 },
      fallback: { failed: 0, timeout: 1, invalid: 1, missing: 1, odd: 1 },
      ...{ refused: { 'id=…': 2 }, uncompared: { dropped_rate: 2 } },
      step: { served: 4, failed: 2, attributable: 1, servedMs: { '31.6': 1 } },
    });
  });

  test('knows of the last hundred failures whose they were and at what, the newest first, and names nobody', async () => {
    const fleet = await open(kind);
    const call = { resource: 'users', operation: 'users.get', ms: 30, isAttributable: true };
    const fail = (subject: string, shape = 'users.get') =>
      fleet.processes[0].served({ ...call, fallback: 'failed', failing: { subject, shape } });
    for (let first = 0; first < 120; first += 1) fail('key:first');
    await fleet.processes[0].flush();
    fail('address:192.0.2.1');
    fail('key:first', 'users.list page sort');
    const failing = (await fleet.read())?.failing ?? [];
    const [newest = '', second = '', third = ''] = failing;
    expect(failing).toHaveLength(100);
    expect([newest, second, third].map(shapeOfFailure)).toEqual([
      'users.list page sort',
      'users.get',
      'users.get',
    ]);
    expect(newest.split(' ')[0]).toBe(third.split(' ')[0]);
    expect(new Set(failing).size).toBe(3);
    expect(failing.join()).not.toMatch(/first|192/);
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

  test('groups differences of one path by what happened to the value', async () => {
    const fleet = await open(kind);
    for (const hint of ['numeric-equal', 'numeric-equal', undefined])
      fleet.processes[0].compared(
        comparison('a', { verdict: 'mismatch', differences: [{ ...difference('data.price', 'h:1'), hint }] }),
      );
    const groups = await fleet.processes[0].differences('users');
    expect(groups.map(({ hint, count }) => [hint, count])).toEqual([
      ['numeric-equal', 2],
      [undefined, 1],
    ]);
  });

  test('counts a record that one list lacks once, on however many pages it was missed; and a value each time', async () => {
    const fleet = await open(kind);
    const differ = (...all: readonly [kind: 'missing_id' | 'total' | 'value', key: string][]) =>
      comparison('a', {
        verdict: 'mismatch',
        differences: all.map(([what, key]) => ({ ...difference('data[].id', key), kind: what })),
      });
    for (let page = 0; page < 10; page += 1) {
      fleet.processes[page % 2]?.compared(differ(['missing_id', 'h:1'], ['total', 'q:1'], ['value', 'h:1']));
      if (page % 3 === 0) await fleet.read();
    }
    fleet.processes[1].compared(differ(['missing_id', 'h:2']));
    await fleet.read();
    const groups = await fleet.processes[0].differences('users');
    expect(Object.fromEntries(groups.map((group) => [group.kind, group.count]))).toEqual({
      ...{ missing_id: 2, total: 1, value: 10 },
    });
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
