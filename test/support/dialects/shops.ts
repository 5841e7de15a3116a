import { manyRows, type RowSource } from './rows.ts';
import { type Dialect, notFound, whole } from './serve.ts';

const COUNT = 23;

const wooRows: RowSource = { example: 'woocommerce', resource: 'products', items: '', id: 'id' };

/** WooCommerce: newest first unless asked otherwise; the total is a header. */
export function woocommerce(): Dialect {
  const rows = manyRows(wooRows, COUNT);
  return ({ path, query }) => {
    if (path !== '/wp-json/wc/v3/products') return notFound;
    const size = whole(query, 'per_page', 10);
    if (size > 100 || size < 1)
      return { status: 400, body: { code: 'rest_invalid_param', data: { status: 400 } } };
    const byId = query.get('orderby') === 'id' && query.get('order') === 'asc' ? rows : rows.toReversed();
    const first = (whole(query, 'page', 1) - 1) * size;
    const total = String(rows.length);
    return {
      body: byId.slice(first, first + size),
      headers: { 'X-WP-Total': total, 'X-WP-TotalPages': String(Math.ceil(rows.length / size)) },
    };
  };
}

const magentoRows: RowSource = { example: 'magento2', resource: 'products', items: 'items', id: 'id' };

/** Magento: no list without criteria; behind the end the last page again. */
export function magento(): Dialect {
  const rows = manyRows(magentoRows, COUNT);
  return ({ path, query }) => {
    if (path !== '/rest/V1/products') return notFound;
    if (![...query.keys()].some((name) => name.startsWith('searchCriteria')))
      return {
        status: 400,
        body: {
          message: '"%fieldName" is required. Enter and try again.',
          parameters: { fieldName: 'searchCriteria' },
        },
      };
    const size = whole(query, 'searchCriteria[pageSize]', rows.length);
    const pages = Math.ceil(rows.length / size);
    const page = Math.min(Math.max(1, whole(query, 'searchCriteria[currentPage]', 1)), pages);
    const ordered =
      query.get('searchCriteria[sortOrders][0][direction]') === 'DESC' ? rows.toReversed() : rows;
    return {
      body: {
        items: ordered.slice((page - 1) * size, page * size),
        search_criteria: { page_size: size, current_page: page },
        total_count: rows.length,
      },
    };
  };
}

const shopifyRows: RowSource = {
  example: 'shopify',
  resource: 'products',
  items: 'products',
  id: 'id',
};

/** Shopify: windows follow each other by an opaque word in a header. */
export function shopify(): Dialect {
  const rows = manyRows(shopifyRows, COUNT);
  return ({ path, query, origin }) => {
    if (path !== '/admin/api/2025-01/products.json') return notFound;
    const limit = Math.min(whole(query, 'limit', 50), 250);
    const first = Number(Buffer.from(query.get('page_info') ?? 'MA', 'base64url').toString());
    const next = `${origin}${path}?limit=${limit}&page_info=${Buffer.from(String(first + limit)).toString('base64url')}`;
    const link = first + limit < rows.length ? { Link: `<${next}>; rel="next"` } : {};
    return {
      body: { products: rows.slice(first, first + limit) },
      headers: { 'X-Shopify-Shop-Api-Call-Limit': '1/40', ...link },
    };
  };
}
