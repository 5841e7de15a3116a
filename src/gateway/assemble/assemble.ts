import type { DeprecationHeaders } from '../../contract/deprecation.ts';
import {
  authorize,
  createDeadline,
  createDeprecation,
  createParse,
  type RequestParser,
} from '../../pipeline/stages/call-stages.ts';
import type { Handler, Stage } from '../../pipeline/stages/call.ts';

/** The stages that decide who may pass, the same ones for all operations and pass-through routes. */
export type AdmissionStages = {
  /** Finds the principal, and holds the limit on wrong credentials of an address. */
  readonly authenticate: Stage;
  readonly rateLimit: Stage;
};

/** Everything around an operation, the outermost first. */
type Layers = readonly [...stages: readonly Stage[], answer: Handler];

function assemble(layers: Layers): Handler {
  const [answer, ...stages] = layers.toReversed() as [Handler, ...Stage[]];
  return stages.reduce((next, stage) => stage(next), answer);
}

/** What happens to a request of an operation, in order. */
export function assembleOperation(
  parts: AdmissionStages & {
    readonly deadlineMs: number;
    readonly parseRequest: RequestParser;
    /** Present if something of the operation is going. */
    readonly deprecation?: DeprecationHeaders | undefined;
    /** The cache and the source behind it. If the resource moves: two of each, and the choice between them. */
    readonly answer: Handler;
  },
): Handler {
  return assemble([
    // The time that the caller waits, for everything below.
    createDeadline(parts.deadlineMs),
    // The limit on wrong credentials of an address comes before the look-up of a credential, so that keys cannot be
    // guessed. A credential that this process has just verified passes that limit.
    parts.authenticate,
    // Behind authentication, because it counts by principal.
    parts.rateLimit,
    // Behind the rate limit, because an answer that names the missing permission costs a point like any other.
    authorize,
    // Behind permission, because only callers with the permission may learn what is wrong with their parameters. Before the
    // cache, whose key is the query.
    createParse(parts.parseRequest),
    ...(parts.deprecation === undefined ? [] : [createDeprecation(parts.deprecation)]),
    // Behind permission, so that the cache cannot leak. If the resource has one source (assemble-source.ts):
    //   the cache, then the source
    // If it moves from one source to another (assemble-migrating-resource.ts):
    //   the choice of the source, which needs the principal
    //   a cache of its own for each source, because the source is part of the key
    //   the offer of an answer to the shadow, which compares only what was just read, and nothing from the cache
    //   the source
    parts.answer,
  ]);
}

/** The checks in front of a pass-through route, in the order of `assembleOperation`. The route has its own deadline. */
export function assembleAdmission({ authenticate, rateLimit }: AdmissionStages): Handler<void> {
  return authenticate(rateLimit(authorize(() => undefined)));
}
