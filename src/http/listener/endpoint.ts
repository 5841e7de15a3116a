import type { Request } from 'express';
import type { RequestContext } from './request-context.ts';
import type { RequestTarget } from './request-head.ts';

/** Something the public listener answers for, once the path has chosen it. */
export type Endpoint = {
  /** Its name in logs and metrics. */
  readonly operation: string;
  /** The methods that reach `serve`; `OPTIONS` never does. */
  readonly methods: readonly string[];
  /** Answers the context, now or later; every failure ends in `context.fail`. */
  serve(req: Request, context: RequestContext, target: RequestTarget, rawId: string | undefined): void;
};

/** An endpoint with the raw, still percent-encoded id segment of the path, where its route has one. */
export type Match = { readonly endpoint: Endpoint; readonly rawId: string | undefined };

/** The value of `Allow` for an endpoint. */
export function allowOf(endpoint: Endpoint): string {
  return [...endpoint.methods, 'OPTIONS'].join(', ');
}

/**
 * Chooses the endpoint of a raw path. Routes are plain paths; one that ends in `/:id` takes one more segment.
 * Express' own router would decode the segment first and fail on `%ff` before the caller is known, so malformed
 * ids are told from unknown ones by the pipeline, after authentication.
 */
export function compileRoutes(
  routes: readonly { readonly path: string; readonly endpoint: Endpoint }[],
): (path: string) => Match | undefined {
  const exact = new Map<string, Match>();
  const byId: { prefix: string; endpoint: Endpoint }[] = [];
  for (const { path, endpoint } of routes) {
    if (path.endsWith('/:id')) byId.push({ prefix: path.slice(0, -':id'.length), endpoint });
    else exact.set(path, { endpoint, rawId: undefined });
  }

  return function find(path) {
    const plain = path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path;
    const match = exact.get(plain);
    if (match !== undefined) return match;
    const route = byId.find(({ prefix }) => plain.length > prefix.length && plain.startsWith(prefix));
    if (route === undefined || plain.includes('/', route.prefix.length)) return undefined;
    return { endpoint: route.endpoint, rawId: plain.slice(route.prefix.length) };
  };
}
