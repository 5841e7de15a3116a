import { contentTypesOf } from '../../../config/schema/net/connection.ts';
import type { ConnectionSpec } from '../../../config/schema/source.ts';
import type { UpstreamRequest } from '../../../kernel/upstream-call.ts';
import type { UpstreamCredential } from './credential.ts';
import type { TraceHeaders } from '../../../telemetry/request-span.ts';
import type { TransportRequest } from './transport.ts';

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
