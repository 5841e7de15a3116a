// Builds what the public listener serves by one configuration: operations, documents, and pass-through routes.

import { createHash } from 'node:crypto';
import { openapiDocument } from '../contract/openapi.ts';
import type { Contract } from '../contract/resource.ts';
import { createDocumentEncodings, type OnCompressed } from '../store/cache/encoded-bodies.ts';
import type { ApiPageContent } from './api-page/page-html.ts';
import { createApiPage, type ApiPage } from './api-page/api-page.ts';
import type { GatewayConfig } from '../config/schema/gateway.ts';
import type { ServerStatus } from '../kernel/errors/fault.ts';
import type { ComponentSet, MadeComponent } from '../kernel/shared-components.ts';
import { type ReferenceCount, operationEndpoint } from './operation-endpoint.ts';
import type { Clock } from '../kernel/clock.ts';
import type { ServedOperation } from '../pipeline/stages/call.ts';
import { createPassthrough, type PassthroughDeps } from './passthrough/passthrough.ts';
import type { Representable } from './listener/representation.ts';
import { createResponder } from './listener/responder.ts';
import { memoised } from './passthrough/header-rules.ts';
import { compileRoutes, type Endpoint, isUnder, READ_METHODS, type Route } from './listener/routes.ts';
import { createLoadShedder, type LoadShedder, type LoadShedderDeps } from './shedding/load-shedder.ts';
import { createCors } from './listener/cors.ts';

/** The settings of the public listener in one configuration. */
export type RoutingSpec = {
  readonly operations: readonly ServedOperation[];
  readonly passthrough: Pick<PassthroughDeps, 'routes' | 'admit' | 'gatewayHeaders' | 'purges'>;
  readonly trustProxy: GatewayConfig['listen']['trustProxy'];
  readonly serverStatus: ServerStatus;
  readonly cors?: GatewayConfig['cors'];
  /** Whether bodies are compressed; absent: they are not. */
  readonly compression?: GatewayConfig['cache']['compression'];
  readonly overload: GatewayConfig['overload'];
  /** Whether a cookie may say who calls; absent: it may not. */
  readonly variesByCookie?: boolean;
  readonly contract: Contract;
  /** Whether the API page is served. */
  readonly docs: boolean;
};

/**
 * What a routing needs. `uses` counts the running requests of this configuration. `parts` has components of the former
 * configuration, such as the load shedder, which are used again if their settings did not change.
 */
export type RoutingDeps = Pick<PassthroughDeps, 'send' | 'uses'> &
  Omit<LoadShedderDeps, 'limits'> & {
    readonly clock: Clock;
    readonly log: PassthroughDeps['log'];
    readonly metrics: PassthroughDeps['metrics'] & { readonly compressed: OnCompressed };
    readonly parts: Pick<ComponentSet, 'acquire'>;
    readonly uses: ReferenceCount;
  };

/** One configuration of the public listener: its endpoints, its responder and its load shedder. */
export type Routing = ReturnType<typeof createRouting>;

/** The target of `OPTIONS *`, which is about the server as a whole (RFC 9110, section 9.3.7). */
export const WHOLE_SERVER = { path: '*', query: '' };
const wholeServer: Endpoint = {
  operation: 'none',
  route: '*',
  methods: READ_METHODS,
  serve: () => undefined,
};

function makeLoadShedder(
  limits: LoadShedderDeps['limits'],
  deps: Omit<LoadShedderDeps, 'limits'>,
): MadeComponent<LoadShedder> {
  const value = createLoadShedder({ ...deps, limits });
  return { value, close: value.stop };
}

/** For how many paths the document is remembered; a path with a parameter, such as `/:tenant`, may have any number. */
const MOUNT_PATHS_MAX = 16;

/** The documents for people who call the API: the OpenAPI document, and the API page that shows it. */
type ApiDocuments = {
  /** The document for a gateway that is mounted below a path; empty: it is not. */
  readonly openapi: (mountPath: string) => Representable;
  readonly apiPage: ApiPage;
};

function makeApiDocuments(
  page: ApiPageContent,
  { onCompressed }: { readonly onCompressed: OnCompressed },
): MadeComponent<ApiDocuments> {
  function documentAt(mountPath: string): Representable {
    const body = Buffer.from(JSON.stringify(openapiDocument(page.contract, mountPath || '/')));
    const etag = `"${createHash('sha256').update(body).digest('base64url')}"`;
    return { body, etag, encodings: createDocumentEncodings(body, etag, onCompressed) };
  }
  const value = {
    openapi: memoised(documentAt, MOUNT_PATHS_MAX),
    apiPage: createApiPage(page, onCompressed),
  };
  return { value };
}

/** Creates the routing of one configuration. */
export function createRouting(spec: RoutingSpec, deps: RoutingDeps) {
  const { clock, log, metrics, uses, parts } = deps;
  const { trustProxy, overload: limits, contract } = spec;
  const trustsProxies = trustProxy !== false;
  const shedder = parts.acquire(makeLoadShedder, limits, { clock, log, metrics });
  const routes = spec.passthrough.routes.map(({ path, methods, permission }) => ({
    path,
    methods,
    permission,
  }));
  const onCompressed = metrics.compressed;
  const { openapi, apiPage } = parts.acquire(makeApiDocuments, { contract, routes }, { onCompressed });
  const openapiPath = `/${contract.version}/openapi.json`;
  const ownCors = createCors(spec.cors);
  const cors = spec.variesByCookie ? { ...ownCors, vary: `, Cookie${ownCors.vary}` } : ownCors;
  const responder = createResponder({ ...spec, clock, cors, shedder });
  const findRoute = compileRoutes<Endpoint>([
    ...spec.operations.map((served): Route<Endpoint> => ({
      path: served.path,
      target: operationEndpoint(served, { responder, trustsProxies, uses }),
    })),
    { path: WHOLE_SERVER.path, target: wholeServer },
    {
      path: openapiPath,
      target: {
        operation: 'openapi',
        route: openapiPath,
        methods: READ_METHODS,
        serve: (_req, context) => responder.sendDocument(context, openapi(context.mount?.path ?? '')),
      },
    },
    ...(spec.docs ? apiPage.routes(responder) : []),
    ...createPassthrough({ ...deps, ...spec.passthrough, trustsProxies, cors }),
  ]);
  return {
    ...{ findRoute, responder, shedder, trustProxy },
    /** Whether a path is answered here when the gateway is mounted in a host: below the contract's version, or by a route. */
    owns: (path: string) => isUnder(`/${contract.version}`, path) || findRoute(path) !== undefined,
  };
}
