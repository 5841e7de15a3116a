import fc from 'fast-check';
import { parseGet, refusal } from '../../support/pipeline/parse-as.ts';
import { anyCharacter } from '../../support/any-character.ts';

describe('`id` in the path', () => {
  it.each([
    ['user_42', 'user_42'],
    ['%75ser_42', 'user_42'],
    ['user%5F42', 'user_42'],
    ['user_%34%32', 'user_42'],
    ['user_a.b-c_d~20', 'user_a.b-c_d~20'],
  ])('%s is decoded once to %s', (rawId, id) => expect(parseGet(rawId).id).toBe(id));

  it.each(['user_%2534', '%2575ser_42', 'user_%252e'])('%s is not decoded a second time', (rawId) =>
    expect(refusal(() => parseGet(rawId)).code).toBe('not_found'),
  );

  it('is 1 to 128 characters', () => {
    expect(parseGet(`user_${'1'.repeat(123)}`).id).toHaveLength(128);
    expect(refusal(() => parseGet(`user_${'1'.repeat(124)}`)).code).toBe('not_found');
    expect(refusal(() => parseGet('')).code).toBe('not_found');
    expect(refusal(() => parseGet(`user_${'1'.repeat(100_000)}`)).code).toBe('not_found');
  });

  it.each([
    ...[
      '42',
      'user_',
      'user',
      '_42',
      'prod_42',
      'User_42',
      'USER_42',
      'user-42',
      'users_42',
      'xuser_42',
      ' user_42',
    ],
    ...[
      'user_4 2',
      'user_4+2',
      'user_42%00',
      'user_42%0A',
      'user_42%0D%0AX',
      'user_%E2%80%AE42',
      'user_%C3%BC',
    ],
    ...[
      '..',
      '.',
      '..%2F..%2Fadmin',
      'user_%2F',
      'user_..%2F1',
      'user_%5C',
      'user_42%3Fa=b',
      'user_42;x',
      'user_%25',
    ],
  ])('%j cannot belong to any record: 404', (rawId) =>
    expect(refusal(() => parseGet(rawId)).code).toBe('not_found'),
  );

  it('is either refused or safe as a segment of a path, whatever it is', () => {
    const hostile = fc.oneof(fc.string(), fc.string({ unit: anyCharacter }), fc.webPath());
    fc.assert(
      fc.property(fc.boolean(), hostile, (prefixed, text) => {
        const id = (prefixed ? 'user_' : '') + text;
        const safe = /^user_[A-Za-z0-9_.~-]{1,123}$/.test(id);
        const parse = () => parseGet(encodeURIComponent(id)).id;
        if (safe) expect(parse()).toBe(id);
        else expect(refusal(parse).code).toBe('not_found');
      }),
      { numRuns: 500 },
    );
  });
});
