import fc from 'fast-check';
import { parseList, refusal } from '../../support/pipeline/parse-as.ts';

const listings = ['users.list', 'products.list'] as const;

describe('Integers (`page`, `limit`): decimal digits only', () => {
  it('are 1 and 50 where nothing is said', () => {
    expect(parseList('users.list', '')).toMatchObject({ page: 1, limit: 50 });
  });

  it.each([
    ['page=1', { page: 1 }],
    ['page=1000000000', { page: 1_000_000_000 }],
    ['page=007', { page: 7 }],
    ['limit=1', { limit: 1 }],
    ['limit=100', { limit: 100 }],
    ['limit=%31%30', { limit: 10 }],
  ])('%s is read', (query, expected) => expect(parseList('users.list', query)).toMatchObject(expected));

  const odd = [
    ...['', '0', '-1', '-0', '%2B5', '+5', '5+', '1e3', '1E3', '0x10', '1.0', '1.', '.5', '1,000', '1_000'],
    ...[
      'NaN',
      'Infinity',
      'null',
      'true',
      'abc',
      '%EF%BC%91',
      '%D9%A1',
      '1%00',
      '1%0A',
      '%201',
      '1%20',
      '[1]',
    ],
    ...['1000000001', '18446744073709551616', '9'.repeat(400)],
  ];
  describe.each(listings)('%s', (operation) => {
    describe.each(['page', 'limit'])('%s', (parameter) => {
      it.each(odd)('refuses %j and says what is allowed', (value) => {
        const error = refusal(() => parseList(operation, `${parameter}=${value}`));
        expect(error.code).toBe('invalid_parameter');
        expect(error.message).toContain(`"${parameter}"`);
        expect(error.message).toContain(parameter === 'page' ? '1 to 1000000000' : '1 to 100');
      });
    });
  });

  it('are refused without a value', () => {
    expect(refusal(() => parseList('users.list', 'page')).code).toBe('invalid_parameter');
    expect(refusal(() => parseList('users.list', 'limit=')).code).toBe('invalid_parameter');
  });

  it('are read as what they are, or refused: never rounded, never guessed', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        const parse = () => parseList('users.list', `page=${encodeURIComponent(text)}`).page;
        const sound = /^[0-9]+$/.test(text) && BigInt(text) >= 1n && BigInt(text) <= 1_000_000_000n;
        if (sound) expect(parse()).toBe(Number(text));
        else expect(refusal(parse).code).toBe('invalid_parameter');
      }),
    );
  });
});

describe('`limit` above 100', () => {
  it.each(['101', '150', '9'.repeat(400)])('%s is refused by default', (value) => {
    expect(refusal(() => parseList('users.list', `limit=${value}`)).code).toBe('invalid_parameter');
  });

  it.each(['101', '150', '9'.repeat(400)])('%s becomes 100 under limitOverflow: clamp', (value) => {
    expect(parseList('users.list', `limit=${value}`, 'clamp').limit).toBe(100);
  });

  it.each(['limit=0', 'limit=-1', 'limit=abc', 'limit=', 'page=1000000001'])(
    '%s is refused even then: only a limit that is too large is reduced',
    (query) => expect(refusal(() => parseList('users.list', query, 'clamp')).code).toBe('invalid_parameter'),
  );
});
