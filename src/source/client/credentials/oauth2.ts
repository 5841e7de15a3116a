// Obtains access tokens for sources with `auth: { kind: oauth2 }`.

import type { SourceSpec } from '../../../config/schema/source.ts';
import { fault } from '../../../kernel/errors/fault.ts';
import { JsonError, readJson } from '../../../kernel/json/json.ts';
import { headerCredential } from '../transport/credential.ts';
import type { Obtain } from './obtained-credential.ts';
import type { Transport } from '../transport/transport.ts';

type OAuth2 = Extract<SourceSpec['auth'], { kind: 'oauth2' }>;

/** The lifetime of a token if the response does not state it (RFC 6749, section 5.1, only recommends it). */
const LIFETIME_SECONDS = 300;

/** Form encoding of client credentials in a Basic header (RFC 6749, section 2.3.1). */
function basic({ clientId, clientSecret }: OAuth2): string {
  const pair = [clientId, clientSecret.reveal()].map(encodeURIComponent).join(':');
  return `Basic ${Buffer.from(pair).toString('base64')}`;
}

function tokenRequest(auth: OAuth2): { headers: Record<string, string>; body: string } {
  const form = new URLSearchParams({ grant_type: 'client_credentials' });
  if (auth.scope !== undefined) form.set('scope', auth.scope);
  if (auth.audience !== undefined) form.set('audience', auth.audience);
  const headers: Record<string, string> = {
    'Content-Type': 'application/x-www-form-urlencoded',
    Accept: 'application/json',
  };
  if (auth.clientAuth === 'basic') {
    headers['Authorization'] = basic(auth);
  } else {
    form.set('client_id', auth.clientId);
    form.set('client_secret', auth.clientSecret.reveal());
  }
  return { headers, body: form.toString() };
}

function readToken(body: Buffer): { token: string; lifetimeMs: number } {
  try {
    const { access_token: token, expires_in: seconds } = readJson(body.toString('utf8')) as Record<
      string,
      unknown
    >;
    if (typeof token === 'string' && /^[\x21-\x7e]+$/.test(token)) {
      return {
        token,
        lifetimeMs: (typeof seconds === 'number' && seconds > 0 ? seconds : LIFETIME_SECONDS) * 1_000,
      };
    }
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
  }
  throw fault('upstream_error', { detail: 'the reply of the token endpoint holds no access token' });
}

/** Creates the function that obtains access tokens from a token endpoint, by client credentials (RFC 6749, section 4.4). */
export function obtainByOAuth2(auth: OAuth2, transport: Transport): Obtain {
  return async (_base, signal) => {
    const reply = await transport.send({ method: 'POST', url: auth.tokenUrl, ...tokenRequest(auth), signal });
    if (reply.status !== 200) {
      throw fault('upstream_error', {
        detail: `the token endpoint refused Portico's client (HTTP ${reply.status})`,
      });
    }
    const { token, lifetimeMs } = readToken(reply.body);
    return { credential: headerCredential('Authorization', `Bearer ${token}`), lifetimeMs };
  };
}
