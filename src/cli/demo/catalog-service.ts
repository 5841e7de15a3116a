// The sample service of the products: an old catalogue with unusual replies, as gateways meet them.

import type { SampleProduct } from './data/generate-products.ts';
import {
  type LegacyAnswer,
  type LegacyRequest,
  type LegacyService,
  type LegacyServiceOptions,
  createLegacyService,
  textAnswer,
} from './legacy-service.ts';

/** The data of the catalogue service and its credentials. */
export type CatalogServiceOptions = LegacyServiceOptions & {
  /** In ascending order of `sku`, as `generateProducts` returns them; every text within Latin-1. */
  readonly products: readonly Pick<SampleProduct, 'legacy'>[];
  readonly credentials: { readonly key: string };
};

const PAGE_SIZES = new Map([20, 50, 100].map((size) => [String(size), size]));

/**
 * The sample catalogue: bare arrays of Latin-1 JSON, pages counted from 0 in three sizes, the total in the header
 * `X-Result-Count`, and 404 for a page past the end.
 */
export function createCatalogService(options: CatalogServiceOptions): LegacyService {
  const { products, credentials, secretMarker = '', latencyMs } = options;
  const rows = products.map(({ legacy }) => ({
    ...legacy,
    buyPrc: legacy.buyPrc + secretMarker,
    supplierKey: legacy.supplierKey + secretMarker,
  }));

  function list(params: URLSearchParams): LegacyAnswer {
    const size = PAGE_SIZES.get(params.get('ps') ?? '20');
    if (size === undefined) return json(400, { fault: 'PS' });
    const page = /^\d+$/.test(params.get('pg') ?? '') ? Number(params.get('pg')) : 0;
    const code = params.get('cat') ?? '';
    const found = code === '' ? rows : rows.filter((row) => row.cc === code);
    if (page > 0 && page * size >= found.length) return json(404, { fault: 'NOPAGE' });
    return json(200, found.slice(page * size, (page + 1) * size), { 'X-Result-Count': String(found.length) });
  }

  function answer({ path, params, headers }: LegacyRequest): LegacyAnswer {
    if (headers['x-catalogue-key'] !== credentials.key) return textAnswer(403, 'Forbidden');
    return path === '/catalogue/items' ? list(params) : textAnswer(404, 'Not Found');
  }

  return createLegacyService(answer, latencyMs);
}

function json(status: number, value: unknown, headers: Readonly<Record<string, string>> = {}): LegacyAnswer {
  return {
    status,
    headers: { ...headers, 'Content-Type': 'application/json; charset=ISO-8859-1' },
    body: Buffer.from(JSON.stringify(value), 'latin1'),
  };
}
