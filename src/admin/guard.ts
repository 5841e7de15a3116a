import { hash, timingSafeEqual } from 'node:crypto';
import type { RequestHandler } from 'express';
import type { Secret } from '../kernel/secret.ts';

const digest = (text: string) => hash('sha256', text, 'buffer');

/** This machine, by the host names that local programs use; the port does not matter. */
const OWN_HOST = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d+)?$/i;

/** Refuses web pages in a local browser: a page could post here, or resolve a name to this address (DNS rebinding). */
const refusePages: RequestHandler = (req, res, next) => {
  if (req.headers.origin === undefined && OWN_HOST.test(req.headers.host ?? 'localhost')) next();
  else
    res.status(403).json({
      status: 'without admin.token, only programs on this machine may call this, as localhost or 127.0.0.1',
    });
};

/** Creates the guard: it admits requests with the token, or without a token every program on this machine. */
export function createAdminGuard(token: Secret | undefined): RequestHandler {
  if (token === undefined) return refusePages;
  const expected = digest(token.reveal());
  return (req, res, next) => {
    const given = /^Bearer +(\S+)$/i.exec(req.headers.authorization ?? '')?.[1];
    // A comparison in constant time needs equal lengths, so digests are compared.
    if (given !== undefined && timingSafeEqual(digest(given), expected)) next();
    else
      res
        .status(401)
        .set('WWW-Authenticate', 'Bearer')
        .json({ status: 'the token of admin.token is needed' });
  };
}
