import { z } from 'zod';
import { decimal, id, text } from './fields.ts';
import { defineResource } from './resource.ts';

/** An item of `GET /v1/products`. */
const item = z
  .strictObject({
    id: id('prod'),
    name: text('Product name.'),
    description: text('Free text.'),
    price: decimal('Price; the currency is not stated in the interface.'),
    category: text('Category label, usable as the `category` filter.'),
  })
  .meta({ title: 'Product' });

export const products = defineResource({
  name: 'products',
  title: 'product',
  idPrefix: 'prod',
  permission: 'products:read',
  item,
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
