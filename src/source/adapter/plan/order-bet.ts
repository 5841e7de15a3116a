// Finds an order bet: pages depend on an order of the rows, but nothing in the request asks the source for this order.

import type { ListSpec, RequestSpec, SourceResourceSpec } from '../../../config/schema/source.ts';
import { whyScan } from './why-scan.ts';

/** An order that pages depend on although the request does not ask for it, so an UPDATE may move a row to another page. */
export type OrderBet = {
  readonly by: 'id' | 'source';
  /** Whether the author of the file accepts this, by `orderIs: observed`. */
  readonly isAccepted: boolean;
  /** What the author of the file can write instead. */
  readonly remedy: string;
};

const REMEDY =
  'a constant parameter that sorts by the id, or the id under sort.columns; orderIs: documented, if the documentation promises the order; or no order: lists are scanned then';

/** The plain list, for `whyScan`: without filters, and with all claims in force. */
const NO_FILTERS = { pushed: [], residual: [], matchesNone: false };
const NONE_OFF: ReadonlySet<string> = new Set();

/** The word of a parameter, a body or an expression that asks for an order, and what follows it up to the next part. */
const ASKS = /(?:(?<![a-z])(?:sort|order)|SORT|ORDER|Sort|Order)(?:ed|ing|s)?_?(?:by|By|BY)?([^)&^]*)/g;
/** Words after `sort` or `order` that name no column. */
const NO_COLUMN = /^(?:asc|desc|ascending|descending|true|false|\d*|direction|field|column|order|by|key|on)$/;

/** The constant texts of a request as `name=value`, with the variables of a GraphQL query filled in. */
function constantTexts({ query, headers, body = { form: {} } }: RequestSpec): readonly string[] {
  const texts = Object.entries({ ...headers, ...query, ...('form' in body ? body.form : {}) });
  if ('xml' in body)
    for (const [, name = '', text = ''] of body.xml.matchAll(/<(?:[\w.-]+:)?([\w.-]+)[^<>]*>([^<]*)(?=<)/g))
      texts.push([name, text]);
  const walk = (path: string, value: unknown): void => {
    if (typeof value !== 'object' || value === null) texts.push([path, String(value)]);
    else for (const [key, inner] of Object.entries(value)) walk(`${path}.${key}`, inner);
  };
  if ('json' in body) walk('', body.json);
  const values = new Map(texts.map(([name, text]) => [name.split('.').at(-1), text]));
  return texts.map(
    ([name, text]) =>
      `${name}=${text.replaceAll(/\$(\w+)/g, (whole, variable: string) => values.get(variable) ?? whole)}`,
  );
}

const plainName = (text: string) => text.replaceAll(/[^\p{L}\p{N}]/gu, '').toLowerCase();

/**
 * Whether a request asks for an order in any of the usual forms. For `source`, any column counts. For `id`, the column must be
 * called `id`, or like the last key of a path in `idPaths`. `none` is the text for {sort} in a query without a sort.
 */
export function asksForOrder(
  by: 'id' | 'source',
  request: RequestSpec,
  { idPaths, none = '' }: { readonly idPaths: readonly string[]; readonly none?: string | undefined },
): boolean {
  const paths = idPaths.flatMap((path) => path.split('|'));
  const ids = new Set(['id', ...paths.map((path) => path.split('.').at(-1) ?? '')].map(plainName));
  const isAsked = (word: string) =>
    by === 'id' ? ids.has(plainName(word)) : !NO_COLUMN.test(word.toLowerCase());
  return constantTexts(request)
    .map((text) => text.replaceAll('{sort}', none).replaceAll(/\{\w+\}/g, ''))
    .flatMap((text) => [...text.matchAll(ASKS)])
    .some(([, behind = '']) => behind.split(/[^\p{L}\p{N}_]+/u).some(isAsked));
}

/** Whether windows are asked for by number. Windows of other kinds fit together without an order. */
const isNumbered = ({ window }: ListSpec) => window.kind === 'offset' || window.kind === 'page';

/** Whether Portico asks for the order by id with the file's own sort, because `orderIs` does not say that this is needless. */
export function asksByOwnSort(list: ListSpec): boolean {
  const { order, orderIs, sort } = list;
  const asksForIds = sort?.columns['id']?.directions.includes('ascending') === true;
  return order === 'id' && orderIs === undefined && asksForIds && isNumbered(list);
}

/** The order that pages of a list depend on although nothing asks for it or promises it; `undefined` if there is none. */
export function orderBet(spec: SourceResourceSpec): OrderBet | undefined {
  const { list } = spec;
  const { order, orderIs } = list;
  if (order === 'unknown' || orderIs === 'asked' || orderIs === 'documented') return undefined;
  // If lists are always scanned, no page depends on their order.
  if (!isNumbered(list) || whyScan(spec, NO_FILTERS, true, NONE_OFF) !== undefined) return undefined;
  const ids = { idPaths: [list.map['id']?.from ?? []].flat(), none: list.sort?.none };
  const isAsked = asksByOwnSort(list) || asksForOrder(order, list.request, ids);
  if (orderIs === undefined && isAsked) return undefined;
  const isAccepted = orderIs === 'observed';
  return {
    by: order,
    isAccepted,
    remedy: isAccepted ? REMEDY : `${REMEDY}; orderIs: observed accepts the bet`,
  };
}
