import { steadyTotalClaim } from '../../../../../src/workbench/doctor/probes/steady-total.ts';
import { items, listOf, probeAlone, type Service } from '../../../../support/doctor/probe-alone.ts';

const rows = items(7);
const FILTER = "filters: { category: { eq: { query: { kind: '{value}' }, exactness: exact } } }";
const probe = (service: Service, lines = {}, failed: readonly string[] = []) =>
  probeAlone(() => steadyTotalClaim, service, lines, { failed });

/** The same list with a total that depends on the number of the request. */
const totals = (of: (number: number) => number): Service =>
  listOf(rows, { changes: (body, { number }) => ({ ...body, total: of(number) }) });

describe('the probe of a total that changes', () => {
  it('agrees if each selection has one total', async () => {
    const { findings } = await probe(listOf(rows), { list: [FILTER] });
    expect(findings).toMatchObject([
      { verdict: 'agrees', observed: '2 selections of rows, each with one total' },
    ]);
  });

  it('asks for every selection in turn, so that a total of the question before shows', async () => {
    const { sent } = await probe(listOf(rows), { list: [FILTER] });
    expect(sent.map(({ query }) => query.get('kind') !== null)).toEqual([
      ...[false, true, false, true, false, true],
    ]);
  });

  it('differs if the total goes to and fro, and proposes to leave it out', async () => {
    const { findings } = await probe(totals((number) => (number % 2 === 0 ? 7 : 8)));
    expect(findings).toMatchObject([
      { verdict: 'differs', observed: expect.stringContaining('it changes from reply to reply') },
    ]);
    expect(findings[0]?.advice?.tries?.[0]?.sets).toEqual([
      { at: ['resources', 'products', 'list', 'total'], value: undefined },
    ]);
  });

  it('cannot tell if it changed once: somebody may have written', async () => {
    const { findings } = await probe(totals((number) => (number < 5 ? 7 : 8)));
    expect(findings).toMatchObject([{ verdict: 'could not tell' }]);
  });

  it.each(['total', 'total with category eq', 'filter category eq'])(
    'says nothing if %s is known to be wrong',
    async (failed) => expect(await probe(listOf(rows), {}, [failed])).toEqual({ findings: [], sent: [] }),
  );
});
