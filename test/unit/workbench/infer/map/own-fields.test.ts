import type { JsonObject } from '../../../../../src/kernel/json/json.ts';
import { draftOf, type Fields } from './draft-of.ts';

const status = { status: { kind: 'enum', values: ['open', 'shipped', 'in_transit'] } } as const;
const paid = { paid: { kind: 'boolean' } } as const;
const due = { due: { kind: 'date' } } as const;
const items = { items: { kind: 'integer' } } as const;
const customer = { customer: { kind: 'reference', to: 'customers' } } as const;
const city = { address: { city: { kind: 'text' } } } as const;

const rowsOf = (key: string, ...values: readonly (string | number | boolean | null)[]) =>
  values.map((value) => ({ [key]: value }));

describe('a field that the code has never heard of is drafted without a question', () => {
  it.each<[string, Fields, readonly JsonObject[], unknown]>([
    ['an enum with its own values', status, rowsOf('status', 'open', 'shipped', null), 'status'],
    [
      'an enum in capitals',
      status,
      rowsOf('status', 'OPEN', 'Shipped'),
      { from: 'status', as: ['lowercase'] },
    ],
    [
      'an enum in another spelling',
      status,
      rowsOf('status', 'Open', 'In transit'),
      { from: 'status', as: [{ enum: { Open: 'open', 'In transit': 'in_transit' } }] },
    ],
    ['a boolean of JSON', paid, rowsOf('paid', true, false, null), 'paid'],
    [
      'a boolean as Y and N',
      paid,
      rowsOf('paid', 'Y', 'N'),
      { from: 'paid', as: [{ enum: { Y: 'true', N: 'false' } }] },
    ],
    [
      'a boolean of which all records have one value',
      paid,
      rowsOf('paid', 'Y', 'Y'),
      { from: 'paid', as: [{ enum: { Y: 'true', N: 'false' } }] },
    ],
    [
      'a boolean as 0 and 1',
      paid,
      rowsOf('paid', 0, 1),
      { from: 'paid', as: [{ enum: { 1: 'true', 0: 'false' } }] },
    ],
    [
      'a boolean as yes and no',
      paid,
      rowsOf('is.paid', 'x').map(() => ({ paid: 'Yes' })),
      { from: 'paid', as: [{ enum: { Yes: 'true', No: 'false' } }] },
    ],
    ['a whole number', items, rowsOf('items', 3, 0, -4), 'items'],
    [
      'a whole number as a text',
      items,
      rowsOf('items', '1,200', '1,204,000'),
      { from: 'items', as: [{ number: { group: ',' } }] },
    ],
    ['a day', due, rowsOf('due', '2025-01-02', null), 'due'],
    [
      'a day in another form',
      due,
      rowsOf('due', '28.01.2025', '01.02.2025'),
      { from: 'due', as: [{ date: { format: 'dd.MM.yyyy', zone: 'UTC' } }, { day: 'UTC' }] },
    ],
    [
      'a day as midnight in UTC',
      due,
      rowsOf('due', '2025-01-02T00:00:00Z'),
      { from: 'due', as: ['iso8601', { day: 'UTC' }] },
    ],
    ['a reference by its name', customer, rowsOf('customer_id', 5, 6), 'customer_id'],
    ['a reference in another case', customer, rowsOf('customerId', 'ab-5'), 'customerId'],
    ['a reference to a nested record', customer, [{ customer: { id: 5, name: 'Zoe' } }], 'customer.id'],
    [
      'a reference by an address',
      customer,
      rowsOf('customer', '/api/customers/5'),
      { from: 'customer', as: [{ match: '/([^/?#]+)/?$' }] },
    ],
    ['a nested field', city, [{ city: 'Bonn', address: { city: 'Köln', zip: '1' } }], 'address.city'],
    ['a nested field of a short name', city, [{ addr: { city: 'Köln', zip: '1' }, sum: 4 }], 'addr.city'],
    ['a nested field beside others', city, [{ address_city: 'Köln', sum: 4 }], 'address_city'],
    [
      'a text of numbers',
      { number: { kind: 'text' } },
      rowsOf('number', 7),
      { from: 'number', as: ['text'] },
    ],
    [
      'a field by its alias',
      { total: { kind: 'decimal', aliases: ['grand_total'] } },
      rowsOf('grandTotal', 1.5),
      'grandTotal',
    ],
    [
      'a field in an envelope',
      { total: { kind: 'decimal' } },
      [{ attributes: { total: 1.5, at: 'x', no: 'y' } }],
      'attributes.total',
    ],
    [
      'a field in an envelope that holds few columns',
      { total: { kind: 'decimal' } },
      [{ type: 'x', links: { self: 'y', next: 'z' }, data: { attributes: { total: 1.5 } } }],
      'data.attributes.total',
    ],
    [
      'a reference to a related record',
      customer,
      [{ relationships: { customer: { data: { type: 'customers', id: 'ab-5' } } }, links: { self: 'y' } }],
      'relationships.customer.data.id',
    ],
  ])('%s', (_what, fields, rows, draft) => {
    expect(draftOf(fields, rows)).toEqual({ draft, edits: [] });
  });
});

describe('a field that the code has never heard of is a question', () => {
  it.each<[string, Fields, readonly JsonObject[], unknown, RegExp]>([
    [
      'for codes of an enum, with those found',
      status,
      rowsOf('status', 'O', 'S', 'X'),
      { from: 'status', as: [{ enum: { O: 'open', S: 'shipped', X: 'X' } }] },
      /codes found are O, S, X: say which value/,
    ],
    [
      'for an enum of another name',
      status,
      rowsOf('state', 'open', 'shipped'),
      'state',
      /state is the only column of these values/,
    ],
    ['for flags of which one fits no pair', paid, rowsOf('paid', 'Y', 'N', '?'), 'paid', /codes found are/],
    ['for flags with an empty text', paid, rowsOf('paid', 'Y', ''), 'paid', /codes found are '', Y/],
    [
      'for numbers with a fraction',
      items,
      rowsOf('items', 5.5, 4),
      'items',
      /1 of 2 numbers have a fraction/,
    ],
    [
      'for the zone of instants',
      due,
      rowsOf('due', '2025-01-02T22:30:00Z'),
      { from: 'due', as: ['iso8601', { day: 'UTC' }] },
      /replace UTC by the zone whose days are meant/,
    ],
    [
      'for what may be the name of another record',
      customer,
      rowsOf('customer', 'Acme', 'Zoe'),
      'customer',
      /nothing shows that customer holds the ids/,
    ],
    [
      'for the last name of another record',
      { number: { kind: 'text' } },
      [{ buyer: { number: 'K1' }, sum: 4, at: 'x' }],
      'buyer.number',
      /has its last name alone/,
    ],
    [
      'for what is required and that no column has',
      { number: { kind: 'text', required: true } },
      rowsOf('sum', 4),
      'number',
      /no column looks like number: give its path, the contract requires it/,
    ],
    [
      'for what is required and that some records lack',
      { number: { kind: 'text', required: true } },
      rowsOf('number', 'N1', null),
      'number',
      /1 of 2 records have none: they are invalid/,
    ],
  ])('%s', (_what, fields, rows, draft, edit) => {
    const found = draftOf(fields, rows);
    expect(found.draft).toEqual(draft);
    expect(found.edits.join('\n')).toMatch(edit);
  });

  it('for a resource that the file does not describe', () => {
    const { draft, edits } = draftOf(customer, rowsOf('customer_id', 5), []);
    expect([draft, edits]).toEqual([null, [expect.stringContaining('looks like the ids of customers')]]);
  });

  it('unless it is never null: such a draft could not be read, so its other list is asked for', () => {
    const required = { customer: { kind: 'reference', to: 'customers', required: true } } as const;
    expect(() => draftOf(required, rowsOf('customer_id', 5), [])).toThrow(
      'customer is never null and refers to customers, which the draft does not describe',
    );
  });
});

describe('what a draft shows of codes', () => {
  it('is their form alone, if they may be texts of persons', () => {
    const { edits } = draftOf(status, rowsOf('status', 'Ada Lovelace writes to you', 'Zoe comes to see you'));
    expect(edits.join()).not.toMatch(/Ada|Zoe/);
  });
});
