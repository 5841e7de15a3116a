// The order of all stages that a request passes, with the reason for each place.

import type { createAdmission } from './admission.ts';
import type { DeprecationHeaders } from '../../contract/deprecation.ts';
import {
  authorize,
  createDeadline,
  createDeprecation,
  createParse,
  type RequestParser,
} from '../../pipeline/stages/call-stages.ts';
import type { Handler, Stage } from '../../pipeline/stages/call.ts';

/** The stages that decide who may pass; all operations and pass-through routes share them. */
export type AdmissionStages = Pick<ReturnType<typeof createAdmission>, 'authenticate' | 'rateLimit'>;

/** The stages around an operation, the outermost first, and the handler that answers. */
type Layers = readonly [...stages: readonly Stage[], answer: Handler];

function assemble(layers: Layers): Handler {
  const [answer, ...stages] = layers.toReversed() as [Handler, ...Stage[]];
  return stages.reduce((next, stage) => stage(next), answer);
}

/** Assembles the handler of an operation: the list shows, in order, what happens to a request. */
export function assembleOperation(
  parts: AdmissionStages & {
    readonly deadlineMs: number;
    readonly parseRequest: RequestParser;
    /** Present if the operation, or a part of it, is deprecated. */
    readonly deprecation?: DeprecationHeaders | undefined;
    /** The cache and the source behind it. If the resource moves: two of each, and the stage that chooses. */
    readonly answer: Handler;
  },
): Handler {
  return assemble([
    // First, because the deadline limits everything below.
    createDeadline(parts.deadlineMs),
    // In this stage, the limit on wrong credentials of an address comes before the look-up of a credential, so that keys
    // cannot be guessed. A credential that this process has just verified passes the limit.
    parts.authenticate,
    // Behind authentication, because it counts by principal.
    parts.rateLimit,
    // Behind the rate limit, because an answer that names the missing permission costs a point like any other.
    authorize,
    // Behind permission, because only callers with the permission may learn what is wrong with their parameters. Before the
    // cache, because the query is its key.
    createParse(parts.parseRequest),
    ...(parts.deprecation === undefined ? [] : [createDeprecation(parts.deprecation)]),
    // Behind permission, so that the cache serves no caller without it. If the resource has one source (assemble-source.ts):
    //   the cache, then the source
    // If it moves from one source to another (assemble-migrating-resource.ts):
    //   the choice of the source, which needs the principal, then a separate cache for each source,
    //   the offer of an answer to the shadow, which compares only answers that were just read, never those of the cache,
    //   then the source
    parts.answer,
  ]);
}

/** Assembles the checks in front of a pass-through route, in the same order. The route has its own deadline. */
export function assembleAdmission({ authenticate, rateLimit }: AdmissionStages): Handler<void> {
  return authenticate(rateLimit(authorize(() => undefined)));
}
