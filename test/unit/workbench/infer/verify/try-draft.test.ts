import { resources } from '../../../../support/reference.ts';
import { plainRequest, trialRequests } from '../../../../../src/workbench/infer/verify/try-draft.ts';

const product = { id: 'prod_7', category: 'Toys & Games', price: 1.5 };
const requestsOf = (...given: Parameters<typeof trialRequests>) =>
  trialRequests(...given).map(({ request }) => request);

describe('the requests that a draft is tried with', () => {
  it('begin with the plain list', () => {
    expect(plainRequest(resources.products).request).toBe('GET /v1/products?limit=10');
  });

  it('are the second page and the last, and each filter with a value that a record has', () => {
    expect(requestsOf(resources.products, [product], 45)).toEqual([
      'GET /v1/products?limit=10&page=2',
      'GET /v1/products?limit=10&page=5',
      'GET /v1/products?limit=10&category=Toys%20%26%20Games',
      'GET /v1/products?limit=10&min_price=1.5',
      'GET /v1/products?limit=10&max_price=1.5',
    ]);
  });

  it('show no value of a record', () => {
    const shown = trialRequests(resources.products, [product], 45)
      .map((one) => one.shown)
      .join('\n');
    expect(shown).toContain('category=…');
    expect(shown).not.toMatch(/Toys|1\.5|prod_7/);
  });

  it('leave out a filter of which no record has a value', () => {
    const none = { ...product, category: null, price: null };
    expect(requestsOf(resources.products, [none], 45).filter((one) => /category|price/.test(one))).toEqual(
      [],
    );
  });

  it('ask for the second page of a short list, too, which is empty', () => {
    expect(requestsOf(resources.products, [], 3)).toEqual(['GET /v1/products?limit=10&page=2']);
  });

  it('are, of users, each sort both ways and the last record, too', () => {
    const requests = trialRequests(resources.users, [{ id: 'user_1' }, { id: 'user_2' }], 2);
    expect(requests.filter(({ request }) => request.includes('sort='))).toHaveLength(
      resources.users.sorts.length * 2,
    );
    expect(requests.at(-1)).toEqual({ request: 'GET /v1/users/user_2', shown: 'GET /v1/users/user_…' });
  });
});
