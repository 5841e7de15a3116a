/*
 * A contract, and what changes of it mean for its clients: what `check --against` says of each, and what a client of the old one
 * sees of it.
 */

/** What a change is, the text that is changed and what comes in its place, and what is said of it. */
export type ContractEdit = readonly [what: string, from: string, to: string, told: string];

/** The contract before it is changed. */
export const OLD_CONTRACT = `contract: 1
title: Shop
pages: { bytes: 67108864, default: 20, max: 100 }
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
      codes: { kind: list, of: { kind: text } }
      tags: { kind: list, of: { kind: text }, max: 5 }
      lines: { kind: list, of: { sku: { kind: text, required: true }, price: { kind: decimal } } }
      marks: { kind: list, required: true, of: { kind: text }, max: 3 }
    single: { note: { kind: text }, by: { name: { kind: text } } }
    sort: [id, total, status]
    order: [-total]
    filters:
      status: { field: status, is: one_of }
      min_total: { field: total, is: at_least }
      tag: { field: tags, is: has }
  zones:
    singular: zone
    id: { prefix: zone }
    fields: { name: { kind: text } }
`;

/** The place of what is said of the resource that is changed. */
export const orderPlace = (text: string) => `resources.orders.${text}`;
const order = orderPlace;

/** The contract with changes of its text. */
export function changedContract(...edits: readonly (readonly [from: string, to: string])[]): string {
  return edits.reduce((done, [from, to]) => {
    if (!done.includes(from)) throw new Error(`the contract has no ${from}`);
    return done.replace(from, to);
  }, OLD_CONTRACT);
}

/** What breaks clients. */
export const BREAKING: readonly ContractEdit[] = [
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
  ['a nested field', '{ city: {', '{ town: {', order('fields.address.city: the field address.city is gone')],
  ['a field of the single view', 'note: { kind: text }, ', '', order('single.note: the field note is gone')],
  [
    'the single view',
    'single: { note: { kind: text }, by: { name: { kind: text } } }',
    'single: false',
    order('single: the view of a single record is gone'),
  ],
  ['a sort', 'sort: [id, total, status]', 'sort: [id, status]', order('sort.total: the sort total is gone')],
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
    'a list that is never null, without which a record is none',
    ', max: 3',
    ', max: 2',
    order('fields.marks.max: max was 3, and is 2'),
  ],
  [
    'the kind of the elements of a list',
    'of: { kind: text }, max',
    'of: { kind: integer }, max',
    order('fields.tags.of.kind: kind was text, and is integer'),
  ],
  [
    'a list, whose elements are objects now',
    'codes: { kind: list, of: { kind: text } }',
    'codes: { kind: list, of: { name: { kind: text } } }',
    order('fields.codes.of: its elements were values, and are objects'),
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
  ['a resource', 'zones:\n', 'places:\n', 'resources.zones: the resource zones is gone'],
];

/** What is offered beside what clients know. */
export const OFFERING: readonly ContractEdit[] = [
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
  ['a sort', '[id, total,', '[id, number, total,', order('sort.number: the sort number is new')],
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
];
