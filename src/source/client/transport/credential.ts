// The credential of Portico at a source, and the request that carries it.

import type { ConnectionSpec, SourceSpec } from '../../../config/schema/source.ts';
import { contentTypesOf } from '../../../config/schema/net/connection.ts';
import type { UpstreamRequest } from '../../../kernel/upstream-call.ts';
import type { TraceHeaders } from '../../../telemetry/request-span.ts';
import type { TransportRequest } from './transport.ts';

/** A credential of Portico at a source, in the form in which it is added to a request. */
export type UpstreamCredential = {
  readonly headers: Readonly<Record<string, string>>;
  /** Adds the credential to the target (path and query) of a request, if it belongs into the query. */
  readonly sign: (target: string) => string;
};

/** Provides the credential of a source; it may have to be obtained first. */
export type CredentialSource = {
  /** The current credential; `undefined` if one must be obtained. */
  held(): UpstreamCredential | undefined;
  /** @throws GatewayError if it cannot be obtained, with the codes of a call to the source */
  obtain(signal: AbortSignal): Promise<UpstreamCredential>;
  /**
   * Discards a credential that the source has refused; false if no other one can be obtained. `unproven`: the source has not
   * refused it, but does not know it either. Then another one is obtained at most once a minute, so that no account is locked.
   */
  renew(refused: UpstreamCredential, why?: 'unproven'): boolean;
};

const unchanged = (target: string) => target;

/** Creates a credential that is sent in one header. */
export function headerCredential(name: string, value: string): UpstreamCredential {
  return { headers: { [name]: value }, sign: unchanged };
}

/** Creates the provider of a credential that never changes. */
export function fixedCredential(credential: UpstreamCredential): CredentialSource {
  return { held: () => credential, obtain: () => Promise.resolve(credential), renew: () => false };
}

type FixedAuth = Extract<SourceSpec['auth'], { kind: 'none' | 'basic' | 'header' | 'query' }>;

/** Creates the credential that stands in a source file. */
export function namedCredential(auth: FixedAuth): UpstreamCredential {
  switch (auth.kind) {
    case 'none':
      return { headers: {}, sign: unchanged };
    case 'basic': {
      const pair = Buffer.from(`${auth.user.reveal()}:${auth.password.reveal()}`, 'utf8').toString('base64');
      return headerCredential('Authorization', `Basic ${pair}`);
    }
    case 'header':
      return headerCredential(auth.name, auth.value.reveal());
    case 'query': {
      const parameter = `${encodeURIComponent(auth.name)}=${encodeURIComponent(auth.value.reveal())}`;
      return { headers: {}, sign: (target) => `${target}${target.includes('?') ? '&' : '?'}${parameter}` };
    }
  }
}

/** Compiles the function that completes a request with the base URL, the headers of the file, the credential and the trace. */
export function compileOutgoing({ net, decode }: ConnectionSpec) {
  const added = { Accept: contentTypesOf(decode).join(', '), ...net.headers };
  return (
    { method, target, headers, body }: UpstreamRequest,
    credential: UpstreamCredential,
    base = net.baseUrl,
    trace?: TraceHeaders,
  ): Omit<TransportRequest, 'signal'> => ({
    method,
    url: base + credential.sign(target),
    headers: {
      ...trace,
      ...added,
      ...headers,
      ...(body && { 'Content-Type': body.contentType }),
      ...credential.headers,
    },
    body: body?.text,
  });
}
