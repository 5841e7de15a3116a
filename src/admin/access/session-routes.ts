// The routes by which the page of the console signs in and out, and asks who is signed in.

import express, { type Request, type RequestHandler, type Response, type Router } from 'express';
import type { Logger } from 'pino';
import { credentials, type SessionDetail } from '../api/session-openapi.ts';
import {
  accessOf,
  remoteAddressOf,
  checkToken,
  type GuardDeps,
  pageProblem,
  refuseAccess,
  sendProblem,
} from './guard.ts';
import { siteOf } from './request-site.ts';
import { presentedSession, sessionCookie } from './session-cookie.ts';
import type { Sessions } from './sessions.ts';

/** What the routes need. `tokens` and `guesses` are those of the guard, so wrong tokens of an address count in both places. */
export type SessionRoutesDeps = Pick<GuardDeps, 'tokens' | 'guesses'> & {
  readonly sessions: Pick<Sessions, 'begin' | 'end'>;
  /** The version of the gateway, for the page. */
  readonly version: string;
  readonly log: Pick<Logger, 'info' | 'warn'>;
};

/** Begins a session: from now on, a cookie and a secret of the tab replace the token. */
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
    // Somebody else may know the id that the browser had before (session fixation), so that id becomes invalid.
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

/** Creates the routes behind the guard: who is signed in, and signing out. */
export function createSessionRoutes({ sessions, version }: SessionRoutesDeps): Router {
  const router = express.Router({ caseSensitive: true, strict: true });
  router.get('/api/session', (_req, res) => {
    const access = accessOf(res);
    const { name, role } = access.actor;
    const endsAt = access.how === 'cookie' ? access.session.endsAt : null;
    res.json({ name, role, endsAt, how: access.how, version } satisfies SessionDetail);
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
