// Makes the tokens of the operator's listener from the configuration, and finds the one that a request presents.

import { hash, timingSafeEqual } from 'node:crypto';
import type { GatewayConfig } from '../../config/schema/gateway.ts';
import type { Role } from '../api/action.ts';

/** A token of the operator's listener. Its SHA-256 is kept, because a comparison in constant time needs equal lengths. */
export type AdminToken = { readonly name: string; readonly role: Role; readonly digest: Buffer };

const digestOf = (text: string) => hash('sha256', text, 'buffer');

/** The tokens of a configuration. `admin.token` is the operator named "admin". */
export function adminTokens({ token, tokens }: Pick<GatewayConfig['admin'], 'token' | 'tokens'>) {
  const named = tokens.map(({ name, role, token: text, hash: hex }): AdminToken => {
    return { name, role, digest: text ? digestOf(text.reveal()) : Buffer.from(hex ?? '', 'hex') };
  });
  if (token === undefined) return named;
  return [{ name: 'admin', role: 'operator' as const, digest: digestOf(token.reveal()) }, ...named];
}

/** Whether two tokens have the same text, name and role. */
export function isSameToken(one: AdminToken, other: AdminToken): boolean {
  return one.name === other.name && one.role === other.role && one.digest.equals(other.digest);
}

/** Finds the token that was presented. It compares every token, so that its duration reveals nothing. */
export function findToken(tokens: readonly AdminToken[], text: string): AdminToken | undefined {
  const presented = digestOf(text);
  let found: AdminToken | undefined;
  for (const token of tokens)
    if (token.digest.length === presented.length && timingSafeEqual(token.digest, presented)) found = token;
  return found;
}
