import { migration } from '../../../src/config/schema/migration.ts';
import { resources } from '../../../src/contract/resources.ts';
import type { Comparison } from '../../../src/migration/compare/comparison.ts';
import { createToSample } from '../../../src/migration/compare/sample.ts';
import { createCalibrate } from '../../../src/migration/walk/calibrate.ts';
import { explainAnswers } from '../../../src/migration/walk/explain.ts';
import { createWalk } from '../../../src/migration/walk/walk.ts';
import type { SourceHandler } from '../../../src/policy/call.ts';
import { createLaggingStores } from '../../support/migration/lagging-stores.ts';
import { createVirtualTime } from '../../support/time/virtual-time.ts';

type Spoil = (number: number, name: string) => string | undefined;

/** Two stores of users of which the new one is spoilt, and what walking them finds. */
function open(users: number, spoil: Spoil, change: object = {}) {
  const time = createVirtualTime();
  const stores = createLaggingStores({ time, users, lagMs: () => 100, answerMs: () => 5, spoil });
  const config = migration.parse({ to: 'x', shadow: { maxRps: 100 }, ...change });
  const comparisons: Comparison[] = [];
  const wait = (ms: number) => time.sleep(ms);
  const walk = createWalk({
    ...{ resource: resources.users, config, sources: stores.sources, clock: time, wait },
    keptRules: () => [],
    toSample: createToSample({ secret: 'key', showMask: [] }),
    evidence: { compared: (comparison) => void comparisons.push(comparison) },
  });
  const signal = new AbortController().signal;
  const progress: number[] = [];
  const run = () => walk({ signal, progress: (done) => void progress.push(done) });
  return { time, stores, config, comparisons, progress, signal, wait, run };
}

const holes = new Set([7, 100, 101, 250, 499, 500, 777]);

describe('a walk over all records of two sources', () => {
  it('finds every record that the new one lacks, and no other', async () => {
    const { time, run, comparisons } = open(800, (number, name) => (holes.has(number) ? undefined : name));
    expect(await time.run(run())).toEqual({ records: 800, differences: 7, unknown: 0 });
    const lists = comparisons.filter(({ operation }) => operation === 'users.list');
    expect(lists).toHaveLength(1);
    expect(lists[0]?.differences.map(({ kind }) => kind)).toEqual(Array(7).fill('missing_id'));
  });

  it('finds a field that differs once, in the list and in the record', async () => {
    const { time, run, comparisons } = open(50, (number, name) => (number === 9 ? name.toUpperCase() : name));
    expect(await time.run(run())).toEqual({ records: 50, differences: 1, unknown: 0 });
    const found = comparisons.flatMap(({ differences }) =>
      differences.map(({ path, kind }) => `${path}|${kind}`),
    );
    expect(found.sort()).toEqual(['data.name|value', 'data[].name|value']);
  });

  it('counts nothing that a rule accepts, and each record as evidence', async () => {
    const rule = { path: 'data', owner: 'ana', reason: 'agreed', until: '2030-01-01' };
    const ignore = [
      { ...rule, path: 'data.name' },
      { ...rule, path: 'data[].name' },
    ];
    const { time, run, comparisons } = open(50, (_number, name) => ` ${name}`, { compare: { ignore } });
    expect(await time.run(run())).toEqual({ records: 50, differences: 0, unknown: 0 });
    expect(comparisons.filter(({ verdict }) => verdict === 'ignored')).toHaveLength(50);
  });

  it('finds nothing in equal stores that are written to meanwhile', async () => {
    const { time, run, stores } = open(400, (_number, name) => name);
    let isOver = false;
    const write = async () => {
      for (let writes = 0; !isOver; writes += 1) {
        await time.sleep(300);
        stores.write(1 + ((writes * 37) % 400), `User ${writes}`);
      }
    };
    const walked = run().finally(() => (isOver = true));
    await time.run(Promise.all([walked, write()]));
    expect(await walked).toEqual({ records: 400, differences: 0, unknown: 0 });
  });

  it('keeps to the rate of the file', async () => {
    const { time, run, stores } = open(100, (_number, name) => name, { shadow: { maxRps: 20 } });
    await time.run(run());
    const calls = stores.calls.legacy + stores.calls.new;
    expect(time.monotonic()).toBeGreaterThanOrEqual((calls / 20) * 1_000 * 0.9);
  });

  it('ends with an error that names what has failed', async () => {
    const { time, config, wait, signal } = open(10, (_number, name) => name);
    const failing: SourceHandler = () => Promise.reject(new Error('no such service'));
    const walk = createWalk({
      ...{ resource: resources.users, config, clock: time, wait, keptRules: () => [] },
      sources: { legacy: failing, new: failing },
      toSample: createToSample({ secret: 'key', showMask: [] }),
      evidence: { compared: () => undefined },
    });
    await expect(walk({ signal, progress: () => undefined })).rejects.toThrow('no such service');
  });
});

describe('the legacy source compared with itself', () => {
  it('shows by path and kind what it does not say twice alike', async () => {
    let reads = 0;
    const { time, stores, config, signal, wait } = open(30, (_number, name) => name);
    const noisy: SourceHandler = async (call) => {
      const answer = await stores.sources.legacy(call);
      reads += 1;
      if (!answer.found || call.query.kind === 'list') return answer;
      return { ...answer, body: answer.body.replace('"email":null', `"email":"${reads}@example.com"`) };
    };
    const calibrate = createCalibrate({
      resource: resources.users,
      legacy: noisy,
      config,
      clock: time,
      wait,
    });
    expect(await time.run(calibrate(11, { signal, progress: () => undefined }))).toEqual({
      asked: 11,
      differences: [{ path: 'data.email', kind: 'value', count: 10 }],
    });
  });
});

describe('what both sources say to one question', () => {
  it('is shown with its values', async () => {
    const { time, stores, signal } = open(5, (number, name) => (number === 2 ? 'Other' : name));
    const query = { kind: 'get', resource: 'users', id: 'user_2' } as const;
    const told = await time.run(explainAnswers(resources.users, stores.sources, query, signal));
    expect(told).toMatchObject({
      legacy: { data: { name: 'User 2' } },
      next: { data: { name: 'Other' } },
      differences: [{ path: 'data.name', legacy: 'User 2', next: 'Other' }],
    });
  });
});
