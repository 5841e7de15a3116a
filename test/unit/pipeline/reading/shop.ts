import type { ResourceName } from '../../../support/reference.ts';
import type { UpstreamReply } from '../../../../src/kernel/upstream-call.ts';
import {
  compareDecimals,
  modelBody,
  modelList,
  type ModelRecord,
} from '../../../support/model/contract-model.ts';
import type { Asked, Serve } from '../../../support/pipeline/scripted-source.ts';
import { replyOf } from '../../../support/pipeline/source-text.ts';

/** A product of the shop; its price is exact text. */
export function product(number: number | bigint, change: Partial<ModelRecord> = {}): ModelRecord {
  return { name: 'n', description: null, category: 'Toys', price: '1.00', ...change, id: `prod_${number}` };
}

/** Products 1 to `count`. */
export const products = (count: number): ModelRecord[] =>
  Array.from({ length: count }, (_, i) => product(i + 1));

/** Thirty products of two categories, each of a price of its own. */
export const mixed: ModelRecord[] = products(30).map((one, i) => ({
  ...one,
  category: i % 3 === 0 ? 'Books' : 'Toys',
  price: `${i}.50`,
}));

/** The source file of a shop that can do everything; `change` replaces parts of it. */
export function shopText(change: Readonly<Record<string, string>> = {}): string {
  const parts = {
    budget: '{}',
    window: '{ kind: offset, sizeMax: 10 }',
    query: "{ from: '{offset}', n: '{limit}' }",
    total: '{ at: hits }',
    order: 'id',
    filters: '{}',
    outcomes: '[{ status: 200, is: ok }, { status: 404, is: past_end }, { status: 5xx, is: error }]',
    onInvalidRecord: 'fail',
    ...change,
  };
  return `
budget: ${parts.budget}
outcomes: ${parts.outcomes}
resources:
  products:
    id: { kind: number }
    onInvalidRecord: ${parts.onInvalidRecord}
    list:
      request: { path: /items, query: ${parts.query} }
      window: ${parts.window}
      ${parts.total === '' ? '' : `total: ${parts.total}`}
      items: rows
      order: ${parts.order}
      filters: ${parts.filters}
      map: { id: id, name: name, description: description, price: price, category: category }
`;
}

/** The filters of a shop, all of one exactness. */
export const filtersOf = (exactness: string) => `
        category: { eq: { query: { cat: '{value}' }, exactness: ${exactness} } }
        price:
          ge: { query: { min: '{value}' }, exactness: ${exactness} }
          le: { query: { max: '{value}' }, exactness: ${exactness} }`;

/** A record as the shop writes it: its number, and the price as a JSON number with its digits. */
function rowText({ id, price, ...rest }: ModelRecord): string {
  const others = JSON.stringify(rest).slice(1, -1);
  return `{"id":${id.replace(/^[a-z]+_/, '')},"price":${price ?? 'null'}${others === '' ? '' : `,${others}`}}`;
}

/** A reply with rows, and what the shop says is their number. */
export function rowsReply(rows: readonly ModelRecord[], total?: number): UpstreamReply {
  const hits = total === undefined ? '' : `"hits":${total},`;
  return replyOf(`{${hits}"rows":[${rows.map(rowText).join(',')}]}`);
}

/** The rows that a call asks for, of all that match. */
export function windowOf<T>({ parameters }: Asked, rows: readonly T[]): T[] {
  const size = Number(parameters['n'] ?? rows.length);
  const from =
    parameters['page'] === undefined ? Number(parameters['from'] ?? 0) : Number(parameters['page']) * size;
  return rows.slice(from, from + size);
}

/** The rows that match the filters of a call: `cat`, `min` and `max`. */
export function matching(
  { cat, min, max }: Asked['parameters'],
  rows: readonly ModelRecord[],
): readonly ModelRecord[] {
  return rows.filter(({ category, price = null }) => {
    if (cat !== undefined && category !== cat) return false;
    if (min !== undefined && (price === null || compareDecimals(price, min) < 0)) return false;
    return max === undefined || (price !== null && compareDecimals(price, max) <= 0);
  });
}

/** An honest shop: it filters as it is asked and counts what it found. */
export function honest(rows: () => readonly ModelRecord[], withTotal = true): Serve {
  return (asked) => {
    const found = matching(asked.parameters, rows());
    return rowsReply(windowOf(asked, found), withTotal ? found.length : undefined);
  };
}

/** The body that the contract promises for a query on these records. */
export function expectedBody(resource: ResourceName, records: readonly ModelRecord[], rawQuery = ''): string {
  const page = modelList(resource, records, Object.fromEntries(new URLSearchParams(rawQuery)));
  if (page.status !== 200) throw new Error(`the contract refuses ${rawQuery}`);
  return modelBody(resource, page);
}

/** The code of the error that a promise must reject with. */
export async function codeOf(promise: Promise<unknown>): Promise<string> {
  return promise.then(
    () => 'no error',
    (error: unknown) => (error as { code?: string }).code ?? String(error),
  );
}
