import { contentTypesOf } from '../config/content-types.ts';
import type { SourceSpec } from '../config/source-schema.ts';
import type { UpstreamRequest } from '../kernel/upstream.ts';
import type { Credential } from './credential.ts';
import type { TransportRequest } from './transport.ts';

/** A request of a source with everything that its file and its credential add, as it goes out. */
export function outgoing(
  { net, decode }: SourceSpec,
  { method, target, headers, body }: UpstreamRequest,
  credential: Credential,
  base = net.baseUrl,
): Omit<TransportRequest, 'signal'> {
  return {
    method,
    url: base + credential.sign(target),
    headers: {
      Accept: contentTypesOf(decode).join(', '),
      ...net.headers,
      ...headers,
      ...(body && { 'Content-Type': body.contentType }),
      ...credential.headers,
    },
    body: body?.text,
  };
}
