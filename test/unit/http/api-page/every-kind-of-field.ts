import type { ContractDocument } from '../../../../src/contract/contract-schema.ts';

/** A text that would break out of careless HTML. */
export const HOSTILE = `"><script>alert('1')</script><img src=x onerror="alert(2)">&amp;`;
const HOSTILE_VALUE = '"><script>alert(3)</script>';

/** The resources of a contract with every kind of field, deprecated parts and hostile texts. */
export const everyKind: ContractDocument['resources'] = {
  customers: {
    singular: 'customer',
    id: { prefix: 'cus' },
    fields: { label: { kind: 'text', description: HOSTILE, example: HOSTILE } },
    list: false,
    single: true,
    deprecated: '2026-11-01',
    sunset: '2027-06-30',
  },
  orders: {
    singular: 'order',
    id: { prefix: '' },
    fields: {
      number: { kind: 'text', required: true, description: 'The number `on paper`.', example: 'A-1' },
      status: { kind: 'enum', values: ['open', HOSTILE_VALUE] },
      total: { kind: 'decimal', minimum: 0 },
      items: { kind: 'integer', deprecated: true, sunset: '2028-01-02' },
      paid: { kind: 'boolean' },
      due: { kind: 'date' },
      placed_at: { kind: 'datetime' },
      customer: { kind: 'reference', to: 'customers' },
      address: { city: { kind: 'text' }, geo: { lat: { kind: 'decimal', example: 1.5 } } },
      tags: { kind: 'list', of: { kind: 'enum', values: ['new', 'old'] }, max: 7 },
      lines: { kind: 'list', of: { sku: { kind: 'text', required: true }, of: { kind: 'integer' } } },
    },
    single: { note: { kind: 'text', description: 'Only of one.' } },
    sort: ['id', 'total', 'address.city'],
    filters: {
      status: { field: 'status', is: 'one_of', description: HOSTILE },
      exactly: { field: 'status', is: 'equal' },
      customer: { field: 'customer', is: 'equal' },
      least: { field: 'total', is: 'at_least', deprecated: true, sunset: '2029-03-04' },
      after: { field: 'placed_at', is: 'after' },
      due_by: { field: 'due', is: 'at_most' },
      has_due: { field: 'due', is: 'known' },
      tag: { field: 'tags', is: 'has' },
    },
    pages: { default: 5, max: 9 },
  },
};
