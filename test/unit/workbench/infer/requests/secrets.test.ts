import { isSecretName } from '../../../../../src/config/yaml/hide-secrets.ts';
import { createSecrets, secretRank } from '../../../../../src/workbench/infer/requests/secrets.ts';

describe('the credentials of a draft', () => {
  it('become variables that are named for the source and for what they are', () => {
    const secrets = createSecrets('my-shop');
    expect(secrets.hide('abc', 'X-Api-Key')).toBe('${MY_SHOP_X_API_KEY}');
    expect(secrets.variables).toEqual({ MY_SHOP_X_API_KEY: 'abc' });
  });

  it('that are equal share a variable', () => {
    const secrets = createSecrets('shop');
    expect([secrets.hide('abc', 'token'), secrets.hide('abc', 'session')]).toEqual([
      '${SHOP_TOKEN}',
      '${SHOP_TOKEN}',
    ]);
  });

  it('that stand apart do not: a user may be named like the password today', () => {
    const secrets = createSecrets('shop');
    expect([secrets.hide('abc', 'password'), secrets.hide('abc', 'user', true)]).toEqual([
      '${SHOP_PASSWORD}',
      '${SHOP_USER}',
    ]);
  });

  it('that have one name and two values are numbered', () => {
    const secrets = createSecrets('shop');
    expect(['a', 'b', 'c'].map((value) => secrets.hide(value, 'token'))).toEqual([
      '${SHOP_TOKEN}',
      '${SHOP_TOKEN_2}',
      '${SHOP_TOKEN_3}',
    ]);
  });

  it('are put back everywhere, and a value with a dollar sign as it is', () => {
    const secrets = createSecrets('shop');
    const hidden = { a: [`Bearer ${secrets.hide('$&x', 'token')}`], n: 1 };
    expect(secrets.reveal(hidden)).toEqual({ a: ['Bearer $&x'], n: 1 });
  });
});

describe('the name of a credential', () => {
  it.each([
    'token',
    'access_token',
    'apikey',
    'api_key',
    'api-key',
    'Password',
    'pwd',
    'sig',
    'key',
    'sid',
    'client_secret',
    'consumer_key',
    'session_id',
  ])('is recognised: %s', (name) => expect(isSecretName(name)).toBe(true));
  it.each(['page', 'limit', 'sort', 'keyword', 'category', 'author', 'signed', 'sessions', 'monkey'])(
    'is not seen in %s',
    (name) => expect(isSecretName(name)).toBe(false),
  );

  it('ranks headers by how likely each is the credential', () => {
    const names = ['X-Client-Id', 'X-Trace', 'X-Api-Key', 'Authorization'];
    expect(names.toSorted((a, b) => secretRank(a) - secretRank(b))).toEqual([
      ...['Authorization', 'X-Api-Key', 'X-Trace', 'X-Client-Id'],
    ]);
  });
});
