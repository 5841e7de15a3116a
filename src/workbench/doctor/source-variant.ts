// Makes two variants of what a source file says, for `doctor`: one that sends every declared filter and sort, so that each can
// be probed, and one whose requests can be displayed, because ids and filter values are `***` in them.

import { isNumbered, type RowSelection } from '../../source/checks/evidence/ask.ts';
import type { ListSpec, SourceResourceSpec, SourceSpec } from '../../config/schema/source.ts';
import type { Filter, PushableOp } from '../../contract/query.ts';
import type { ResourceName } from '../../contract/resource.ts';
import { mapTexts } from '../../kernel/json/json-tree.ts';
import { MASK } from '../../kernel/secret.ts';

function changedWindow({ window }: ListSpec, { size, base }: RowSelection): ListSpec['window'] {
  if (window.kind === 'none') return window;
  if (!isNumbered(window)) return { ...window, sizeMax: size ?? window.sizeMax };
  const { depthMax: _depthMax, ...rest } = window;
  const open = { pastEnd: 'empty', shortPage: 'end', ...(base !== undefined && { base }) } as const;
  return rest.kind === 'offset'
    ? { ...rest, ...open, sizeMax: size ?? rest.sizeMax }
    : { ...rest, ...open, sizes: size === undefined ? rest.sizes : [size] };
}

/** Marks every filter as exact, so that the planner sends it, and the gateway filters nothing itself. */
function pushedFilters({ filters }: ListSpec): ListSpec['filters'] {
  const fields = Object.entries(filters).map(([field, operators]) => {
    const pushed = Object.entries(operators).map(([op, filter]) => [
      op,
      filter.exactness === 'none' ? filter : { ...filter, exactness: 'exact' as const },
    ]);
    return [field, Object.fromEntries(pushed) as typeof operators];
  });
  return Object.fromEntries(fields) as ListSpec['filters'];
}

function changedList(list: ListSpec, change: RowSelection): ListSpec {
  return {
    ...list,
    request: { ...list.request, query: { ...list.request.query, ...change.query } },
    window: changedWindow(list, change),
    total: { ...(list.total ?? { at: '' }), counts: 'filtered' },
    dropWhen: [],
    order: 'source',
    filters: { ...pushedFilters(list), ...change.declared },
  };
}

/**
 * A source that claims more than its file does. The planner then sends every declared filter and sort, and asks for any window.
 * The replies are read by the adapter of the file itself.
 */
export function permissiveSource(spec: SourceSpec, resource: ResourceName, change: RowSelection): SourceSpec {
  const own = spec.resources[resource];
  if (own === undefined) return spec;
  const permissive: SourceResourceSpec = {
    ...own,
    onInvalidRecord: 'fail',
    list: changedList(own.list, change),
  };
  // The other resources stay, because references of this one are read by the rules of their ids.
  return { ...spec, resources: { ...spec.resources, [resource]: permissive } };
}

/** A source whose requests are only displayed: ids, and the values of the filters asked for, are `***` in them. */
export function sourceWithoutValues(
  spec: SourceSpec,
  resource: ResourceName,
  asked: readonly Filter[],
): SourceSpec {
  const own = spec.resources[resource];
  if (own === undefined) return spec;
  const names = asked.flatMap(({ field, op }) => own.list.filters[field]?.[op as PushableOp]?.name ?? []);
  const mask = <T>(tree: T, ...variables: readonly string[]) =>
    mapTexts(tree, (text) =>
      text.replaceAll(/\{([\w-]+)\}/g, (whole, name: string) => (variables.includes(name) ? MASK : whole)),
    );
  const { list, get } = own;
  const valueless: SourceResourceSpec = {
    ...own,
    list: {
      ...list,
      request: mask(list.request, ...names),
      filters: mask(list.filters, 'value', 'values'),
      total: list.total && { ...list.total, count: mask(list.total.count, ...names) },
    },
    ...(get && { get: { ...get, request: mask(get.request, 'id') } }),
  };
  return { ...spec, resources: { ...spec.resources, [resource]: valueless } };
}
