// Asks the host of the library who calls, within a second: it may know the caller by the session of its own application. A change
// that another site's page may have sent with a caller's cookie is refused.

import type { IncomingMessage } from 'node:http';
import { hostPrincipal } from '../../../config/schema/library-options.ts';
import { fault, GatewayError } from '../../../kernel/errors/fault.ts';
import type { Call, Principal } from '../call.ts';

/** What a host says of callers. `exclusive`: no other credential counts. */
export type HostAuthentication = {
  /** Returns the principal of a request, or `undefined` if the host does not know the caller; or a promise of either. */
  readonly authenticate: (request: IncomingMessage) => unknown;
  readonly exclusive: boolean;
};

/** Finds the principal of a call; `undefined` if the host does not know the caller. */
export type HostPrincipal = (call: Call) => Principal | undefined | Promise<Principal | undefined>;

/** How long the host may take. */
const WAIT_MS = 1_000;

/** The error if the host has failed. It is no mistake of the caller, so no limit is spent. */
const failed = (detail: string, cause?: unknown) =>
  fault('server_error', { detail: `authenticate of the host ${detail}`, cause });

/** A browser sends the cookies of a session with the requests of other sites, too; these must not change anything. */
function isForged({ method = '', headers }: IncomingMessage): boolean {
  const isUnsafe = method !== 'GET' && method !== 'HEAD';
  return isUnsafe && headers.cookie !== undefined && headers['sec-fetch-site'] !== 'same-origin';
}

async function within(answer: PromiseLike<unknown>): Promise<unknown> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(failed('took longer than 1 s')), WAIT_MS);
  try {
    return await Promise.race([answer, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

const isPromise = (answer: unknown): answer is PromiseLike<unknown> =>
  typeof (Object(answer) as Partial<PromiseLike<unknown>>).then === 'function';

/** Makes the function that asks the host for the principal of a call. It throws `server_error` if the host fails. */
export function createHostPrincipal(
  { authenticate }: HostAuthentication,
  { tiers, anonymousTier }: { readonly tiers: ReadonlySet<string>; readonly anonymousTier: string },
): HostPrincipal {
  function principalIn(answer: unknown, request: IncomingMessage): Principal | undefined {
    if (answer === undefined) return undefined;
    const { data, error } = hostPrincipal.safeParse(answer);
    if (data === undefined) {
      const [issue] = error.issues;
      throw failed(`gave no principal: ${issue?.path.join('.') ?? ''}: ${issue?.message ?? ''}`);
    }
    const { id, permissions, tier = anonymousTier, operations } = data;
    if (!tiers.has(tier)) throw failed(`gave the tier ${tier}, which is not in limits.tiers`);
    if (isForged(request))
      throw fault('insufficient_permissions', {
        message:
          'With a cookie, only a page of this origin may change anything (Sec-Fetch-Site: same-origin).',
      });
    const name = `host:${id}`;
    return {
      ...{ kind: 'host', id: name, subject: name, tier, permissions: new Set(permissions) },
      operations: operations && new Set(operations),
    };
  }

  return function hostPrincipalOf({ incoming }) {
    if (incoming === undefined) return undefined;
    let answer: unknown;
    try {
      answer = authenticate(incoming);
    } catch (thrown) {
      throw failed('has thrown', thrown);
    }
    if (!isPromise(answer)) return principalIn(answer, incoming);
    return within(answer).then(
      (found) => principalIn(found, incoming),
      (thrown: unknown) => {
        throw thrown instanceof GatewayError ? thrown : failed('has thrown', thrown);
      },
    );
  };
}
