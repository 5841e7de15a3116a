// Logs in to sources with `auth: { kind: session }`.

import type { ConnectionSpec } from '../../../config/schema/source.ts';
import { compileDecoder } from '../../adapter/read/decode.ts';
import { compilePath } from '../../adapter/spec/path.ts';
import { fault } from '../../../kernel/errors/fault.ts';
import type { UpstreamReply } from '../../../kernel/upstream-call.ts';
import { headerCredential } from '../transport/credential.ts';
import type { Obtain } from './obtained-credential.ts';
import type { Transport } from '../transport/transport.ts';

type Session = Extract<ConnectionSpec['auth'], { kind: 'session' }>;

function loginBody({ login }: Session): { contentType: string; body: string } {
  if ('form' in login) {
    return {
      contentType: 'application/x-www-form-urlencoded',
      body: new URLSearchParams(login.form).toString(),
    };
  }
  return { contentType: 'application/json', body: JSON.stringify(login.json) };
}

function cookieValue(header: string | undefined, name: string): string | undefined {
  // Commas join the lines of Set-Cookie; the value of a cookie contains none (RFC 6265, section 4.1.1).
  const found = (header ?? '').split(/[,;]\s*/).find((part) => part.startsWith(`${name}=`));
  return found?.slice(name.length + 1);
}

/** Compiles the reader of the session's token in the reply to a login: in a cookie or in the body. */
function compileToken({ cookie, token }: Session, decode: ConnectionSpec['decode']) {
  if (cookie !== undefined) return (reply: UpstreamReply) => cookieValue(reply.header('set-cookie'), cookie);
  const read = compileDecoder(decode);
  const find = token === undefined ? () => undefined : compilePath(token);
  return function readToken(reply: UpstreamReply): string | undefined {
    const found = find(read(reply));
    return typeof found === 'string' ? found : undefined;
  };
}

/** Creates the function that obtains a session by a login at the source. The session's token is then sent in a header. */
export function obtainBySession(
  auth: Session,
  decode: ConnectionSpec['decode'],
  transport: Transport,
): Obtain {
  const tokenOf = compileToken(auth, decode);
  return async (base, signal) => {
    const { contentType, body } = loginBody(auth);
    const headers = { 'Content-Type': contentType, Accept: 'application/json' };
    const reply = await transport.send({
      method: 'POST',
      url: base + auth.login.path,
      headers,
      body,
      signal,
    });
    const token = tokenOf(reply);
    if (reply.status >= 400 || token === undefined || !/^[\x21-\x7e]+$/.test(token)) {
      throw fault('upstream_error', {
        detail: `the reply to the login holds no session (HTTP ${reply.status})`,
      });
    }
    const value = auth.value.replaceAll('{session}', token);
    return { credential: headerCredential(auth.header, value), lifetimeMs: auth.lifetime };
  };
}
