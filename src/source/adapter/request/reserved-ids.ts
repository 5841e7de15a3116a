// Finds ids that must not be asked for, because with them the path for a single record is the path of another request of the
// source. They are refused, and noted for the author of the source file.

import type { SourceSpec } from '../../../config/schema/source.ts';
import { percentDecoded } from '../../../kernel/percent-decoded.ts';
import { variablesOf } from './text-template.ts';

const ID = '{id}';

/** The paths of a source's requests that have no variable, with their places in the file. */
function constantPaths({ resources, net }: SourceSpec): readonly (readonly [string, readonly string[]])[] {
  const described = Object.entries(resources);
  const requests = described.flatMap(([name, { list, get }]) => [
    [list.request.path, ['resources', name, 'list', 'request', 'path']] as const,
    ...(list.total?.count === undefined
      ? []
      : [[list.total.count.path, ['resources', name, 'list', 'total', 'count', 'path']] as const]),
    ...(get === undefined
      ? []
      : [[get.request.path, ['resources', name, 'get', 'request', 'path']] as const]),
  ]);
  const health = net.health === undefined ? [] : [[net.health.path, ['net', 'health', 'path']] as const];
  return [...requests, ...health].filter(([path]) => variablesOf(path).length === 0);
}

/**
 * The native ids with which the request of a single record would be another request of the source, with the place of that
 * request's path: with the id `_all`, `/users/{id}` is the list's path `/users/_all`. So is `all/rows` for a server that decodes
 * the slash of `/users/all%2Frows` first.
 */
export function reservedIds(path: string, source: SourceSpec) {
  const [before = '', behind, ...more] = path.replace(/[?#].*$/, '').split(ID);
  if (behind === undefined || more.length > 0) return [];
  return constantPaths(source).flatMap(([constant, place]) => {
    const other = constant.replace(/[?#].*$/, '');
    const length = other.length - before.length - behind.length;
    const fits = length > 0 && other.startsWith(before) && other.endsWith(behind);
    const native = fits ? percentDecoded(other.slice(before.length, before.length + length)) : undefined;
    return native === undefined ? [] : [{ native, place }];
  });
}
