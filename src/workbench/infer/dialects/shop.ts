import { type Dialect, sortByQuery } from './dialect.ts';
import { isObject } from '../../../kernel/json/values.ts';

const woocommerce: Dialect = {
  key: 'woocommerce',
  title: 'WooCommerce',
  matches: ({ request, row }) =>
    /\/wc\/v\d\//.test(request.path) || (row !== undefined && 'permalink' in row && 'regular_price' in row),
  paging: { kind: 'page', size: 'per_page', start: 'page', base: 1, sizeMax: 100 },
  total: { header: 'X-WP-Total' },
  sort: () => sortByQuery({ orderby: 'id', order: 'asc' }, { orderby: 'id', order: 'desc' }),
  filters: () => [],
  paths: {
    products: { name: 'name', description: 'description', price: 'price', category: 'categories[0].name' },
  },
  zone: 'UTC',
  pitfalls: [
    'Without status=publish in the query, a key sees drafts and private products, too.',
    'category= takes the id of a term and min_price= the prices of any variation: no filter is exact.',
    '_fields= in the query saves some 8 KiB a product, and keeps the keys that plugins store in meta_data at home.',
  ],
};

const magento: Dialect = {
  key: 'magento2',
  title: 'Magento 2',
  matches: ({ request, document }) =>
    /\/V1\/\w/.test(request.path) ||
    (isObject(document) && 'search_criteria' in document && 'total_count' in document),
  constants: () => ({ query: { 'searchCriteria[pageSize]': '20' } }),
  paging: {
    kind: 'page',
    size: 'searchCriteria[pageSize]',
    start: 'searchCriteria[currentPage]',
    base: 1,
    sizeMax: 100,
  },
  total: { at: 'total_count' },
  sort: () => {
    const order = (direction: string) => ({
      'searchCriteria[sortOrders][0][field]': 'entity_id',
      'searchCriteria[sortOrders][0][direction]': direction,
    });
    return sortByQuery(order('ASC'), order('DESC'));
  },
  filters: () => [],
  paths: {
    products: {
      id: 'id',
      description: 'custom_attributes[?attribute_code=="description"].value',
      category: 'custom_attributes[?attribute_code=="category_ids"].value[0]',
    },
  },
  zone: 'UTC',
  pitfalls: [
    'Disabled products and single variants come along unless filters on status and visibility say otherwise.',
    'A product has numbers of categories, not names: give them names with as: [{ enum: { "3": Gear } }].',
    'Behind the last page some versions repeat it.',
  ],
};

const shopify: Dialect = {
  key: 'shopify',
  title: 'Shopify',
  matches: ({ request, reply }) =>
    /\/admin\/api\/[\w-]+\/\w+\.json$/.test(request.path) ||
    reply.header('x-shopify-shop-api-call-limit') !== undefined,
  paging: { kind: 'link', next: { header: 'Link' }, size: 'limit', sizeMax: 250 },
  total: 'none',
  filters: () => [],
  paths: {
    products: {
      id: 'id',
      name: 'title',
      description: 'body_html',
      price: 'variants[0].price',
      category: 'product_type',
    },
  },
  pitfalls: [
    'status=active in the query leaves drafts and archived products out; fields= saves most of each reply.',
    'A product has no price of its own: that of its first variant is taken.',
  ],
};

/** The dialects of shops. */
export const shopDialects: readonly Dialect[] = [woocommerce, magento, shopify];
