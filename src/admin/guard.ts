import { hash, timingSafeEqual } from 'node:crypto';
import type { RequestHandler, Response } from 'express';
import type { GatewayConfig } from '../config/schema/gateway.ts';
import type { Actor } from './api/action.ts';
import { sendProblem } from './api/send-problem.ts';

/** A token of the operator's listener, by its SHA-256: a comparison in constant time needs equal lengths. */
export type AdminToken = Actor & { readonly digest: Buffer };

/** Everybody on this machine, where no token is configured. */
const LOCAL: Actor = { name: 'local', role: 'operator' };

const digestOf = (text: string) => hash('sha256', text, 'buffer');

/** The tokens of a configuration. `admin.token` is the operator named "admin". */
export function adminTokens({ token, tokens }: Pick<GatewayConfig['admin'], 'token' | 'tokens'>) {
  const named = tokens.map(({ name, role, token: text, hash: hex }): AdminToken => {
    return { name, role, digest: text ? digestOf(text.reveal()) : Buffer.from(hex ?? '', 'hex') };
  });
  if (token === undefined) return named;
  return [{ name: 'admin', role: 'operator' as const, digest: digestOf(token.reveal()) }, ...named];
}

/** This machine, by the host names that local programs use; the port does not matter. */
const OWN_HOST = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d+)?$/i;

/** The token that was presented. Every known one is compared, so that the time tells nothing. */
function findToken(tokens: readonly AdminToken[], text: string): AdminToken | undefined {
  const given = digestOf(text);
  let found: AdminToken | undefined;
  for (const token of tokens)
    if (token.digest.length === given.length && timingSafeEqual(token.digest, given)) found = token;
  return found;
}

/** Who sent the request that is answered. The guard has admitted it. */
export function actorOf(res: Response): Actor {
  return res.locals['actor'] as Actor;
}

/** Whether who was admitted would be admitted now, too: their token may have gone since. */
export function isStillAdmitted(res: Response): boolean {
  const isAdmitted = res.locals['isStillAdmitted'] as (() => boolean) | undefined;
  return isAdmitted?.() ?? false;
}

/**
 * Creates the guard: it admits requests with one of the tokens. Where there is none, it admits every program on this
 * machine, but no web page in a local browser: a page could post here, or resolve a name to this address (DNS
 * rebinding). `tokens` is asked at each request, so that a reload changes them.
 */
export function createAdminGuard(tokens: () => readonly AdminToken[]): RequestHandler {
  return (req, res, next) => {
    const known = tokens();
    if (known.length === 0) {
      if (req.headers.origin !== undefined || !OWN_HOST.test(req.headers.host ?? 'localhost')) {
        sendProblem(res, {
          code: 'forbidden',
          reason: 'without a token, only programs on this machine may call this, as localhost or 127.0.0.1',
          hint: 'set admin.token or admin.tokens, and send one as "Authorization: Bearer …"',
        });
        return;
      }
      res.locals['actor'] = LOCAL;
      res.locals['isStillAdmitted'] = () => tokens().length === 0;
      next();
      return;
    }
    // Of two such headers, others may read the other one.
    const [header = '', ...more] = req.headersDistinct['authorization'] ?? [];
    const given = more.length > 0 ? undefined : /^Bearer +(\S+)$/i.exec(header)?.[1];
    const token = given === undefined ? undefined : findToken(known, given);
    if (token === undefined) {
      res.set('WWW-Authenticate', 'Bearer');
      sendProblem(res, {
        code: 'unauthenticated',
        reason:
          more.length > 0 ? 'two Authorization headers' : given === undefined ? 'no token' : 'no such token',
        hint: 'send "Authorization: Bearer <token>" with admin.token or one of admin.tokens',
      });
      return;
    }
    res.locals['actor'] = { name: token.name, role: token.role } satisfies Actor;
    res.locals['isStillAdmitted'] = () => tokens().some(({ digest }) => digest.equals(token.digest));
    next();
  };
}
