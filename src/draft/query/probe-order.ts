import type { RequestSpec } from '../../config/schema/source.ts';
import { compareCodePoints } from '../../contract/order.ts';
import type { DialectSort } from '../dialects/dialect.ts';
import type { ListReader, ListReply } from '../requests/list-reader.ts';
import type { UnknownParameter } from '../window/probe-parameter.ts';
import { withQuery, withValue } from '../requests/request-parameters.ts';

/** How native ids are compared: as numbers, or code point by code point. */
export type IdKind = 'number' | 'text';

function compareIds(a: string, b: string, kind: IdKind): number {
  if (kind === 'text') return compareCodePoints(a, b);
  const [left, right] = [BigInt(a), BigInt(b)];
  return left < right ? -1 : Number(left > right);
}

/** Whether ids ascend, none of them twice. */
export function ascends(ids: readonly string[], kind: IdKind): boolean {
  const usable = kind === 'text' || ids.every((id) => /^\d+$/.test(id));
  return usable && ids.every((id, index) => index === 0 || compareIds(ids[index - 1] ?? '', id, kind) < 0);
}

/** A sort parameter that worked. */
export type FoundSort = DialectSort & { readonly first: ListReply };

/** Common forms of sort parameters. */
function usualSorts(column: string): readonly DialectSort[] {
  const both = (by: string, way: string, up: string, down: string): DialectSort => ({
    ascending: { [by]: column, [way]: up },
    descending: { [by]: column, [way]: down },
  });
  const one = (by: string, up: string, down: string): DialectSort => ({
    ascending: { [by]: up },
    descending: { [by]: down },
  });
  return [
    one('sort', column, `-${column}`),
    both('_sort', '_order', 'asc', 'desc'),
    both('sort', 'order', 'asc', 'desc'),
    one('sort', `${column},asc`, `${column},desc`),
    one('sort', `${column}:asc`, `${column}:desc`),
    both('sort_by', 'order', 'asc', 'desc'),
    both('sortBy', 'sortOrder', 'asc', 'desc'),
    both('sortBy', 'order', 'asc', 'desc'),
    both('orderby', 'order', 'asc', 'desc'),
    both('sort', 'direction', 'asc', 'desc'),
    both('order_by', 'direction', 'asc', 'desc'),
    one('ordering', column, `-${column}`),
    one('order_by', column, `-${column}`),
    one('order', `${column}.asc`, `${column}.desc`),
  ];
}

/**
 * Finds a parameter that sorts the rows by their ids. In the reverse direction the rows must come in reverse, with a
 * different first row.
 */
export async function findSort(
  reader: ListReader,
  request: RequestSpec,
  base: ListReply,
  options: {
    readonly column: string | undefined;
    readonly known: DialectSort | undefined;
    readonly kind: IdKind;
    readonly unknownParameter: UnknownParameter;
  },
): Promise<FoundSort | undefined> {
  const { column, known, kind, unknownParameter } = options;
  const plain = column !== undefined && /^[A-Za-z_]\w*$/.test(column) ? column : undefined;
  const sorts =
    known !== undefined
      ? [known]
      : plain === undefined || request.body !== undefined
        ? []
        : usualSorts(plain);
  if (
    base.rows.length < 2 ||
    (known === undefined && unknownParameter === 'refused' && reader.client.callsLeft < 40)
  )
    return undefined;
  for (const sort of sorts) {
    if (reader.client.callsLeft < 4) return undefined;
    const down = (await reader.read(withQuery(request, sort.descending))).listing;
    if (down === undefined || down.rows.length < 2 || !ascends([...down.ids].reverse(), kind)) continue;
    const up = (await reader.read(withQuery(request, sort.ascending))).listing;
    if (up === undefined || !ascends(up.ids, kind)) continue;
    if (up.ids[0] !== down.ids[0]) return { ...sort, first: up };
  }
  return undefined;
}

/** The same for a JSON body with a list `sort`, as in Elasticsearch. */
export async function findBodySort(
  reader: ListReader,
  request: RequestSpec,
  column: string,
  kind: IdKind,
): Promise<{ readonly request: RequestSpec; readonly first: ListReply } | undefined> {
  const sorted = (direction: string) =>
    withValue(request, { in: 'json', path: ['sort'] }, [{ [column]: direction }] as unknown as string);
  if (reader.client.callsLeft < 4) return undefined;
  const down = (await reader.read(sorted('desc'))).listing;
  if (down === undefined || down.rows.length < 2 || !ascends([...down.ids].reverse(), kind)) return undefined;
  const up = (await reader.read(sorted('asc'))).listing;
  return up !== undefined && ascends(up.ids, kind) ? { request: sorted('asc'), first: up } : undefined;
}
