import { locationIn } from '../../../../../src/source/adapter/spec/spec-location.ts';
import fc from 'fast-check';
import { compileTotal } from '../../../../../src/source/adapter/read/total.ts';
import { UNOBSERVED } from '../../../../../src/source/adapter/map/reply-observer.ts';
import type { ListSpec } from '../../../../../src/config/schema/source.ts';
import { readJson } from '../../../../../src/kernel/json/json.ts';
import { refusal } from '../../../../support/pipeline/parse-as.ts';
import { adapterOf, productsText, queryOf, replyOf } from '../../../../support/pipeline/source-text.ts';

type TotalSpec = NonNullable<ListSpec['total']>;

function totalOf(spec: Partial<TotalSpec>, body: string, headers: Readonly<Record<string, string>> = {}) {
  const read = compileTotal(
    { counts: 'filtered', ...spec },
    locationIn((_at, message) => {
      throw new Error(message);
    }),
  );
  return read(replyOf(body, { headers }), readJson(body));
}
const codeOf = (...args: Parameters<typeof totalOf>) => refusal(() => totalOf(...args)).code;

describe('a total', () => {
  it('is any whole number at its path or in its header', () => {
    fc.assert(
      fc.property(fc.nat(), (total) => {
        expect(totalOf({ at: 'meta.n' }, `{"meta":{"n":${total}}}`)).toBe(total);
        expect(totalOf({ at: 'meta.n' }, `{"meta":{"n":"${total}"}}`)).toBe(total);
        expect(totalOf({ at: '' }, String(total))).toBe(total);
        expect(totalOf({ header: 'X-Total-Count' }, '[]', { 'x-total-count': String(total) })).toBe(total);
        const range = { header: 'Content-Range', pattern: '/(\\d+)$' };
        expect(totalOf(range, '[]', { 'content-range': `0-24/${total}` })).toBe(total);
      }),
    );
  });

  it.each(['0-24/*', '*/*', '', '0-24', '0-24/1e3', '0-24/ 7'])(
    'in Content-Range: %s is not there: 502, and nothing invented',
    (header) => {
      const range = { header: 'Content-Range', pattern: '/(\\d+)$' };
      expect(codeOf(range, '[]', { 'content-range': header })).toBe('upstream_invalid_response');
    },
  );

  it('is absent if its pattern has no group', () => {
    expect(codeOf({ header: 'X-N', pattern: '\\d+' }, '[]', { 'x-n': '7' })).toBe(
      'upstream_invalid_response',
    );
  });
});

describe('a total that may be only a bound', () => {
  const hits = { at: 'hits.value', unless: { at: 'hits.relation', equals: 'gte' } };

  it('is one where the reply does not say so', () => {
    expect(totalOf(hits, '{"hits":{"value":7,"relation":"eq"}}')).toBe(7);
    expect(totalOf(hits, '{"hits":{"value":7}}')).toBe(7);
  });

  it('is absent if the reply marks it as a bound', () => {
    expect(totalOf(hits, '{"hits":{"value":10000,"relation":"gte"}}')).toBeUndefined();
    expect(totalOf(hits, '{"hits":{"relation":"gte"}}')).toBeUndefined();
  });

  it('is still a whole number or an error', () =>
    expect(codeOf(hits, '{"hits":{"value":-1,"relation":"eq"}}')).toBe('upstream_invalid_response'));
});

describe('a total that has a request of its own', () => {
  const counted = (filters: string) =>
    adapterOf(
      'products',
      productsText(
        [
          `total: { at: n, count: { path: /items/count, query: { q: '{filter}' } } }`,
          'order: id',
          `filters: { category: { eq: { ${filters}, exactness: exact } } }`,
        ].join('\n      '),
      ).replace("n: '{limit}'", "n: '{limit}', q: '{filter}'"),
    ).list;

  it.each([
    ["query: { cat: '{value}' }", '/items/count?cat=Toys%20%26%20co'],
    [`expr: 'cat eq {value}', escape: odata`, '/items/count?q=cat%20eq%20%27Toys%20%26%20co%27'],
  ])('is asked with the filters of the page: { %s }', (filters, target) => {
    const plan = counted(filters).plan(queryOf('products', 'category=Toys+%26+co'), new Set());
    expect(plan.kind === 'page' ? plan.count?.target : plan.kind).toBe(target);
  });

  it('is read from that reply, and never from a page', () => {
    const list = counted("query: { cat: '{value}' }");
    expect(list.readCount(replyOf({ n: 7 }), UNOBSERVED)).toBe(7);
    expect(list.read(replyOf({ rows: [], n: 9 }), UNOBSERVED).total).toBeUndefined();
    expect(refusal(() => list.readCount(replyOf({ rows: [] }), UNOBSERVED)).code).toBe(
      'upstream_invalid_response',
    );
    expect(refusal(() => list.readCount(replyOf('', { status: 503 }), UNOBSERVED)).code).toBe(
      'upstream_error',
    );
  });
});

describe('a total is reported', () => {
  it.each<[string, TotalSpec]>([
    ['a total stands at a path or in a header', { counts: 'filtered' }],
    ['a total stands at a path or in a header', { counts: 'filtered', at: 'n', header: 'X-N' }],
    ['"(" is not a regular expression', { counts: 'filtered', header: 'X-N', pattern: '(' }],
    ['"a..b" is not a path', { counts: 'filtered', at: 'n', unless: { at: 'a..b', equals: 1 } }],
  ])('where %s: %j', (message, spec) => {
    const problems: string[] = [];
    compileTotal(
      spec,
      locationIn((_at, text) => problems.push(text)),
    );
    expect(problems).toEqual([expect.stringContaining(message)]);
  });
});
