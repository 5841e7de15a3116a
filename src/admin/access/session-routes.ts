import express, { type Request, type RequestHandler, type Response, type Router } from 'express';
import type { Logger } from 'pino';
import * as z from 'zod';
import { sendProblem } from '../api/send-problem.ts';
import { accessOf, remoteAddressOf, checkToken, type GuardDeps, pageProblem, refuseAccess } from './guard.ts';
import { siteOf } from './request-site.ts';
import { presentedSession, sessionCookie } from './session-cookie.ts';
import type { Sessions } from './sessions.ts';

/**
 * `tokens` and `guesses` are those of the guard, so that an address cannot guess on here once it has spent its tries
 * there.
 */
export type SessionRoutesDeps = Pick<GuardDeps, 'tokens' | 'guesses'> & {
  readonly sessions: Pick<Sessions, 'begin' | 'end'>;
  /** The version of the gateway, for the page. */
  readonly version: string;
  readonly log: Pick<Logger, 'info' | 'warn'>;
};

const credentials = z.strictObject({ token: z.string().min(1).max(600) });

/** Begins a session: the token is shown once, and a cookie with a secret for the tab stands for it from then on. */
function signIn(deps: SessionRoutesDeps): RequestHandler {
  const { tokens, sessions, log } = deps;
  return (req: Request, res: Response) => {
    const site = siteOf(req);
    const problem = site === 'program' ? undefined : pageProblem(req, site);
    if (problem !== undefined) {
      sendProblem(res, problem);
      return;
    }
    if (tokens().length === 0) {
      const hint = 'open the console from this machine, where it only reads; or set admin.tokens';
      sendProblem(res, { code: 'conflict', reason: 'no token is configured to sign in with', hint });
      return;
    }
    const input = credentials.safeParse(req.body);
    if (!input.success) {
      sendProblem(res, {
        code: 'bad_input',
        reason: 'no token',
        hint: 'send {"token": "…"} as application/json',
      });
      return;
    }
    const address = remoteAddressOf(req);
    const token = checkToken(deps, address, input.data.token);
    if ('problem' in token) {
      log.warn({ address, reason: token.problem.reason }, 'a sign-in to the console was refused');
      refuseAccess(res, token);
      return;
    }
    // An id that was there before may be known to somebody else (session fixation): it ends, and never becomes this one.
    const before = presentedSession(req);
    const { id, secret, session } = sessions.begin(token, before.kind === 'id' ? before.id : undefined);
    const { name, role } = token;
    log.info({ address, name, role }, 'somebody signed in to the console');
    const { endsAt } = session;
    // No other answer has the secret: the cookie, which others may see, must not be enough to get it.
    res.append('Set-Cookie', sessionCookie(req, id)).json({ name, role, endsAt, secret });
  };
}

/** Creates the route that signs in, which stands before the guard. */
export function createSignInRoute(deps: SessionRoutesDeps): Router {
  const router = express.Router({ caseSensitive: true, strict: true });
  router.post('/api/session', express.json({ limit: '4kb' }), signIn(deps));
  return router;
}

/** Creates the routes of somebody who is admitted: who he is, and signing out. */
export function createSessionRoutes({ sessions, version }: SessionRoutesDeps): Router {
  const router = express.Router({ caseSensitive: true, strict: true });
  router.get('/api/session', (_req, res) => {
    const access = accessOf(res);
    const { name, role } = access.actor;
    const endsAt = access.how === 'cookie' ? access.session.endsAt : null;
    res.json({ name, role, endsAt, how: access.how, version });
  });
  router.delete('/api/session', (req, res) => {
    const access = accessOf(res);
    if (access.how === 'cookie') {
      sessions.end(access.id);
      res.append('Set-Cookie', sessionCookie(req));
    }
    res.status(204).end();
  });
  return router;
}
