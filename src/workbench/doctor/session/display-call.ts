import type { SourceSpec } from '../../../config/schema/source.ts';
import type { UpstreamRequest } from '../../../kernel/upstream-call.ts';
import { compileOutgoing } from '../../../source/client/transport/outgoing-request.ts';
import { MASK } from '../../../kernel/secret.ts';
import { maskedCredential } from './masked-source.ts';

/** An upstream call as it may be displayed: secrets are `***`. */
export type DisplayedCall = {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
};

/** Asterisks that were percent-encoded on their way into a query. */
const ENCODED_MASK = MASK.replaceAll('*', '%2A');

/** A request as it may be displayed; it was made from the masked source. */
export function callToDisplay(masked: SourceSpec, request: UpstreamRequest): DisplayedCall {
  const { method, url, headers, body } = compileOutgoing(masked)(request, maskedCredential(masked));
  const readable = (text: string) => text.replaceAll(ENCODED_MASK, MASK);
  return { method, url: readable(url), headers, ...(body !== undefined && { body: readable(body) }) };
}
