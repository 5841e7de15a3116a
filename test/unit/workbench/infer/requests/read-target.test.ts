import { InferError } from '../../../../../src/workbench/infer/notes/note.ts';
import { readInferTarget } from '../../../../../src/workbench/infer/requests/read-target.ts';

/** A target with an address and what else a test gives. */
const read = (url: string, more: Partial<Parameters<typeof readInferTarget>[0]> = {}) =>
  readInferTarget({ url, name: undefined, headers: [], method: undefined, body: undefined, ...more });

describe('the name of a source', () => {
  it.each([
    ['https://shop.example.com/items', 'shop'],
    ['https://ERP-2.example.com/', 'erp-2'],
    ['https://9shop.example.com/', 'shop'],
    ['https://www.example.com/', 'service'],
    ['https://api.example.com/', 'service'],
    ['http://127.0.0.1:7000/', 'service'],
    ['http://localhost/', 'service'],
    ['http://[::1]/', 'service'],
  ])('of %s is %s', (url, name) => expect(read(url).name).toBe(name));

  it('is the given one, if there is one', () => {
    expect(read('https://shop.example.com/', { name: 'crm' }).name).toBe('crm');
  });
});

describe('the credential of a request', () => {
  it.each<[string, string, unknown, Readonly<Record<string, string>>]>([
    [
      'a bearer token',
      'Authorization: Bearer abc',
      { kind: 'header', name: 'Authorization', value: 'Bearer ${SHOP_TOKEN}' },
      { SHOP_TOKEN: 'abc' },
    ],
    [
      'a key in a header',
      'X-Api-Key: abc',
      { kind: 'header', name: 'X-Api-Key', value: '${SHOP_API_KEY}' },
      { SHOP_API_KEY: 'abc' },
    ],
    [
      'a user with a password that has a colon',
      `Authorization: Basic ${Buffer.from('ada:a:b').toString('base64')}`,
      { kind: 'basic', user: '${SHOP_USER}', password: '${SHOP_PASSWORD}' },
      { SHOP_USER: 'ada', SHOP_PASSWORD: 'a:b' },
    ],
  ])('is hidden: %s', (_what, header, auth, variables) => {
    const target = read('https://shop.example.com/items', { headers: [header] });
    expect(target.auth).toEqual(auth);
    expect(target.secrets.variables).toEqual(variables);
  });

  it('is taken from the query, and does not stay there', () => {
    const { auth, request } = read('https://shop.example.com/items?api_key=abc&page=1');
    expect(auth).toEqual({ kind: 'query', name: 'api_key', value: '${SHOP_API_KEY}' });
    expect(request.query).toEqual({ page: '1' });
  });

  it('is taken from the address', () => {
    expect(read('https://ada:p%40ss@shop.example.com/').auth).toMatchObject({ kind: 'basic' });
    expect(read('https://ada:p%40ss@shop.example.com/').secrets.variables).toEqual({
      ...{ SHOP_USER: 'ada', SHOP_PASSWORD: 'p@ss' },
    });
  });

  it('is the likeliest of several headers; the others stay hidden headers', () => {
    const headers = ['X-Client-Id: me', 'Authorization: Bearer abc', 'Accept-Language: de'];
    const target = read('https://shop.example.com/', { headers });
    expect(target.auth).toMatchObject({ name: 'Authorization' });
    expect(target.headers).toEqual({ 'Accept-Language': 'de', 'X-Client-Id': '${SHOP_CLIENT_ID}' });
    expect(target.constants).toEqual({ 'Accept-Language': 'de' });
  });

  it.each([
    ['JSON', '{"auth":{"password":"s3cret"},"page":1}'],
    ['XML', '<Ask><Password>s3cret</Password><Page>1</Page></Ask>'],
    ['Odoo', '{"params":{"service":"object","args":["db",2,"s3cret","res.partner"]}}'],
  ])('is hidden in a body of %s', (_what, body) => {
    const target = read('https://shop.example.com/', { body });
    expect(JSON.stringify(target.request)).not.toContain('s3cret');
    expect(Object.values(target.secrets.variables)).toEqual(['s3cret']);
    expect(JSON.stringify(target.secrets.reveal(target.request))).toContain('s3cret');
  });
});

describe('the request of a draft', () => {
  it('is a GET without a body, and a POST with one', () => {
    expect(read('https://shop.example.com/').request.method).toBe('GET');
    expect(read('https://shop.example.com/', { body: '{}' }).request.method).toBe('POST');
    expect(read('https://shop.example.com/', { body: '{}', method: 'GET' }).request.method).toBe('GET');
  });

  it('keeps the braces of a GraphQL query apart from variables', () => {
    const { request } = read('https://shop.example.com/', { body: '{"query":"{users{id}}"}' });
    expect(request.body).toEqual({ json: { query: '{ users{ id}}' } });
  });

  it('encodes the braces of a path', () => {
    expect(read('https://shop.example.com/a/{id}').request.path).toBe('/a/%7Bid%7D');
  });

  it('keeps the last of parameters with one name', () => {
    expect(read('https://shop.example.com/?a=1&a=2').request.query).toEqual({ a: '2' });
  });

  it.each<[string, Parameters<typeof read>]>([
    ['an address without a scheme', ['shop.example.com/items']],
    ['an address of another scheme', ['ftp://shop.example.com/']],
    ['a header without a colon', ['https://shop.example.com/', { headers: ['X-Key abc'] }]],
    ['a header that breaks its line', ['https://shop.example.com/', { headers: ['X-Key: a\r\nB: c'] }]],
    ['a body that is neither JSON nor XML', ['https://shop.example.com/', { body: 'a=1' }]],
    ['a body with what a file reads as a variable', ['https://shop.example.com/', { body: '{"q":"{id}"}' }]],
  ])('is refused: %s', (_what, given) => expect(() => read(...given)).toThrow(InferError));
});
