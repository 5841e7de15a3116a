import { hash } from 'node:crypto';
import type { RequestFacts } from '../call.ts';
import type { CallerCredential } from './credential-result.ts';

/** What a request presents: no credential, exactly one, or something that is not exactly one (`malformed`). */
export type Presented =
  | { readonly kind: 'none' }
  | { readonly kind: 'malformed' }
  | { readonly kind: 'one'; readonly credential: CallerCredential };

const VALUE_LENGTH_MAX = 8 * 1024;

/** A text of visible ASCII characters without spaces. Every key and every JWT has this form. */
const TOKEN = /^[\x21-\x7e]+$/;

/** The value of `Authorization` (RFC 6750, section 2.1). The name of the scheme is case-insensitive (RFC 9110). */
const BEARER = /^bearer +([\x21-\x7e]+)$/i;

function bearerToken(value: string): string | undefined {
  return value.length > VALUE_LENGTH_MAX ? undefined : BEARER.exec(value)?.[1];
}

function plainToken(value: string): string | undefined {
  return value.length > VALUE_LENGTH_MAX || !TOKEN.test(value) ? undefined : value;
}

/** The token that all values have in common; `undefined` if they differ, or if a value has none. */
function onlyToken(authorization: readonly string[], apiKey: readonly string[]): string | undefined {
  // This is a shortcut, because almost every request has exactly one value.
  if (apiKey.length === 0 && authorization.length === 1) return bearerToken(authorization[0] ?? '');
  const tokens = [...authorization.map(bearerToken), ...apiKey.map(plainToken)];
  const [text] = tokens;
  return tokens.every((token) => token === text) ? text : undefined;
}

/**
 * Finds the credential of a request in `Authorization: Bearer` and `X-API-Key`. Several headers may have the same
 * credential. Two different ones, or a value that is no credential, make the request malformed.
 */
export function presentedCredential({
  authorization,
  apiKey,
}: Pick<RequestFacts, 'authorization' | 'apiKey'>): Presented {
  if (authorization.length === 0 && apiKey.length === 0) return { kind: 'none' };
  const text = onlyToken(authorization, apiKey);
  if (text === undefined) return { kind: 'malformed' };
  const bearer = authorization.length > 0;
  // A JWT is accepted in one of the headers only, so the digest depends on the header. No token has a space.
  // The digest is made for every request. It is hexadecimal, because Base64 would take 50 % more time.
  const digest = hash('sha256', bearer ? text : `X-API-Key ${text}`, 'hex');
  return { kind: 'one', credential: { text, digest, bearer } };
}
