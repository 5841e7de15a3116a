import fc from 'fast-check';
import { parseGet, parseList, refusal } from '../../support/pipeline/parse-as.ts';
import { anyCharacter } from '../../support/any-character.ts';

describe('Repeated parameter', () => {
  it.each(['page=1&page=2', 'page=1&page=1', 'page&page=1', 'page=1&p%61ge=1', 'sort=id&limit=5&sort=id'])(
    '%s is 400',
    (query) => {
      const error = refusal(() => parseList('users.list', query));
      expect(error.code).toBe('invalid_parameter');
      expect(error.message).toMatch(/^The parameter "(page|sort)" must be given only once\.$/);
    },
  );

  it.each(['category=a&category=b', 'min_price=1&min_price=1', 'max_price=1&max_price=2'])(
    '%s is 400 for products',
    (query) => expect(refusal(() => parseList('products.list', query)).code).toBe('invalid_parameter'),
  );

  it.each(['page[]=5', 'page[]=5&page[]=6', 'page[0]=5', 'page%5B%5D=5', 'page[x]=5', 'page.x=5'])(
    '%s is an unknown name, not an array',
    (query) => expect(parseList('users.list', query)).toEqual(parseList('users.list', '')),
  );
});

describe('Unknown parameter', () => {
  it.each([
    ...[
      'Page=5',
      'PAGE=5',
      'page%20=5',
      '+page=5',
      ' page=5',
      'page%00=5',
      'api_key=secret',
      'x=1&x=2',
      '=5',
      '&&&',
    ],
    ...['__proto__=5', 'constructor=5', '__proto__[page]=5', 'toString'],
  ])('%j is ignored', (query) => expect(parseList('users.list', query)).toEqual(parseList('users.list', '')));

  it('changes nothing of what is asked, whatever its name and value', () => {
    const known = ['page', 'limit', 'sort'];
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.string(), fc.string())), (pairs) => {
        const strange = pairs.filter(([name]) => !known.includes(name));
        const query = new URLSearchParams([...strange, ['page', '3'], ...strange]).toString();
        expect(parseList('users.list', query)).toEqual(parseList('users.list', 'page=3'));
      }),
    );
  });

  it('is ignored for a single record too', () =>
    expect(parseGet('user_1', 'page=x&limit=0').id).toBe('user_1'));
});

describe('Names and values are decoded as form fields', () => {
  it('finds a name however it is encoded', () => {
    expect(parseList('users.list', 'p%61ge=4').page).toBe(4);
    expect(parseList('users.list', '%70%61%67%65=4').page).toBe(4);
  });

  it('reads + as a space and %2B as a plus', () => {
    expect(parseList('products.list', 'category=a+b%2Bc').filters[0]?.value).toBe('a b+c');
  });

  it('takes empty pieces for nothing', () => {
    expect(parseList('users.list', '&page=2&&limit=3&')).toMatchObject({ page: 2, limit: 3 });
  });

  it('decodes once: what looks encoded afterwards is the value', () => {
    expect(parseList('products.list', 'category=%252525').filters[0]?.value).toBe('%2525');
  });

  it('asks the same question as URLSearchParams would, for every text', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter, minLength: 1 }), (label) => {
        const query = new URLSearchParams({ category: label }).toString();
        expect(parseList('products.list', query).filters[0]?.value).toBe(label);
      }),
    );
  });
});

describe('Malformed encoding', () => {
  it.each([
    'page=%',
    'page=%4',
    'page=%zz',
    'page=%ff',
    'page=%c0%ae',
    'page=%ed%a0%80',
    '%=1',
    'unknown=%',
    '%ff',
  ])('%s is 400 bad_request, also in unknown parameters', (query) => {
    const error = refusal(() => parseList('users.list', query));
    expect(error.code).toBe('bad_request');
    expect(error.message).toBe('The request cannot be read.');
  });

  it.each(['%', '%4', '%zz', '%ff', '%c0%ae', 'user_%', 'user_1%'])(
    'of the id %s is 400 bad_request',
    (rawId) => expect(refusal(() => parseGet(rawId)).code).toBe('bad_request'),
  );
});
