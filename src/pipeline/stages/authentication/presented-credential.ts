import { hash } from 'node:crypto';
import type { RequestFacts } from '../call.ts';
import type { CallerCredential } from './credential-result.ts';

/** What a request presents: nothing, one credential, or something that cannot be one. */
export type Presented =
  | { readonly kind: 'none' }
  | { readonly kind: 'malformed' }
  | { readonly kind: 'one'; readonly credential: CallerCredential };

const VALUE_LENGTH_MAX = 8 * 1024;

/** Visible ASCII, no spaces: what every key and every JWT is made of. */
const TOKEN = /^[\x21-\x7e]+$/;

/** RFC 6750, section 2.1; the scheme's name is case-insensitive (RFC 9110, section 11.1). */
const BEARER = /^bearer +([\x21-\x7e]+)$/i;

function bearerToken(value: string): string | undefined {
  return value.length > VALUE_LENGTH_MAX ? undefined : BEARER.exec(value)?.[1];
}

function plainToken(value: string): string | undefined {
  return value.length > VALUE_LENGTH_MAX || !TOKEN.test(value) ? undefined : value;
}

/** The one token that all values hold; `undefined` if there are several, or a value holds none. */
function onlyToken(authorization: readonly string[], apiKey: readonly string[]): string | undefined {
  // Almost every request has one value.
  if (apiKey.length === 0 && authorization.length === 1) return bearerToken(authorization[0] ?? '');
  const tokens = [...authorization.map(bearerToken), ...apiKey.map(plainToken)];
  const [text] = tokens;
  return tokens.every((token) => token === text) ? text : undefined;
}

/**
 * Collects the credential of a request from `Authorization: Bearer` and `X-API-Key`. The same one may stand in
 * several places; two different ones, or any value that is no credential, make the request malformed.
 */
export function presentedCredential({
  authorization,
  apiKey,
}: Pick<RequestFacts, 'authorization' | 'apiKey'>): Presented {
  if (authorization.length === 0 && apiKey.length === 0) return { kind: 'none' };
  const text = onlyToken(authorization, apiKey);
  if (text === undefined) return { kind: 'malformed' };
  const bearer = authorization.length > 0;
  // A JWT is good in one place only, so the places must not share what is remembered. No token has a space.
  // Made for every request: Base64 would cost half as much again.
  const digest = hash('sha256', bearer ? text : `X-API-Key ${text}`, 'hex');
  return { kind: 'one', credential: { text, digest, bearer } };
}
