import type { ListQuery } from '../../../../src/contract/query.ts';
import { explainReplies } from '../../../../src/source/adapter/read/explain-reply.ts';
import { collectValues } from '../../../../src/workbench/recordings/personal-values.ts';
import { maskNumbers, maskTexts } from '../../../../src/workbench/recordings/mask-texts.ts';
import { loadTexts } from '../../../support/gateway/config-texts.ts';

const CONTRACT = `contract: 1
title: Shop
resources:
  orders:
    singular: order
    id: { prefix: ord }
    fields:
      name: { kind: text }
      code: { kind: text, personal: false }
      phone: { kind: text }
      wage: { kind: decimal, personal: true }
      born: { kind: date }
      at: { kind: datetime }
      tags: { kind: list, of: { kind: text } }
      marks: { kind: list, of: { kind: text }, personal: false }
      lines: { kind: list, of: { note: { kind: text }, unit: { kind: text, personal: false } } }
`;
const SOURCE = `source: 1
name: shop
net: { baseUrl: 'http://127.0.0.1:1' }
outcomes: [{ status: 200, is: ok }]
resources:
  orders:
    id: { kind: number }
    list:
      request: { path: /orders }
      window: { kind: none }
      items: ''
      map:
        id: id
        name: name
        code: code
        phone: phone
        wage: wage
        born: born
        at: { from: at, as: [iso8601] }
        tags: { from: tags, each: { as: [trim] } }
        marks: marks
        lines: { from: lines, each: { map: { note: n, unit: u } } }
`;
const ROW = {
  ...{ id: 1, name: 'Ada', code: 'C-1', born: '1980-02-03', at: '2020-01-01T00:00:00Z' },
  ...{ phone: 4917055501231, wage: 73100.5 },
  ...{ tags: ['Kin'], marks: ['new'], lines: [{ n: 'Fragile', u: 'kg', secret: 'unread' }] },
};

describe('the values of a recording', () => {
  it('are personal as the contract says: by default texts and days, also those in lists', () => {
    const gateway = 'portico: 1\nresources: { orders: { source: shop, public: true } }\n';
    const { compiled } = loadTexts({ gateway, contract: CONTRACT, sources: { 'shop.yaml': SOURCE } });
    const [one] = compiled;
    const own = one?.source.spec.resources['orders'];
    if (one === undefined || own === undefined) throw new Error('the source is not compiled');
    const explainer = explainReplies(one.source.spec, one.resource, 'list');
    if (explainer === undefined) throw new Error('the source has no list');
    const body = Buffer.from(JSON.stringify([ROW, { ...ROW, id: 2, wage: 0 }]).replace(':0,', ':7.31e4,'));
    const reply = { status: 200, header: () => 'application/json', body } as never;
    const query: ListQuery = {
      ...{ kind: 'list', resource: 'orders', page: 1, limit: 1, sort: null },
      filters: [{ field: 'tags', op: 'has', value: 'asked' }],
    };
    const { personal, numbers, kept } = collectValues(one, own, [{ view: 'list', explainer, reply }], query);
    expect([...personal].sort()).toEqual(['1980-02-03', 'Ada', 'Fragile', 'Kin', 'asked']);
    for (const text of ['C-1', '2020-01-01T00:00:00Z', 'new', 'kg', '1']) expect(kept).toContain(text);
    expect([...numbers].sort()).toEqual(['4917055501231', '73100.5']);
    for (const text of ['unread', '4917055501231', '7.31e4']) expect(kept).not.toContain(text);
  });

  it('that are days become other days in the same order', () => {
    const days = ['1980-02-03', '1980-02-29', '1999-12-31', '2000-01-01'];
    const masked = maskTexts(days, () => true);
    const made = days.map((day) => masked.get(day) ?? '');
    expect(made.filter((day, index) => day === days[index])).toEqual([]);
    expect(made.map((day) => new Date(day).toISOString().slice(0, 10))).toEqual(made);
    expect([...made].sort()).toEqual(made);
  });

  it('that are numbers become other numbers of the same length in the same order', () => {
    const numbers = ['-7.5', '-7', '3', '95', '123', '4917055501231', '4917055501232'];
    const masked = maskNumbers(numbers);
    const made = numbers.map((number) => masked.get(number) ?? '');
    expect(made).not.toEqual(numbers);
    expect(made.map(({ length }) => length)).toEqual(numbers.map(({ length }) => length));
    expect(made.map(Number).toSorted((a, b) => a - b)).toEqual(made.map(Number));
  });
});
