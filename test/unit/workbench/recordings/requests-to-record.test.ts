import { requestsOfKinds } from '../../../../src/workbench/recordings/requests-to-record.ts';
import { compiledResource } from '../../../support/compiled-contract.ts';

const resource = compiledResource({
  singular: 'thing',
  id: { prefix: 'th' },
  fields: {
    paid: { kind: 'boolean' },
    due: { kind: 'date' },
    address: { city: { kind: 'text' } },
    tags: { kind: 'list', of: { kind: 'text' } },
  },
  filters: {
    paid: { field: 'paid', is: 'equal' },
    has_due: { field: 'due', is: 'known' },
    city: { field: 'address.city', is: 'equal' },
    tag: { field: 'tags', is: 'has' },
  },
});

describe('the requests that show what a source does', () => {
  it('ask each filter with a value that it takes', () => {
    const records = [
      { id: 'th_1', paid: false, due: '2025-01-01', address: { city: 'Köln' }, tags: ['a', 'b'] },
    ];
    const queries = requestsOfKinds(resource, records, 3).map(({ request }) => request.split('&')[1]);
    expect(queries).toEqual(['paid=false', 'has_due=true', 'city=K%C3%B6ln', 'tag=a']);
  });

  it('ask whether there is a value, although no record has one', () => {
    const queries = requestsOfKinds(resource, [], 3).map(({ request }) => request.split('&')[1]);
    expect(queries).toEqual(['has_due=true']);
  });
});
