import { steadyRowsClaim } from '../../../../../src/workbench/doctor/probes/steady-rows.ts';
import { items, listOf, probeAlone, type Service } from '../../../../support/doctor/probe-alone.ts';

const rows = items(7);

/** Serves `before` until the sample was read, and then a list for each walk. */
function inWalks(listsOf: (walk: number) => ReturnType<typeof items>): Service {
  let walk = 0;
  return (request) => {
    if (request.query.get('from') === '0') walk += 1;
    return listOf(listsOf(walk))(request);
  };
}

const probe = (service: Service, lines = {}, failed: readonly string[] = []) =>
  probeAlone(() => steadyRowsClaim, service, lines, { failed });

describe('the probe of rows that come and go', () => {
  it('agrees if every walk brings the same rows', async () => {
    const { findings } = await probe(listOf(rows));
    expect(findings).toMatchObject([
      { verdict: 'agrees', observed: '4 walks through the list, the same rows' },
    ]);
  });

  it('differs if a row goes and comes again', async () => {
    const { findings } = await probe(inWalks((walk) => (walk % 2 === 0 ? rows : rows.slice(1))));
    expect(findings).toMatchObject([
      { verdict: 'differs', observed: expect.stringMatching(/^1 row came, did not come, and came again/) },
    ]);
  });

  it('cannot tell if a row has gone for good: somebody may have deleted it', async () => {
    const { findings } = await probe(inWalks((walk) => (walk <= 3 ? rows : rows.slice(1))));
    expect(findings).toMatchObject([
      { verdict: 'could not tell', observed: 'the rows changed meanwhile: somebody may have written' },
    ]);
  });

  it('reads a list of one call more often, because that costs little', async () => {
    const { findings } = await probe(({ query: _ }) => ({ body: { rows } }), {
      window: ['request: { path: /items }', 'window: { kind: none }'],
    });
    expect(findings).toMatchObject([{ verdict: 'agrees', observed: expect.stringMatching(/^15 walks/) }]);
  });

  it.each(['order', 'stability', 'last window'])(
    'says nothing if %s is known to be wrong',
    async (failed) => {
      expect(await probe(listOf(rows), {}, [failed])).toEqual({ findings: [], sent: [] });
    },
  );
});
