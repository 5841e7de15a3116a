// Finds the endpoint for the path of a request.

import type { IncomingMessage } from 'node:http';
import type { RequestTarget } from './request-head.ts';
import type { RequestContext } from './request-context.ts';

/** What the public listener serves at one path: an operation, a document, or a pass-through route. */
export type Endpoint = {
  /** Its name in logs and metrics. */
  readonly operation: string;
  /** Its path for spans, which is the same for all ids. */
  readonly route: string;
  /** The methods that `serve` is called for. `OPTIONS` is never one of them. */
  readonly methods: readonly string[];
  /** Answers the request, now or later. It may throw. Each failure is answered by `context.fail`. */
  serve(
    req: IncomingMessage,
    context: RequestContext,
    target: RequestTarget,
    rawId: string | undefined,
  ): void;
};

/** The methods of endpoints that can only be read. */
export const READ_METHODS: readonly string[] = ['GET', 'HEAD'];

/** The value of the header `Allow` for an endpoint. */
export function allowedMethods({ methods }: Endpoint): string {
  return [...methods, 'OPTIONS'].join(', ');
}

/** A path and its target. If the path ends in `/:id`, that segment is an id. With `subpaths`, all paths below count, too. */
export type Route<T> = { readonly path: string; readonly subpaths?: boolean; readonly target: T };

/** The target of a path, and the id in the path if the route has one, still percent-encoded. */
export type RouteMatch<T> = { readonly target: T; readonly rawId: string | undefined };

/**
 * Compiles the function that finds the target for a raw path. A slash at the end is ignored. The most specific route wins:
 * first an exact path, then a path with an id, then the longest path above. Express' own router is not used, because it
 * decodes ids and fails on `%ff` before the caller is known; here the pipeline checks ids, after authentication.
 */
export function compileRoutes<T>(routes: readonly Route<T>[]): (path: string) => RouteMatch<T> | undefined {
  const exact = new Map<string, RouteMatch<T>>();
  const byId = new Map<string, T>();
  for (const { path, target } of routes) {
    if (path.endsWith('/:id')) byId.set(path.slice(0, -':id'.length), target);
    else exact.set(path, { target, rawId: undefined });
  }
  const parents = routes.filter(({ subpaths }) => subpaths === true);
  parents.sort((a, b) => b.path.length - a.path.length);

  return function findRoute(path) {
    const plain = path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path;
    const match = exact.get(plain);
    if (match !== undefined) return match;
    const idStart = plain.lastIndexOf('/') + 1;
    const target = byId.get(plain.slice(0, idStart));
    if (target !== undefined && idStart < plain.length) return { target, rawId: plain.slice(idStart) };
    const parent = parents.find((route) => isUnder(route.path, path));
    return parent && { target: parent.target, rawId: undefined };
  };
}

/** Whether `path` is `parent` or is below it. */
export function isUnder(parent: string, path: string): boolean {
  return path.startsWith(parent) && (path.length === parent.length || path[parent.length] === '/');
}
