import { hash, timingSafeEqual } from 'node:crypto';
import type { RequestHandler } from 'express';
import type { Secret } from '../kernel/secret.ts';

const digest = (text: string) => hash('sha256', text, 'buffer');

/** Lets through who shows the token as `Authorization: Bearer`; everybody, where there is no token. */
export function guardWith(token: Secret | undefined): RequestHandler {
  if (token === undefined) return (_req, _res, next) => next();
  const expected = digest(token.reveal());
  return (req, res, next) => {
    const given = /^Bearer +(\S+)$/i.exec(req.headers.authorization ?? '')?.[1];
    // Of equal length whatever was given, and told apart in a time that says nothing.
    if (given !== undefined && timingSafeEqual(digest(given), expected)) next();
    else
      res
        .status(401)
        .set('WWW-Authenticate', 'Bearer')
        .json({ status: 'the token of admin.token is needed' });
  };
}
