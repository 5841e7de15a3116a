// Reads and writes the cookie of a session of the console, for the guard and for the routes that sign in and out.

import type { IncomingMessage } from 'node:http';

const NAME = 'portico_session';
/** 256 bits in base64url. */
const ID = /^[A-Za-z0-9_-]{43}$/;
const ATTRIBUTES = 'HttpOnly; SameSite=Strict';

/** The session that a request claims. */
export type PresentedSession =
  | { readonly kind: 'none' }
  | { readonly kind: 'id'; readonly id: string }
  /** Two such cookies, or one whose value is no id. Somebody else may have set it, so no session is looked up. */
  | { readonly kind: 'unclear' };

/** Reads the session's cookie (RFC 6265, section 5.4). */
export function presentedSession({ headers }: Pick<IncomingMessage, 'headers'>): PresentedSession {
  const values = (headers.cookie ?? '').split(';').flatMap((pair) => {
    const at = pair.indexOf('=');
    return at !== -1 && pair.slice(0, at).trim() === NAME ? [pair.slice(at + 1).trim()] : [];
  });
  const [id, ...more] = values;
  if (id === undefined) return { kind: 'none' };
  return more.length === 0 && ID.test(id) ? { kind: 'id', id } : { kind: 'unclear' };
}

/** Whether the page came by TLS. Who sends a false header only makes their own browser withhold the cookie. */
function isSecure({ headers }: Pick<IncomingMessage, 'headers'>): boolean {
  const forwarded = String(headers['x-forwarded-proto'] ?? '').split(',')[0];
  return forwarded?.trim().toLowerCase() === 'https' || headers.origin?.startsWith('https://') === true;
}

/**
 * The `Set-Cookie` of a session; without an id, it deletes the cookie. It names no path, so the browser uses the folder of
 * the address that it asked. This is right even if a proxy adds a path.
 */
export function sessionCookie(req: Pick<IncomingMessage, 'headers'>, id?: string): string {
  const secure = isSecure(req) ? '; Secure' : '';
  return `${NAME}=${id ?? ''}; ${ATTRIBUTES}${secure}${id === undefined ? '; Max-Age=0' : ''}`;
}
