// Decides who may use the operator's listener: by a token, by a session of the console, or from this machine.

import type { Request, RequestHandler, Response } from 'express';
import { type ActionProblem, type Actor, problemStatus } from '../api/action.ts';
import { type AdminToken, findToken, isSameToken } from './admin-tokens.ts';
import type { GuessLimit } from './guess-limit.ts';
import { isLoopbackHost, type RequestSite, siteOf } from './request-site.ts';
import { presentedSession } from './session-cookie.ts';
import type { Session, Sessions } from './sessions.ts';

/** Who was admitted, and how. */
export type Access =
  | { readonly how: 'token'; readonly actor: Actor; readonly token: AdminToken }
  | { readonly how: 'cookie'; readonly actor: Actor; readonly id: string; readonly session: Session }
  /** No token is configured, and the request comes from this machine. */
  | { readonly how: 'local'; readonly actor: Actor };

/** Why a request is not admitted, and when it may be tried again. */
export type AccessRefusal = { readonly problem: ActionProblem; readonly retryAfterSeconds?: number };

type Admission = Access | AccessRefusal;

/** What the guard needs. The sign-in route gets the same `guesses`, so a wrong token counts for its address in both places. */
export type GuardDeps = {
  /** The tokens at this moment, so that a reload changes them. */
  readonly tokens: () => readonly AdminToken[];
  readonly sessions: Pick<Sessions, 'find'>;
  readonly guesses: GuessLimit;
};

/** The header that a page of another site cannot send unasked, and a form cannot send at all. */
const CONSOLE_HEADER = 'x-portico-console';
/** The header with the secret of a tab. A browser sends the cookie to other ports of the host, too, but not this header. */
const SECRET_HEADER = 'x-portico-session-secret';
const SEND_TOKEN = 'send "Authorization: Bearer <token>" with admin.token or one of admin.tokens';

/** The address that a request comes from, for the audit. Behind a proxy, it is the address of the proxy. */
export function remoteAddressOf({ socket }: Pick<Request, 'socket'>): string {
  return (socket.remoteAddress ?? 'unknown').replace(/^::ffff:(?=\d+\.)/, '');
}

/** How the guard admitted the request of this answer. */
export function accessOf(res: Response): Access {
  return res.locals['access'] as Access;
}

/** Whether the request would still be admitted now: its token may have been removed, or its session may have ended. */
export function isStillAdmitted(res: Response): boolean {
  const isAdmitted = res.locals['isStillAdmitted'] as (() => boolean) | undefined;
  return isAdmitted?.() ?? false;
}

/** Answers a problem, in the one form that all errors of the operator's listener have. */
export function sendProblem(res: Response, { code, reason, hint, unmet }: ActionProblem): void {
  res.status(problemStatus[code]).json({ error: { code, reason, hint, unmet } });
}

/** Answers a request that is not admitted. */
export function refuseAccess(res: Response, { problem, retryAfterSeconds }: AccessRefusal): void {
  if (problem.code === 'unauthenticated') res.set('WWW-Authenticate', 'Bearer');
  if (retryAfterSeconds !== undefined) res.set('Retry-After', String(retryAfterSeconds));
  sendProblem(res, problem);
}

const refused = (code: ActionProblem['code'], reason: string, hint: string): AccessRefusal => ({
  problem: { code, reason, hint },
});

/** Finds the token that a request from an address presents. A right token always passes; only wrong tokens are limited. */
export function checkToken(
  { tokens, guesses }: Pick<GuardDeps, 'tokens' | 'guesses'>,
  address: string,
  text: string,
): AdminToken | AccessRefusal {
  const token = findToken(tokens(), text);
  if (token !== undefined) return token;
  const retryAfterSeconds = guesses.waitSeconds(address);
  if (retryAfterSeconds > 0) {
    const reason = 'a wrong token, and too many of them came from this address';
    return { problem: { code: 'too_many', reason, hint: 'wait as Retry-After says' }, retryAfterSeconds };
  }
  guesses.fail(address);
  return { problem: { code: 'unauthenticated', reason: 'no such token', hint: SEND_TOKEN } };
}

/** Why a change is refused, if nothing shows that a page of this listener made it; `undefined`: the request may go on. */
export function pageProblem(req: Request, site: RequestSite): ActionProblem | undefined {
  const { method, headers } = req;
  if (method === 'GET' || method === 'HEAD') return undefined;
  const hint = 'the pages of the console send all of it; a program sends "Authorization: Bearer <token>"';
  if (site !== 'own')
    return { code: 'forbidden', reason: 'the request shows no page of this listener', hint };
  if (headers[CONSOLE_HEADER] !== '1')
    return { code: 'forbidden', reason: 'the header X-Portico-Console: 1 is missing', hint };
  if (method === 'DELETE' || /^application\/json(?:;|$)/i.test(headers['content-type'] ?? ''))
    return undefined;
  return { code: 'forbidden', reason: 'the body is not declared as application/json', hint };
}

/** Without a token: programs on this machine may do everything, and pages of this listener in a local browser may read. */
function admitLocal(req: Request, site: RequestSite): Admission {
  if (!isLoopbackHost(req)) {
    const reason = 'without a token, only programs on this machine may call this, as localhost or 127.0.0.1';
    const hint = 'set admin.token or admin.tokens, and send one as "Authorization: Bearer …"';
    return refused('forbidden', reason, hint);
  }
  const problem = site === 'program' ? undefined : pageProblem(req, site);
  if (problem !== undefined) return { problem };
  const role = site === 'program' ? 'operator' : 'viewer';
  return { how: 'local', actor: { name: 'local', role, address: remoteAddressOf(req) } };
}

function admitBearer(req: Request, headers: readonly string[], deps: GuardDeps): Admission {
  const [header = '', ...more] = headers;
  // A proxy may have checked one of two such headers, and this gateway would check the other.
  if (more.length > 0) return refused('unauthenticated', 'two Authorization headers', SEND_TOKEN);
  const given = /^Bearer +(\S+)$/i.exec(header)?.[1];
  if (given === undefined) return refused('unauthenticated', 'no token', SEND_TOKEN);
  const address = remoteAddressOf(req);
  const found = checkToken(deps, address, given);
  if ('problem' in found) return found;
  const { name, role } = found;
  return { how: 'token', actor: { name, role, address }, token: found };
}

function admitSession(req: Request, site: RequestSite, { sessions }: GuardDeps): Admission {
  const presented = presentedSession(req);
  if (presented.kind === 'none') return refused('unauthenticated', 'no token', SEND_TOKEN);
  const [secret, ...more] = req.headersDistinct[SECRET_HEADER] ?? [];
  if (secret === undefined)
    return refused('unauthenticated', 'the secret of the session is missing', 'sign in in this tab, too');
  const isClear = presented.kind === 'id' && more.length === 0;
  const session = isClear ? sessions.find(presented.id, secret) : undefined;
  if (!isClear || session === undefined)
    return refused('unauthenticated', 'the session has ended', 'sign in again with a token');
  const problem = pageProblem(req, site);
  if (problem !== undefined) return { problem };
  const { name, role } = session.token;
  const actor = { name, role, address: remoteAddressOf(req) };
  return { how: 'cookie', actor, id: presented.id, session };
}

function admit(req: Request, deps: GuardDeps): Admission {
  const site = siteOf(req);
  if (site === 'foreign') {
    const hint = 'open the console of this listener; a program sends no Origin';
    return refused('forbidden', 'a page of another origin asks', hint);
  }
  if (deps.tokens().length === 0) return admitLocal(req, site);
  const bearers = req.headersDistinct['authorization'];
  return bearers === undefined ? admitSession(req, site, deps) : admitBearer(req, bearers, deps);
}

/** Whether the token or the session that admitted somebody is still valid. */
function isValid(access: Access, { tokens }: GuardDeps): boolean {
  if (access.how === 'local') return tokens().length === 0;
  if (access.how === 'cookie') return access.session.isAlive();
  return tokens().some((token) => isSameToken(token, access.token));
}

/**
 * Creates the guard: it admits requests with one of the tokens, or with the cookie and the secret of a session from a page
 * of this listener. If no token is configured, it admits programs on this machine. It admits no page of another origin,
 * because such a page could post here, or make a name point to this address (DNS rebinding).
 */
export function createAdminGuard(deps: GuardDeps): RequestHandler {
  return function guard(req, res, next) {
    const admission = admit(req, deps);
    if ('problem' in admission) {
      refuseAccess(res, admission);
      return;
    }
    res.locals['access'] = admission;
    res.locals['isStillAdmitted'] = () => isValid(admission, deps);
    next();
  };
}
