import { parse } from 'yaml';
import { compareContracts, comparePermissions } from '../../../src/contract/compare-contracts.ts';
import { contractSchema } from '../../../src/contract/contract-schema.ts';

const OLD = `contract: 1
title: Shop
pages: { default: 20, max: 100 }
resources:
  sites:
    singular: site
    id: { prefix: site }
    fields: { name: { kind: text } }
  orders:
    singular: order
    id: { prefix: ord }
    fields:
      number: { kind: text, required: true }
      status: { kind: enum, values: [open, shipped, lost] }
      total: { kind: decimal, minimum: 0 }
      customer: { kind: reference, to: sites }
      address: { city: { kind: text } }
      tags: { kind: list, of: { kind: text }, max: 5 }
      lines: { kind: list, of: { sku: { kind: text, required: true }, price: { kind: decimal } } }
    single: { note: { kind: text }, by: { name: { kind: text } } }
    sort: [id, total]
    order: [-total]
    filters:
      status: { field: status, is: one_of }
      min_total: { field: total, is: at_least }
      tag: { field: tags, is: has }
`;

/** What a change of the old file means, as `place: message`; what breaks clients begins with an exclamation mark. */
function changed(...edits: readonly (readonly [from: string, to: string])[]): readonly string[] {
  const text = edits.reduce((done, [from, to]) => {
    if (!done.includes(from)) throw new Error(`the contract has no ${from}`);
    return done.replace(from, to);
  }, OLD);
  const [before, now] = [OLD, text].map((one) => contractSchema.parse(parse(one)));
  return compareContracts(before!, now!).map(
    ({ breaks, path, message }) => `${breaks ? '! ' : ''}${path.join('.')}: ${message}`,
  );
}

const order = (text: string) => `resources.orders.${text}`;

describe('a contract that is compared with an older one', () => {
  it('breaks nothing if it is the same, or says the same in other words', () => {
    expect(changed()).toEqual([]);
    expect(
      changed(
        ['title: Shop', 'title: Store'],
        ['default: 20, max: 100 }', 'default: 20, max: 100, overflow: reject }'],
        [
          '{ kind: text, required: true }',
          '{ kind: text, required: true, aliases: [no], description: Its number. }',
        ],
        ['    sort: [id, total]', '    pages: { max: 100 }\n    sort: [total, id]'],
      ),
    ).toEqual([]);
  });

  it.each<[string, string, string, string]>([
    ['a version', 'title: Shop', 'title: Shop\nversion: v2', 'version: version was v1, and is v2'],
    ['a default limit', 'default: 20', 'default: 25', order('pages.default: default was 20, and is 25')],
    ['the largest limit', 'max: 100', 'max: 50', order('pages.max: max was 100, and is 50')],
    ['no prefix any more', 'prefix: ord }', "prefix: '' }", order("id.prefix: prefix was ord, and is ''")],
    ['a prefix', 'prefix: ord }', 'prefix: order }', order('id.prefix: prefix was ord, and is order')],
    [
      'a kind',
      'total: { kind: decimal, minimum: 0 }',
      'total: { kind: integer, minimum: 0 }',
      order('fields.total.kind: kind was decimal, and is integer'),
    ],
    ['a minimum', 'minimum: 0', 'minimum: 1', order('fields.total.minimum: minimum was 0, and is 1')],
    [
      'what a reference leads to',
      'to: sites',
      'to: orders',
      order('fields.customer.to: to was sites, and is orders'),
    ],
    [
      'the order of values',
      '[open, shipped, lost]',
      '[shipped, open, lost]',
      order('fields.status.values: the values have another order, which sorts by it follow'),
    ],
    [
      'a value, which is gone',
      '[open, shipped, lost]',
      '[open, shipped]',
      order('fields.status.values: the value lost is gone'),
    ],
    [
      'a field, which may be null now',
      ', required: true',
      '',
      order('fields.number.required: it was never null, and may be null now'),
    ],
    [
      'a field, which is gone',
      '      number: { kind: text, required: true }\n',
      '',
      order('fields.number: the field number is gone'),
    ],
    [
      'a nested field',
      '{ city: {',
      '{ town: {',
      order('fields.address.city: the field address.city is gone'),
    ],
    [
      'a field of the single view',
      'note: { kind: text }, ',
      '',
      order('single.note: the field note is gone'),
    ],
    [
      'the single view',
      'single: { note: { kind: text }, by: { name: { kind: text } } }',
      'single: false',
      order('single: the view of a single record is gone'),
    ],
    ['a sort', 'sort: [id, total]', 'sort: [id]', order('sort.total: the sort total is gone')],
    [
      'the order without sort',
      'order: [-total]',
      'order: [total]',
      order('order: order was -total, and is total'),
    ],
    [
      'the order without sort, which is that of ids now',
      '    order: [-total]\n',
      '',
      order('order: order was -total, and is id'),
    ],
    [
      'a filter',
      '      min_total: { field: total, is: at_least }\n',
      '',
      order('filters.min_total: the filter min_total is gone'),
    ],
    [
      'what a filter asks',
      'is: at_least',
      'is: above',
      order('filters.min_total.is: is was at_least, and is above'),
    ],
    [
      'what a filter is about',
      'status: { field: status',
      'status: { field: customer',
      order('filters.status.field: field was status, and is customer'),
    ],
    ['a list, which may be longer', ', max: 5', ', max: 6', order('fields.tags.max: max was 5, and is 6')],
    [
      'the kind of the elements of a list',
      'of: { kind: text }',
      'of: { kind: integer }',
      order('fields.tags.of.kind: kind was text, and is integer'),
    ],
    [
      'a list, whose elements are objects now',
      'of: { kind: text }, max',
      'of: { name: { kind: text } }, max',
      order('fields.tags.of: its elements were values, and are objects'),
    ],
    [
      'a field of the elements of a list',
      ', price: { kind: decimal }',
      '',
      order('fields.lines.of.price: the field price is gone'),
    ],
    [
      'a field of the elements of a list, which may be null now',
      'sku: { kind: text, required: true }',
      'sku: { kind: text }',
      order('fields.lines.of.sku.required: it was never null, and may be null now'),
    ],
    [
      'a filter on the elements of a list',
      '      tag: { field: tags, is: has }\n',
      '',
      order('filters.tag: the filter tag is gone'),
    ],
    ['a resource', 'sites:\n', 'places:\n', 'resources.sites: the resource sites is gone'],
  ])('breaks clients by %s', (_what, from, to, wanted) => {
    const pages = from.startsWith('default') || from.startsWith('max');
    const found = changed([from, to]).filter((change) => change.startsWith('! '));
    expect(found).toEqual(
      pages ? [`! ${wanted.replace('orders', 'sites')}`, `! ${wanted}`] : [`! ${wanted}`],
    );
  });

  it('breaks clients if a limit above the largest is refused again, and not if it is cut', () => {
    const [before, now] = ['clamp', 'reject'].map((overflow) =>
      contractSchema.parse({ ...(parse(OLD) as object), pages: { default: 20, max: 100, overflow } }),
    );
    expect(compareContracts(before!, now!)).toEqual([
      expect.objectContaining({ path: ['pages', 'overflow'], breaks: true }),
    ]);
    expect(compareContracts(now!, before!)).toEqual([
      expect.objectContaining({ path: ['pages', 'overflow'], breaks: false }),
    ]);
  });

  it.each<[string, string, string, string]>([
    [
      'a larger limit for one resource',
      '    order: [-total]',
      '    order: [-total]\n    pages: { max: 500 }',
      order('pages.max: max was 100, and is 500'),
    ],
    [
      'a value',
      '[open, shipped, lost]',
      '[open, packed, shipped, lost]',
      order(
        'fields.status.values: the value packed is new: a client that knows the old ones alone may not expect it',
      ),
    ],
    [
      'a field that is never null',
      'customer: { kind',
      'customer: { required: true, kind',
      order('fields.customer.required: it is never null any more'),
    ],
    [
      'a field',
      '      number: {',
      '      items: { kind: integer }\n      number: {',
      order('fields.items: the field items is new'),
    ],
    [
      'a field of the single view',
      'single: { note',
      'single: { phone: { kind: text }, note',
      order('single.phone: the field phone is new'),
    ],
    [
      'a single view',
      '    fields: { name',
      '    single: true\n    fields: { name',
      'resources.sites.single: the view of a single record is new',
    ],
    ['a sort', '[id, total]', '[id, number, total]', order('sort.number: the sort number is new')],
    [
      'a filter',
      '    filters:\n',
      '    filters:\n      city: { field: address.city, is: equal }\n',
      order('filters.city: the filter city is new'),
    ],
    [
      'a resource',
      'resources:\n',
      'resources:\n  tags: { singular: tag, id: { prefix: tag }, fields: { name: { kind: text } } }\n',
      'resources.tags: the resource tags is new',
    ],
    [
      'another name of one record',
      'singular: order',
      'singular: purchase',
      order('singular: generated clients name the type purchase, not order'),
    ],
    [
      'a list, which is null sooner',
      'max: 5',
      'max: 4',
      order('fields.tags.max: max was 5, and is 4: longer lists are null now'),
    ],
    [
      'a field of the elements of a list',
      '{ sku: {',
      '{ name: { kind: text }, sku: {',
      order('fields.lines.of.name: the field name is new'),
    ],
  ])('offers more by %s', (_what, from, to, wanted) => expect(changed([from, to])).toEqual([wanted]));

  it('breaks nothing by elements of a list that say they are required, or by an order that means nothing', () =>
    expect(
      changed(['of: { kind: text }, max', 'of: { kind: text, required: true }, unordered: true, max']),
    ).toEqual([]));

  it('breaks nothing by a field of the single view that the list has as well now', () => {
    expect(
      changed(
        ['note: { kind: text }, ', ''],
        ['      address:', '      note: { kind: text }\n      address:'],
      ),
    ).toEqual([order('fields.note: the field note is new')]);
  });

  it('tells how each change that breaks clients is taken back', () => {
    const before = contractSchema.parse(parse(OLD));
    const now = contractSchema.parse(
      parse(OLD.replace('is: at_least', 'is: above').replace(', required: true', '')),
    );
    expect(compareContracts(before, now).map(({ hint }) => hint)).toEqual(['required: true', 'is: at_least']);
  });
});

describe('permissions that are compared with older ones', () => {
  const changes = (before: string | null, now: string | null) =>
    comparePermissions(new Map([['orders', before]]), new Map([['orders', now]])).map(
      ({ breaks, path, message, hint }) =>
        `${breaks ? '! ' : ''}${path.join('.')}: ${message} (${hint ?? ''})`,
    );

  it.each([
    ['orders:read', 'orders:read', []],
    [
      'orders:read',
      'staff:read',
      [
        '! resources.orders.permission: permission was orders:read, and is staff:read (permission: orders:read)',
      ],
    ],
    [
      null,
      'orders:read',
      ['! resources.orders.public: everybody could read it, and it needs orders:read now (public: true)'],
    ],
    ['orders:read', null, ['resources.orders.public: everybody may read it now ()']],
  ])('from %s to %s', (before, now, wanted) => expect(changes(before, now)).toEqual(wanted));
});
