import { locationIn } from '../../../../../src/source/adapter/spec/spec-location.ts';
import fc from 'fast-check';
import { compileNext } from '../../../../../src/source/adapter/read/next.ts';
import type { ListSpec } from '../../../../../src/config/schema/source.ts';
import { readOrUndefined } from '../../../../../src/workbench/infer/detect/detect-format.ts';
import { readJson } from '../../../../../src/kernel/json/json.ts';
import { refusal } from '../../../../support/pipeline/parse-as.ts';
import { replyOf } from '../../../../support/pipeline/source-text.ts';
import { finishes } from '../../../../support/time/finishes.ts';

const BASE = 'https://shop.example/api/v0';

type Sequential = Extract<ListSpec['window'], { kind: 'cursor' | 'continue' | 'link' | 'keyset' }>;

/** What names the next window, in a reply with this body and these headers. */
function nextOf(
  window: Sequential,
  body: unknown,
  { headers = {}, rows = [] as unknown[], baseUrl = BASE, path = '/rows' } = {},
): string | undefined {
  const list = {
    window,
    request: { path, query: { aulimit: '{limit}' } },
    filters: {},
  } as unknown as ListSpec;
  const next = compileNext(
    list,
    { baseUrl },
    locationIn((_at, message) => {
      throw new Error(message);
    }),
  );
  const json = (value: unknown) => readJson(typeof value === 'string' ? value : JSON.stringify(value));
  return next?.(replyOf('', { headers }), json(body), rows.map(json));
}

describe('the cursor of the next window', () => {
  const cursor = { kind: 'cursor', sizeMax: 20, next: 'page.next' } as const;
  const flagged = { ...cursor, more: 'page.more' } as const;

  it.each([
    ['{"page":{"next":"a/b="}}', 'a/b='],
    ['{"page":{"next":17}}', '17'],
    ['{"page":{"next":0}}', '0'],
    ['{"page":{"next":9007199254740993}}', '9007199254740993'],
    ['{"page":{"next":null}}', undefined],
    ['{"page":{"next":""}}', undefined],
    ['{"page":{"next":false}}', undefined],
    ['{"page":{}}', undefined],
    ['{}', undefined],
  ])('in %s is %p', (body, wanted) => expect(nextOf(cursor, body)).toBe(wanted));

  it.each(['{"page":{"next":{}}}', '{"page":{"next":["a"]}}', '{"page":{"next":true}}'])(
    'in %s is 502: it is no name',
    (body) => expect(refusal(() => nextOf(cursor, body)).code).toBe('upstream_invalid_response'),
  );

  it.each([
    [true, 'a', 'a'],
    ['true', 'a', 'a'],
    [1, 'a', 'a'],
    [false, 'a', undefined],
    ['false', 'a', undefined],
    [0, null, undefined],
    [null, null, undefined],
    [undefined, undefined, undefined],
  ])('with a flag %p and a cursor %p is %p', (more, next, wanted) =>
    expect(nextOf(flagged, { page: { more, next } })).toBe(wanted),
  );

  it.each([
    [true, null],
    ['true', undefined],
    [undefined, 'a'],
    [null, 'a'],
    ['yes', 'a'],
    [{}, 'a'],
    [[], null],
  ])('with a flag %p and a cursor %p is 502: the list may go on', (more, next) =>
    expect(refusal(() => nextOf(flagged, { page: { more, next } })).code).toBe('upstream_invalid_response'),
  );
});

describe('the address of the next window', () => {
  const header = { kind: 'link', sizeMax: 20, next: { header: 'Link' } } as const;
  const linked = (link: string) => nextOf(header, null, { headers: { link } });

  it.each<[string, string | undefined]>([
    [`<${BASE}/rows?c=2>; rel="next"`, '/rows?c=2'],
    [`<${BASE}/rows?c=2>; rel=next`, '/rows?c=2'],
    [`<${BASE}/rows?c=2>;REL="NEXT"`, '/rows?c=2'],
    [`<${BASE}/rows?c=1>; rel="prev", <${BASE}/rows?c=3>; rel="next"`, '/rows?c=3'],
    [`<${BASE}/rows?c=3>; rel="next", <${BASE}/rows?c=9>; rel="last"`, '/rows?c=3'],
    [`<${BASE}/rows?c=3>; title="a, <b>; rel=prev"; rel="next"`, '/rows?c=3'],
    [`<${BASE}/a>; title="x\\", y"; rel="first", <${BASE}/b>; rel="next"`, '/b'],
    [`<${BASE}/rows?a=1,2;3>; rel="last next"`, '/rows?a=1,2;3'],
    [`<${BASE}/rows?c=3>; rel="http://x.example/next"`, undefined],
    [`<${BASE}/rows?c=3>; rel="nextish"`, undefined],
    [`<${BASE}/rows?c=3>; title="rel=next"`, undefined],
    [`<${BASE}/rows?c=3>; rel="prev"; rel="next"`, undefined],
    [`<${BASE}/rows?c=3>`, undefined],
    ['', undefined],
    ['  ', undefined],
    [`${BASE}/rows?c=2`, '/rows?c=2'],
    ['/api/v0/rows?c=2', '/rows?c=2'],
    ['?c=2', '/rows?c=2'],
  ])('in %s is %p (RFC 8288)', (link, target) => expect(linked(link)).toBe(target));

  it.each([
    'next',
    'rows?c=2',
    `${BASE}/rows?c=2; rel="next"`,
    `<${BASE}/rows?c=2`,
    `${BASE}/rows?c=2, ${BASE}/rows?c=3`,
    `<${BASE}/rows?c=1>; rel="prev", ${BASE}/rows?c=3`,
    'null',
    '-',
    'https://elsewhere.example/api/v0/rows?c=2',
    '<https://elsewhere.example/api/v0/rows?c=2>; rel="next"',
    'http://shop.example/api/v0/rows?c=2',
    '//elsewhere.example/api/v0/rows?c=2',
  ])('%s is no end: 502', (link) =>
    expect(refusal(() => linked(link)).code).toBe('upstream_invalid_response'),
  );

  it('is found among any others, in any order', () => {
    const text = fc.string({ unit: fc.constantFrom('a', ',', ';', '<', '>', ' ', '=', 'next') });
    const other = fc.tuple(fc.constantFrom('first', 'prev', 'last', 'self'), text);
    fc.assert(
      fc.property(fc.array(other), fc.nat(), text, (others, place, title) => {
        const links = others.map(([rel, name]) => `<${BASE}/x>; title="${name}"; rel="${rel}"`);
        links.splice(place % (links.length + 1), 0, `<${BASE}/rows?c=7>; title="${title}"; rel="next"`);
        expect(linked(links.join(', '))).toBe('/rows?c=7');
      }),
    );
  });

  it('is read in linear time', () => {
    for (const part of ['<a>;', '; x="', '<', ' ;a="\\', ',', '; a=b'])
      expect(
        finishes(() => readOrUndefined(() => linked(`<a>${part.repeat(1_000_000 / part.length)}`))),
      ).toBeUndefined();
  });

  const inside = { kind: 'link', sizeMax: 20, next: { at: 'next' }, origin: 'any' } as const;
  const addressed = (next: string, baseUrl = BASE, path = '/rows') =>
    nextOf(inside, { next }, { baseUrl, path });

  it.each([
    ['http://10.0.0.7:8080/api/v0/rows?skip=2', '/rows?skip=2'],
    ['//elsewhere.example/api/v0/rows?skip=2', '/rows?skip=2'],
    ['/api/v0/rows?skip=2#top', '/rows?skip=2'],
    ['?skip=2', '/rows?skip=2'],
    ['rows?skip=2', '/rows?skip=2'],
    ['https://user:pass@shop.example/api/v0/rows?q=%20x', '/rows?q=%20x'],
    ['http://10.0.0.7:8080/api/v0?_getpages=7', '?_getpages=7'],
    ['/api/v0/?_getpages=7', '/?_getpages=7'],
  ])('%s counts by its path and query alone: %s', (address, target) =>
    expect(addressed(address)).toBe(target),
  );

  it('may be at another origin only if the file says so', () => {
    const own = { kind: 'link', sizeMax: 20, next: { at: 'next' } } as const;
    expect(refusal(() => nextOf(own, { next: 'http://10.0.0.7:8080/api/v0/rows?skip=2' })).detail).toContain(
      'another origin',
    );
    expect(nextOf(own, { next: `${BASE}/rows?skip=2` })).toBe('/rows?skip=2');
    expect(nextOf(own, { next: ' ' })).toBeUndefined();
  });

  it('is relative to the list, however deep that is', () => {
    expect(addressed('?skip=2', BASE, '/shop/v1/rows')).toBe('/shop/v1/rows?skip=2');
    expect(addressed('rows?skip=2', BASE, '/shop/v1/rows')).toBe('/shop/v1/rows?skip=2');
    expect(addressed('/rows?skip=2', 'http://shop.example')).toBe('/rows?skip=2');
  });

  it.each([
    'https://shop.example/admin',
    'https://shop.example/api/v0',
    'https://shop.example/api/v01/rows',
    '/api/v0/../../admin',
    '/api/v0/%2e%2e/%2E%2E/admin',
    String.raw`\api\v0\..\..\admin`,
    'javascript:alert(1)',
    'http://[',
    'null',
    'end',
    '2',
  ])('%s leads out of the base address, or nowhere: 502', (address) =>
    expect(refusal(() => addressed(address)).code).toBe('upstream_invalid_response'),
  );
});

describe('the key of the next window', () => {
  const keyset = { kind: 'keyset', sizeMax: 20, key: 'meta.id' } as const;
  const keyed = (...ids: unknown[]) => nextOf(keyset, null, { rows: ids.map((id) => ({ meta: { id } })) });

  it('is that of the last row, and there is none without rows', () => {
    expect(keyed(1, 2, 'z')).toBe('z');
    expect(keyed(3)).toBe('3');
    expect(keyed()).toBeUndefined();
  });

  it.each([null, '', {}])('must be there: %p is 502', (id) =>
    expect(refusal(() => keyed(id)).code).toBe('upstream_invalid_response'),
  );
});

describe('the parameters of the next window', () => {
  const continued = { kind: 'continue', sizeMax: 20, next: 'continue' } as const;

  it.each([
    ['{"continue":{"aufrom":"Ann B","continue":"-||x"}}', 'aufrom=Ann%20B&continue=-%7C%7Cx'],
    ['{"continue":{"offset":9007199254740993}}', 'offset=9007199254740993'],
    ['{"continue":{}}', undefined],
    ['{"continue":null}', undefined],
    ['{"batchcomplete":""}', undefined],
  ])('in %s are sent back as they came: %p', (body, wanted) => expect(nextOf(continued, body)).toBe(wanted));

  it.each([
    ['a text', '{"continue":"x"}', 'no object'],
    ['a list', '{"continue":["x"]}', 'no object'],
    ['a tree', '{"continue":{"a":{"b":1}}}', 'neither text nor number'],
    ['a parameter of the request', '{"continue":{"AUlimit":"500"}}', 'has already'],
    ['very long', JSON.stringify({ continue: { a: 'x'.repeat(5_000) } }), 'too long'],
  ])('are 502 where they are %s', (_what, body, detail) => {
    expect(refusal(() => nextOf(continued, body))).toMatchObject({
      code: 'upstream_invalid_response',
      detail: expect.stringContaining(detail),
    });
  });
});

describe('a place that tells whether there is more', () => {
  const more = (at: string, present: boolean) =>
    ({ kind: 'cursor', sizeMax: 20, next: 'next', more: { at, present } }) as const;

  it.each([
    [more('continue', true), '{"continue":{},"next":"a"}', 'a'],
    [more('continue', true), '{}', undefined],
    [more('continue', true), '{"next":"a"}', undefined],
    [more('done', false), '{"next":"a"}', 'a'],
    [more('done', false), '{"done":"","next":"a"}', undefined],
  ])('is looked at: %j in %s', (window, body, wanted) => expect(nextOf(window, body)).toBe(wanted));

  it('is 502 where it says that there is more, and nothing names it', () => {
    expect(refusal(() => nextOf(more('continue', true), '{"continue":{}}')).code).toBe(
      'upstream_invalid_response',
    );
  });
});
