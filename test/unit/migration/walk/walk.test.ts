import { resources } from '../../../support/reference.ts';
import { createDifferenceSampler } from '../../../../src/migration/compare/sample.ts';
import { askBothSources } from '../../../../src/migration/shadow/ask-both-sources.ts';
import { createWalk } from '../../../../src/migration/walk/walk.ts';
import type { SourceHandler } from '../../../../src/pipeline/stages/call.ts';
import { openWalk } from '../../../support/migration/open-walk.ts';

const holes = new Set([7, 100, 101, 250, 499, 500, 777]);

describe('a walk over all records of two sources', () => {
  it('finds every record that the new one lacks, and no other', async () => {
    const { time, run, comparisons } = openWalk(800, (number, name) =>
      holes.has(number) ? undefined : name,
    );
    expect(await time.run(run())).toEqual({ records: 800, differences: 7, unknown: 0 });
    const lists = comparisons.filter(({ operation }) => operation === 'users.list');
    expect(lists).toHaveLength(1);
    expect(lists[0]?.differences.map(({ kind }) => kind)).toEqual(Array(7).fill('missing_id'));
  });

  it('finds a field that differs once, in the list and in the record', async () => {
    const { time, run, comparisons } = openWalk(50, (number, name) =>
      number === 9 ? name.toUpperCase() : name,
    );
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
    const { time, run, comparisons } = openWalk(50, (_number, name) => ` ${name}`, { compare: { ignore } });
    expect(await time.run(run())).toEqual({ records: 50, differences: 0, unknown: 0 });
    expect(comparisons.filter(({ verdict }) => verdict === 'ignored')).toHaveLength(50);
  });

  it('finds nothing in equal stores that are written to meanwhile', async () => {
    const { time, run, stores } = openWalk(400, (_number, name) => name);
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
    const { time, run, stores } = openWalk(100, (_number, name) => name, { shadow: { maxRps: 20 } });
    await time.run(run());
    const calls = stores.calls.legacy + stores.calls.new;
    expect(time.monotonic()).toBeGreaterThanOrEqual((calls / 20) * 1_000 * 0.9);
  });

  it('says which of its phases runs, and how far that is, which only grows', async () => {
    const { time, run, phases } = openWalk(150, (number, name) => (number === 9 ? name.toUpperCase() : name));
    await time.run(run());
    expect([...phases.keys()]).toEqual([
      'reads both lists',
      'reads both lists again, because they differ',
      'compares each record',
    ]);
    for (const shares of phases.values()) {
      expect(shares).toEqual(shares.toSorted((a, b) => a - b));
      expect([shares[0]! > 0, shares.at(-1)]).toEqual([true, 1]);
    }
  });

  it('ends with an error that names what has failed', async () => {
    const { time, config, wait, signal } = openWalk(10, (_number, name) => name);
    const failing: SourceHandler = () => Promise.reject(new Error('no such service'));
    const walk = createWalk({
      ...{ resource: resources.users, config, clock: time, wait, keptRules: () => [] },
      sources: { legacy: failing, new: failing },
      toSample: createDifferenceSampler({ secret: 'key', showMask: [] }),
      counts: { compared: () => undefined },
    });
    await expect(walk({ signal, progress: () => undefined })).rejects.toThrow('no such service');
  });
});

describe('what both sources say to one question', () => {
  it('is shown with its values', async () => {
    const { time, stores, signal } = openWalk(5, (number, name) => (number === 2 ? 'Other' : name));
    const query = { kind: 'get', resource: 'users', id: 'user_2' } as const;
    const told = await time.run(askBothSources(resources.users, stores.sources, query, signal));
    expect(told).toMatchObject({
      legacy: { data: { name: 'User 2' } },
      new: { data: { name: 'Other' } },
      differences: [{ path: 'data.name', legacy: 'User 2', new: 'Other' }],
    });
  });
});
