import { rowDetailsClaim } from '../../../../../../src/workbench/doctor/probes/source/row-details.ts';
import { items, listOf, probeAlone, type Service } from '../../../../../support/doctor/probe-alone.ts';

const rows = items(4);
const HYDRATE = [
  "hydrate: { request: { path: '/items/{id}' }, item: '', map: { id: id, description: text } }",
];
const MAP = '{ id: id, name: title, price: null, category: kind }';

/** A list whose rows lack a field, and the records that have it. */
const shop =
  (single: (id: number, call: number) => ReturnType<Service>): Service =>
  (request) =>
    /^\/items\/\d+$/.test(request.path) ? single(request.id, request.number) : listOf(rows)(request);

const probe = async (service: Service) =>
  (await probeAlone(() => rowDetailsClaim, service, { list: HYDRATE, map: MAP })).findings[0];

describe('the probe of the details of rows', () => {
  it('agrees if each row has the same details twice', async () => {
    expect(await probe(shop((id) => ({ body: { id, text: `about ${id}` } })))).toMatchObject({
      verdict: 'agrees',
      observed: '4 rows, twice',
    });
  });

  it('differs if a row of the list has no details', async () => {
    expect(await probe(shop(() => ({ status: 404, body: {} })))).toMatchObject({
      verdict: 'differs',
      observed: 'a row of the list is not found',
    });
  });

  it('differs if details are others the second time, and names the field', async () => {
    expect(await probe(shop((id, call) => ({ body: { id, text: `call ${call}` } })))).toMatchObject({
      verdict: 'differs',
      observed: 'other values the second time: description',
    });
  });
});
