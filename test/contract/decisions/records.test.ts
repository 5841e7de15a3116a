import { inspect } from 'node:util';
import { type CanonicalRecord, detailBody, listBody } from '../../../src/contract/response-body.ts';
import { resources } from '../../support/reference.ts';
import { Decimal } from '../../../src/kernel/decimal.ts';
import { modelBody } from '../../support/model/contract-model.ts';
import { refusal } from '../../support/pipeline/parse-as.ts';

const { users, products } = resources;
const meta = { total: 1, page: 1, limit: 50 };

const user: CanonicalRecord = {
  id: 'user_1',
  name: 'Ada',
  email: null,
  created_at: '2020-05-01T00:00:00Z',
  'profile.bio': null,
  'profile.location': 'Turin',
  'profile.avatar_url': null,
};
const product: CanonicalRecord = {
  id: 'prod_1',
  name: 'Lamp',
  description: null,
  price: Decimal.parse('19.90')!,
  category: 'Home & Garden',
};

describe('Missing or unreadable optional field: `null`, never an absent key', () => {
  it('holds for a list item', () => {
    expect(JSON.parse(listBody(users, [{ id: 'user_1' }], meta))).toEqual({
      data: [{ id: 'user_1', name: null, email: null, created_at: null }],
      meta,
    });
  });

  it('holds for the single view, whose `profile` is always an object', () => {
    expect(JSON.parse(detailBody(users, { id: 'user_1' }))).toEqual({
      data: {
        ...{ id: 'user_1', name: null, email: null, created_at: null },
        profile: { bio: null, location: null, avatar_url: null },
      },
    });
  });
});

describe('What leaves is built from named fields', () => {
  it('holds the fields of the view and no other', () => {
    const secretive: CanonicalRecord = {
      ...user,
      password: 'canary',
      __proto__: { admin: 'canary' } as never,
    };
    expect(Object.keys(JSON.parse(listBody(users, [secretive], meta)).data[0])).toEqual([
      'id',
      'name',
      'email',
      'created_at',
    ]);
    expect(detailBody(users, secretive)).not.toContain('canary');
  });

  it('has the order of the contract, to the byte that the model has', () => {
    const page = { status: 200, data: [{ ...product, price: '19.90' } as never], meta } as const;
    expect(listBody(products, [product], meta)).toBe(modelBody('products', page));
  });
});

describe('`price`: a JSON number, exact to the digits the source has', () => {
  it.each(['19.99', '19.90', '0', '0.05', '9007199254740993.12', '-1.50'])('%s', (price) => {
    const body = listBody(products, [{ ...product, price: Decimal.parse(price)! }], meta);
    expect(body).toContain(`"price":${price},`);
  });
});

describe('What does not satisfy the contract does not leave: 502 upstream_invalid_response', () => {
  it.each<[string, Record<string, unknown>]>([
    ['an id with another prefix', { id: 'prod_1' }],
    ['an id that is no path segment', { id: 'user_a/b' }],
    ['an id that is too long', { id: `user_${'1'.repeat(124)}` }],
    ['a timestamp without its Z', { created_at: '2020-05-01T00:00:00' }],
    ['a timestamp with an offset', { created_at: '2020-05-01T00:00:00+02:00' }],
    ['a timestamp of microseconds', { created_at: '2020-05-01T00:00:00.000001Z' }],
    ['a name that is a decimal', { name: Decimal.parse('1')! }],
    ['a name that is an object', { name: {} }],
  ])('%s', (_name, change) => {
    const error = refusal(() => listBody(users, [{ ...user, ...change } as CanonicalRecord], meta));
    expect(error.code).toBe('upstream_invalid_response');
    expect(error.detail).toContain(Object.keys(change)[0]);
  });

  it.each([19.99, '19.99', Number.NaN])('a price of %p that is not an exact decimal', (price) => {
    const record = { ...product, price } as unknown as CanonicalRecord;
    expect(refusal(() => listBody(products, [record], meta)).code).toBe('upstream_invalid_response');
  });

  it('names the field, never its value', () => {
    const error = refusal(() => detailBody(users, { ...user, created_at: 'canary' }));
    expect(inspect(error, { depth: 9 })).not.toContain('canary');
  });
});
