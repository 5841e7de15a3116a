import { capacityClaim } from '../../../../../../src/workbench/doctor/probes/source/capacity.ts';
import { items, listOf, probeAlone } from '../../../../../support/doctor/probe-alone.ts';

const probe = async (rows: number, budget: string, window?: readonly string[]) => {
  const lines = { top: [`budget: ${budget}`], ...(window !== undefined && { window }) };
  const { findings } = await probeAlone(() => capacityClaim, listOf(items(rows)), lines);
  return findings[0];
};

describe('the probe of how many rows may be scanned', () => {
  it('agrees if there is room for twice as many rows', async () => {
    expect(await probe(20, '{ rows: 1000, calls: 500, time: 60s }')).toMatchObject({ verdict: 'agrees' });
  });

  it('notes that the list will soon be over the budget', async () => {
    expect(await probe(20, '{ rows: 30, calls: 500, time: 60s }')).toMatchObject({
      verdict: 'noted',
      observed: expect.stringMatching(
        /^30 rows are the most that can be read \(budget\.rows\) for: .*; there are 20 now$/,
      ),
      advice: { otherwise: 'budget: { rows: … } with room for growth' },
    });
  });

  it('differs if the list is over the rows of the budget: every scan is 503', async () => {
    expect(await probe(20, '{ rows: 10, calls: 500, time: 60s }')).toMatchObject({
      verdict: 'differs',
      observed: expect.stringContaining('all of these queries are 503'),
    });
  });

  it('differs if the list is over the calls of the budget, and names that', async () => {
    expect(await probe(60, '{ rows: 1000, calls: 8, time: 60s }')).toMatchObject({
      verdict: 'differs',
      observed: expect.stringContaining('(budget.calls)'),
    });
  });

  it('notes a depth that the file says, because the file says it rightly', async () => {
    const window = [
      "request: { path: /items, query: { from: '{offset}', n: '{limit}' } }",
      'window: { kind: offset, sizeMax: 5, depthMax: 10 }',
      'total: { at: total }',
    ];
    expect(await probe(8, '{ rows: 1000, calls: 500, time: 60s }', window)).toMatchObject({
      verdict: 'noted',
      observed: expect.stringContaining('(window.depthMax)'),
    });
  });

  it('names every kind of query that must scan', async () => {
    const finding = await probe(20, '{ rows: 1000, calls: 500, time: 60s }');
    expect(finding?.observed).toContain('for: without parameters, category=…;');
  });
});
