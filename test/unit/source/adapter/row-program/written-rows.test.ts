import fc from 'fast-check';
import type { ListAdapter, Rows, WrittenRows } from '../../../../../src/source/adapter/compile.ts';
import { cacheTagOf } from '../../../../../src/source/adapter/row-program/written-records.ts';
import { type ReplyObserver, UNOBSERVED } from '../../../../../src/source/adapter/map/reply-observer.ts';
import { isOrdered } from '../../../../../src/source/checks/order.ts';
import { compileIdOrder } from '../../../../../src/contract/order.ts';
import { listBody, writtenListBody } from '../../../../../src/contract/response-body.ts';
import { type ResourceName, resources } from '../../../../support/reference.ts';
import { GatewayError } from '../../../../../src/kernel/errors/fault.ts';
import type { UpstreamReply } from '../../../../../src/kernel/upstream-call.ts';
import { adapterOf, replyOf } from '../../../../support/pipeline/source-text.ts';
import { replies } from './odd-replies.ts';

/** A file with one resource; `list` has what stands in its list besides the request. */
const file = (resource: ResourceName, list: string, id = 'kind: number', top = '') => `
${top}
resources:
  ${resource}:
    id: { ${id} }
    list:
      request: { path: /rows }
      ${list.trim().replaceAll('\n', '\n      ')}
    ${resource === 'users' ? "get: { request: { path: '/rows/{id}' }, item: '', map: { id: no, name: null, email: null, created_at: null, profile.bio: null, profile.location: null, profile.avatar_url: null } }" : ''}
`;

const OFFSET = 'window: { kind: offset, sizeMax: 100 }';
const PEOPLE = `${OFFSET}
items: data.rows
total: { at: data.total, unless: { at: data.estimate, equals: true } }
map:
  id: no
  name: { from: [first, last], as: [{ join: ' "–" ' }] }
  email: { from: mail, as: [trim] }
  created_at: { from: created, as: [{ date: { format: 'yyyy-MM-dd HH:mm:ss', zone: UTC } }] }`;

/** Files whose rows are written, each with other steps. */
const FILES: readonly (readonly [ResourceName, string])[] = [
  ['users', file('users', PEOPLE)],
  [
    'users',
    file(
      'users',
      PEOPLE.replace('id: no', 'id: last').replace('{ from: mail, as: [trim] }', 'mail'),
      'kind: text',
    ),
  ],
  [
    'users',
    file(
      'users',
      `window: { kind: page, sizes: [100], echo: { page: page, size: data.total } }
items: ''
map: { id: '"no"', name: { from: first, as: [text] }, email: { from: data.mail }, created_at: { from: created, as: [iso8601] } }`.replace(
        'echo: { page: page, size: data.total }',
        'base: 1',
      ),
      "kind: number, form: '[0-9]{1,4}'",
    ),
  ],
  [
    'products',
    file(
      'products',
      `${OFFSET.replace(' }', ', echo: { offset: echo } }')}
items: data.rows
map:
  id: no
  name: { from: first, as: [trim, uppercase] }
  description: { from: [last], as: [{ join: '\\n' }] }
  category: { from: mail, as: [{ default: none }, trim] }
  price: price`,
      'kind: text',
      'outcomes: [{ status: 200, at: error, present: true, is: error }, { status: 200, at: data.total, equals: 0, is: past_end }, { status: 200, is: ok }]',
    ),
  ],
  [
    'products',
    file(
      'products',
      `window: { kind: none }
items: data.rows
map: { id: no, name: last, description: null, category: first, price: { from: price, as: [cents] } }`,
      'kind: number',
      'decode: { charset: iso-8859-1 }',
    ),
  ],
];

/** Files whose rows are not written, and whose records are read without making what no field wants. */
const PROJECTED: readonly (readonly [ResourceName, string])[] = [
  [
    'users',
    file(
      'users',
      PEOPLE.replace(
        OFFSET,
        'window: { kind: cursor, sizeMax: 100, next: data.next, more: data.more }',
      ).replace('/rows }', "/rows, query: { after: '{cursor}' } }"),
    ),
  ],
  [
    'users',
    file(
      'users',
      `${PEOPLE.replace(OFFSET, 'window: { kind: link, sizeMax: 100, next: { at: data.next } }').replace(/\n {2}created_at.*/, '')}
hydrate: { request: { path: '/rows/{id}' }, item: '', map: { id: no, created_at: null } }`,
    ),
  ],
];

/** A row that no reply has is left out, so the file's rows are looked at one by one: its records are read the general way. */
const GENERAL = 'dropWhen: [{ at: state, equals: gone-for-ever }]';
const withGeneral = ([resource, text]: readonly [ResourceName, string]) => ({
  resource: resources[resource],
  list: adapterOf(resource, text).list,
  general: adapterOf(
    resource,
    text.replace('request: { path: /rows', `${GENERAL}\n      request: { path: /rows`),
  ).list,
});
const adapters = FILES.map(withGeneral);
const projected = PROJECTED.map(withGeneral);

/** Everything that becomes of a reply: the body of a page and what is told beside it, or the error. */
function outcomeOf(
  list: ListAdapter,
  resource: (typeof adapters)[number]['resource'],
  read: () => Rows | WrittenRows,
) {
  try {
    const rows = read();
    const meta = { total: rows.total ?? -1, page: 1, limit: 100 };
    const { total, isTotalLost, received, echo, next } = rows;
    const facts = { total, isTotalLost, received, echo, next };
    if ('written' in rows) {
      const { bytes, tags, isAscending, nulls, length } = rows.written;
      return { body: writtenListBody(bytes, meta).toString(), tags, isAscending, nulls, length, ...facts };
    }
    const { records } = rows;
    const fields = resource.itemFields.filter(({ kind }) => kind !== 'id').map(({ name }) => name);
    return {
      body: listBody(resource, records, meta),
      tags: records.map(({ id }) => cacheTagOf(resource, id)).join(' '),
      isAscending: isOrdered(records, compileIdOrder(resource.itemFields)),
      nulls: new Map(
        fields
          .map((name) => [name, records.filter((one) => one[name] === null).length] as const)
          .filter(([, count]) => count > 0),
      ),
      length: records.length,
      ...facts,
    };
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    return { error: error.code, reason: error.reason, detail: error.detail };
  }
}

/** Reads a reply in all ways, and says whether its rows were written. */
function expectSame({ list, general, resource }: (typeof adapters)[number], reply: UpstreamReply): boolean {
  const told = { written: [] as unknown[], records: [] as unknown[], general: [] as unknown[] };
  const observerOf = (way: keyof typeof told): ReplyObserver => ({
    onMissingValue: (...missing) => told[way].push(missing),
    onRule: (rule) => told[way].push(rule),
  });
  let isWritten = false;
  const written = outcomeOf(list, resource, () => {
    const rows = list.readWritten(reply, observerOf('written'));
    isWritten = 'written' in rows;
    return rows;
  });
  const records = outcomeOf(list, resource, () => list.read(reply, observerOf('records')));
  const right = outcomeOf(list, resource, () => general.read(reply, observerOf('general')));
  expect(records).toEqual(right);
  expect(written).toEqual(right);
  expect(JSON.stringify(told.records)).toBe(JSON.stringify(told.general));
  expect(JSON.stringify(told.written)).toBe(JSON.stringify(told.general));
  return isWritten;
}

describe('rows that are written', () => {
  it('are byte for byte those of the general reader, with the same rule, missing values, facts and errors', () => {
    fc.assert(
      fc.property(replies, fc.constantFrom(...adapters), (reply, adapter) => void expectSame(adapter, reply)),
      { numRuns: 1_500 },
    );
  });

  it('are never made of a list whose pages are found by their rows, which is read to the same records', () => {
    fc.assert(
      fc.property(replies, fc.constantFrom(...projected), (reply, adapter) =>
        expect(expectSame(adapter, reply)).toBe(false),
      ),
      { numRuns: 1_000 },
    );
  });

  it('are what most replies get, whatever the order of their keys, with white space and fields that are missing', () => {
    const [adapter] = adapters;
    const people = [
      '{"no":7,"first":"Zoë","last":"O’Neill","mail":"z@example.com","created":"2020-05-01 12:30:45","tags":[{"a":1}]}',
      '{ "last" : "Smith", "no" : 8, "first": null }',
      '{"no":9,"mail":"\\u00e9","created":"2020-02-30 00:00:00","first":" x "}',
    ];
    for (let times = 0; times < 3; times += 1)
      for (const rows of [people, people.slice(1), people.toReversed()])
        expect(
          expectSame(adapter!, replyOf(`\n{"data": {"total":3, "rows": [${rows.join(' ,\n')}] } }\n`)),
        ).toBe(true);
  });

  it('are left to the general reader where objects are dictionaries, or too many keys came', () => {
    const [adapter] = adapters;
    const wide = (from: number, count: number) =>
      `{${Array.from({ length: count }, (_, index) => `"k${from + index}":{"v":${index}}`).join(',')}}`;
    const page = (odd: string) => replyOf(`{"data":{"total":1,"rows":[{"no":1,"odd":${odd}}]}}`);
    expect(expectSame(adapter!, page(wide(0, 500)))).toBe(false);
    for (let from = 0; from < 4_000; from += 50)
      expect(expectSame(adapter!, page(wide(from, 50)))).toBe(true);
    for (let again = 0; again < 1_100; again += 1) adapter!.list.readWritten(page('1'), UNOBSERVED);
    expect(expectSame(adapter!, page('1'))).toBe(true);
  });
});
