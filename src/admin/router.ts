// The HTTP routes of the actions: checks the role and the input of a request, has its action carried out, and answers the
// result.

import express, { type Request, type RequestHandler, type Response, type Router } from 'express';
import type { Logger } from 'pino';
import type * as z from 'zod';
import type { Act } from './actions/act.ts';
import { type ActionProblem, type ActionSpec, type Actor, problemStatus } from './api/action.ts';
import { accessOf, sendProblem } from './access/guard.ts';
import { actionList, type ActionName } from './api/action-table.ts';

/** Bound of the body of a request: a thousand keys to import. */
const BODY_MAX = '2mb';

/**
 * What the routes of the actions need. `act` gets input that fits the spec of its action, from somebody with the right role.
 * `log` gets problems with a status of 500 or more, and what is refused as `forbidden`.
 */
export type ApiRouterDeps = { readonly act: Act; readonly log: Pick<Logger, 'warn'> };

/** The input of an action: the body or the query of the request, and the variable segments of its path. */
function inputOf({ body, query, params }: Request): unknown {
  const given: unknown = body;
  if (given !== undefined && (typeof given !== 'object' || given === null || Array.isArray(given)))
    return given;
  return { ...(given ?? query), ...params };
}

/** Why the input of a request is unclear. A part that is not read must not be ignored silently. */
function unclearInput({ body, query, headers }: Request): ActionProblem | undefined {
  const isSent = headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
  if (isSent && body === undefined) {
    const hint = "send JSON, with -H 'Content-Type: application/json'";
    return { code: 'bad_input', reason: 'the body is not declared as JSON, so it is not read', hint };
  }
  if (!isSent || Object.keys(query).length === 0) return undefined;
  const reason = 'there are a body and a query, and only one of them can be the input';
  return { code: 'bad_input', reason, hint: 'send everything in the body' };
}

function inputProblem({ issues }: z.ZodError): ActionProblem {
  const reasons = issues.map(({ path, message }) => [path.join('.'), message].filter((part) => part !== ''));
  return {
    code: 'bad_input',
    reason: reasons.map((parts) => parts.join(': ')).join('; '),
    hint: 'GET /api/openapi.json says what each path takes',
  };
}

/** Without a token, nobody is responsible for a change by the page. */
const NO_TOKEN: ActionProblem = {
  code: 'forbidden',
  reason: 'without a token, the console only reads',
  hint: 'set admin.token or admin.tokens and sign in; a program on this machine may change things without one',
};

function onlyReads({ name, role }: Actor): ActionProblem {
  const reason = `the token "${name}" has the role ${role}, which only reads`;
  return { code: 'forbidden', reason, hint: 'use a token with the role operator' };
}

function serveAction(name: ActionName, spec: ActionSpec, { act, log }: ApiRouterDeps): RequestHandler {
  function refuse(res: Response, problem: ActionProblem): void {
    const { name: actor } = accessOf(res).actor;
    // A mistake of the operator is only answered. A failure of the gateway is logged, too.
    if (problemStatus[problem.code] >= 500)
      log.warn({ action: name, actor, reason: problem.reason }, "an operator's request failed");
    // Somebody tries what they may not do, or a tool has the wrong token, so it is logged.
    if (problem.code === 'forbidden')
      log.warn({ action: name, actor }, 'a token that only reads was refused a change');
    sendProblem(res, problem);
  }

  return async function serve(req, res) {
    const { actor, how } = accessOf(res);
    if (spec.role === 'operator' && actor.role !== 'operator') {
      refuse(res, how === 'local' ? NO_TOKEN : onlyReads(actor));
      return;
    }
    const unclear = unclearInput(req);
    if (unclear !== undefined) {
      refuse(res, unclear);
      return;
    }
    const input = spec.input.safeParse(inputOf(req));
    if (!input.success) {
      refuse(res, inputProblem(input.error));
      return;
    }
    try {
      const result = await act(name, input.data, actor);
      if (result.kind === 'done') res.status(spec.answers?.statusOf(result.value) ?? 200).json(result.value);
      else refuse(res, result.problem);
    } catch (error) {
      const reason = error instanceof Error ? error.message : 'an unknown error';
      refuse(res, { code: 'failed', reason, hint: 'the log of the gateway may say more' });
    }
  };
}

const expressPath = (path: string) => path.replaceAll(/\{(\w+)\}/g, ':$1');

/** Creates the routes of all actions. The guard before them has set who asks. */
export function createApiRouter(deps: ApiRouterDeps): Router {
  const router = express.Router({ caseSensitive: true, strict: true });
  router.use(express.json({ limit: BODY_MAX }));
  for (const [name, spec] of actionList)
    router[spec.method](expressPath(spec.path), serveAction(name, spec, deps));
  return router;
}
