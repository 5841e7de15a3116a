import { defineResource } from './define-resource.ts';
import { decimal, text } from './fields.ts';

/** `GET /v1/products`. */
export const products = defineResource({
  name: 'products',
  title: 'product',
  idPrefix: 'prod',
  item: {
    name: text('Product name.', 'Kettle'),
    description: text('Free text.', 'Boils a litre in three minutes.'),
    price: decimal('Price; the currency is not stated in the interface.'),
    category: text('Category label, usable as the `category` filter.', 'Kitchen'),
  },
  detail: null,
  sorts: [],
  filters: [
    { name: 'category', field: 'category', op: 'eq', description: 'Keep only products of this category.' },
    {
      name: 'min_price',
      field: 'price',
      op: 'ge',
      description: 'Keep only products priced at or above this.',
    },
    {
      name: 'max_price',
      field: 'price',
      op: 'le',
      description: 'Keep only products priced at or below this.',
    },
  ],
});
