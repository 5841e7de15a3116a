import { missingFilterClaims } from '../../../../../src/workbench/doctor/probes/missing-filter.ts';
import { items, listOf, probeAlone, type Service } from '../../../../support/doctor/probe-alone.ts';

const rows = items(12);
const probe = (service: Service, lines = {}) => probeAlone(missingFilterClaims, service, lines);

describe('the probe of a filter that the file does not declare', () => {
  it('notes a parameter with the name of the column that leaves just the matching rows', async () => {
    const { findings } = await probe(listOf(rows));
    expect(findings).toMatchObject([
      { verdict: 'noted', observed: 'the parameter kind leaves just the matching rows of one value' },
    ]);
    expect(findings[0]?.advice?.tries?.map(({ text }) => text)).toEqual([
      "filters: { category: { eq: { query: { kind: '{value}' }, exactness: superset } } }",
    ]);
  });

  it('proposes exact first, once a row without a value was left out', async () => {
    const { findings } = await probe(listOf([...rows, { id: 13, title: 'x', kind: null }]));
    expect(findings[0]?.advice?.tries?.map(({ sets }) => Object(sets[0]?.value).exactness)).toEqual([
      'exact',
      'superset',
    ]);
  });

  it('finds nothing if the parameter is ignored', async () => {
    const ignoring: Service = (request) => {
      request.query.delete('kind');
      return listOf(rows)(request);
    };
    expect((await probe(ignoring)).findings).toEqual([]);
  });

  it('asks nothing about a filter that is declared', async () => {
    const list = ["filters: { category: { eq: { query: { kind: '{value}' }, exactness: exact } } }"];
    expect(await probe(listOf(rows), { list })).toEqual({ findings: [], sent: [] });
  });

  it('asks nothing about a field that is made of two columns', async () => {
    const map =
      "{ id: id, name: title, description: null, price: null, category: { from: [kind, title], as: [{ join: ' ' }] } }";
    expect(await probe(listOf(rows), { map })).toEqual({ findings: [], sent: [] });
  });
});
