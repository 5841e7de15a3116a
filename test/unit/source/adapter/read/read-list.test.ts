import type { ListAdapter } from '../../../../../src/source/adapter/compile.ts';
import type { OnMissingValue } from '../../../../../src/source/adapter/map/map-record.ts';
import { UNOBSERVED } from '../../../../../src/source/adapter/map/reply-observer.ts';
import { refusal } from '../../../../support/pipeline/parse-as.ts';
import { adapterOf, productsText, replyOf } from '../../../../support/pipeline/source-text.ts';

const row = (id: unknown) => ({ id, name: 'n', description: '', category: 'c', price: 1 });
const byPath = adapterOf('products', productsText('total: { at: meta.hits }')).list;
const byHeader = adapterOf('products', productsText('total: { header: X-Total }')).list;
const without = adapterOf('products', productsText()).list;

/** The rows of a reply, and the missing values told. */
function read(list: ListAdapter, ...reply: Parameters<typeof replyOf>) {
  const missingValues: string[] = [];
  const onMissingValue: OnMissingValue = (field, reason) => missingValues.push(`${field} ${reason}`);
  const rows = list.read(replyOf(...reply), { ...UNOBSERVED, onMissingValue });
  return { ...rows, ids: rows.records.map(({ id }) => id), missingValues };
}
const lost = { total: undefined, isTotalLost: true, missingValues: ['total unreadable'] };
const codeOf = (...reply: Parameters<typeof read>) => refusal(() => read(...reply)).code;

describe('the rows of a reply', () => {
  it('are records, in their order, with what the source says is their number', () => {
    expect(read(byPath, { rows: [row(2), row('01')], meta: { hits: 7 } })).toMatchObject({
      ids: ['prod_2', 'prod_1'],
      total: 7,
      received: 2,
    });
    expect(read(byHeader, { rows: [] }, { headers: { 'x-total': '12' } }).total).toBe(12);
    expect(read(without, { rows: [] }).total).toBeUndefined();
  });

  it.each(['{}', '{"rows":null}', '{"rows":{}}', '{"rows":"[]"}', '{"rows":7}', '[]', 'null'])(
    'must be a list: %s is 502',
    (body) => expect(codeOf(without, body)).toBe('upstream_invalid_response'),
  );

  it.each(['7', '"7"', '0'])('have a total where it is the whole number %s', (total) => {
    expect(read(byPath, `{"rows":[],"meta":{"hits":${total}}}`).total).toBe(Number(JSON.parse(total)));
  });

  it.each([
    'null',
    '-1',
    '1.0',
    '1.5',
    '1e3',
    '"1e3"',
    '"all"',
    '""',
    '" 7"',
    'true',
    '[7]',
    '["7"]',
    '{}',
    '9007199254740993',
    '"1000000000000000"',
  ])('have no total where it is %s: that is reported, and nothing invented', (total) =>
    expect(read(byPath, `{"rows":[],"meta":{"hits":${total}}}`)).toMatchObject(lost),
  );

  it.each([undefined, '', '-1', '1,000', '7, 7', 'many'])(
    'have no total where its header is %p',
    (header) => {
      const headers = header === undefined ? {} : { 'x-total': header };
      expect(read(byHeader, { rows: [] }, { headers })).toMatchObject(lost);
    },
  );
});

describe('a row without a usable id', () => {
  const rows = [row(1), row('x'), {}, null, row(2)];

  it('fails the page', () => expect(codeOf(without, { rows })).toBe('upstream_invalid_response'));

  it('is dropped, counted and reported if the source file says drop', () => {
    const dropping = adapterOf(
      'products',
      productsText().replace('kind: number }', 'kind: number }\n    onInvalidRecord: drop'),
    ).list;
    expect(read(dropping, { rows })).toMatchObject({
      ids: ['prod_1', 'prod_2'],
      received: 5,
      missingValues: ['id unreadable', 'id unreadable', 'id unreadable'],
    });
  });
});

describe('a reply to a list', () => {
  const outcomes = `
outcomes:
  - { status: 200, at: rc, equals: 0, is: ok }
  - { status: 404, is: past_end }
  - { status: 410, is: not_found }
  - { status: 401, is: unauthorized }
  - { status: 5xx, is: unavailable }
`;
  const { list } = adapterOf('products', productsText() + outcomes);

  it('that means "past the end" has no rows, and says no total', () => {
    expect(read(list, 'gone', { status: 404, headers: { 'content-type': 'text/plain' } })).toMatchObject({
      records: [],
      total: undefined,
      received: 0,
    });
  });

  it.each<[string, number, string, string]>([
    ['HTML under 200', 200, '<html>', 'text/html'],
    ['HTML under 200 that says JSON', 200, '<html>', 'application/json'],
    ['nothing under 200', 200, '', 'application/json'],
    ['rows without the sign of success', 200, '{"rows":[]}', 'application/json'],
    ['a sign of failure', 200, '{"rc":1,"rows":[]}', 'application/json'],
    ['"not found", which makes no sense', 410, '{"rc":0,"rows":[]}', 'application/json'],
    ['a redirect', 302, '', 'text/plain'],
    ['no content', 204, '', ''],
    ['a status of its own', 299, '{"rc":0,"rows":[]}', 'application/json'],
  ])('that is %s is 502 upstream_invalid_response', (_name, status, body, type) => {
    expect(codeOf(list, body, { status, headers: { 'content-type': type } })).toBe(
      'upstream_invalid_response',
    );
  });

  it('that says our credential is wrong is 502, never 401', () => {
    expect(codeOf(list, '', { status: 401 })).toBe('upstream_error');
  });

  it('that is an error page is classified by its status', () => {
    expect(codeOf(list, '<html>', { status: 503, headers: { 'content-type': 'text/html' } })).toBe(
      'upstream_unavailable',
    );
  });
});

describe('a ghost record', () => {
  const ghostly = { rows: [row(1), { id: 2, deleted: true }, row(3)] };
  const dropping = adapterOf(
    'products',
    productsText().replace('{ kind: number }', '{ kind: number }\n    onInvalidRecord: drop'),
  ).list;

  it.each(['readWritten', 'read'] as const)('is invalid beside others (%s)', (way) => {
    const thrown = refusal(() => without[way](replyOf(ghostly), UNOBSERVED));
    expect(thrown).toMatchObject({
      code: 'upstream_invalid_response',
      detail: 'record 2 of 3 is a ghost: it has no mapped key but its id',
    });
  });

  it('is left out and counted where invalid records are dropped', () => {
    expect(read(dropping, ghostly)).toMatchObject({
      ids: ['prod_1', 'prod_3'],
      received: 3,
      missingValues: ['id unreadable'],
    });
  });

  it.each([
    ['with one key that is null', [row(1), { id: 2, name: null }]],
    ['among none that have the keys', [{ id: 1 }, { id: 2 }]],
    ['alone', [{ id: 2 }]],
  ])('is none %s', (_, rows) => {
    expect(read(without, { rows }).ids).toHaveLength(rows.length);
    expect(() => without.readWritten(replyOf({ rows }), UNOBSERVED)).not.toThrow();
  });
});
