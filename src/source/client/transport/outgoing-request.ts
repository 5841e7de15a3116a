import { contentTypesOf } from '../../../config/schema/net/connection.ts';
import type { ConnectionSpec } from '../../../config/schema/source.ts';
import type { UpstreamRequest } from '../../../kernel/upstream-call.ts';
import type { UpstreamCredential } from './credential.ts';
import type { TraceHeaders } from '../../../telemetry/request-span.ts';
import type { TransportRequest } from './transport.ts';

/** Builds the outgoing request, with everything that the source's file and its credential add. */
export type Outgoing = (
  request: UpstreamRequest,
  credential: UpstreamCredential,
  base?: string,
  trace?: TraceHeaders,
) => Omit<TransportRequest, 'signal'>;

/** Compiles what a source's file adds to its requests. */
export function compileOutgoing({ net, decode }: ConnectionSpec): Outgoing {
  const added = { Accept: contentTypesOf(decode).join(', '), ...net.headers };
  return ({ method, target, headers, body }, credential, base = net.baseUrl, trace) => ({
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
