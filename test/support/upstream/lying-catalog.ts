import type { UpstreamRequest } from './scripted-upstream.ts';

const CODES = ['TOY', 'BOK'];

/** How many books the lying catalogue has. */
export const LYING_BOOKS = 100;

/** A catalogue of 200 products, every second one a book. It counts 150 books, but does the filter right. */
export function lyingCatalog({ query }: UpstreamRequest) {
  const code = query.get('cat');
  const all = Array.from({ length: 2 * LYING_BOOKS }, (_, i) => ({
    sku: i + 1,
    nm: `n${i}`,
    cc: CODES[i % 2],
  }));
  const rows = all.filter(({ cc }) => code === null || cc === code);
  const size = Number(query.get('ps'));
  const from = Number(query.get('pg')) * size;
  const count = code === 'BOK' ? 150 : rows.length;
  return { headers: { 'X-Result-Count': String(count) }, body: rows.slice(from, from + size) };
}

/** What disables the claim on its filter, in order: toys are counted right, and the twelfth page of books shows the lie. */
export const LIE_QUESTIONS = [
  '/v1/products?category=Toys&limit=10',
  '/v1/products?category=Books&limit=10',
  '/v1/products?category=Books&limit=10&page=12',
];
