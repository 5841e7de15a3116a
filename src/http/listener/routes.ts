import type { Request } from 'express';
import type { RequestTarget } from './request-head.ts';
import type { RequestContext } from './request-context.ts';

/** Something that the public listener serves at a path. */
export type Endpoint = {
  /** Its name in logs and metrics. */
  readonly operation: string;
  /** Its path, for spans: the same for all ids. */
  readonly route: string;
  /** The methods that reach `serve`; `OPTIONS` never does. */
  readonly methods: readonly string[];
  /** Answers the request, now or later; every failure ends in `context.fail`. */
  serve(req: Request, context: RequestContext, target: RequestTarget, rawId: string | undefined): void;
};

/** The methods of everything that can only be read. */
export const READ_METHODS: readonly string[] = ['GET', 'HEAD'];

/** The value of `Allow` for an endpoint. */
export function allowedMethods({ methods }: Endpoint): string {
  return [...methods, 'OPTIONS'].join(', ');
}

/** A path and its target. A path that ends in `/:id` takes one more segment; with `subpaths`, all paths below it count, too. */
export type Route<T> = { readonly path: string; readonly subpaths?: boolean; readonly target: T };

/** The target of a path; and, if its route has an id, the raw one, which is still percent-encoded. */
export type RouteMatch<T> = { readonly target: T; readonly rawId: string | undefined };

/**
 * Compiles the route finder: from a raw path to its target. A trailing slash is ignored. The most specific route wins:
 * a plain path, then an id, then the longest path that has the asked one below it. Express' own router would decode
 * the id first and fail on `%ff` before the caller is known; here the pipeline judges ids, after authentication.
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

/** Whether `path` is `parent` or lies below it. */
export function isUnder(parent: string, path: string): boolean {
  return path.startsWith(parent) && (path.length === parent.length || path[parent.length] === '/');
}
