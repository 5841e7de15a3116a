import type { RuleObserver } from '../../../source/adapter/map/reply-observer.ts';
import type { UpstreamReply } from '../../../kernel/upstream-call.ts';
import type { LargeReplies } from './large-replies.ts';
import type { ReplyView } from './reply-parts.ts';

/**
 * Reads a reply of one record, of a count, or of the first rows of a list. A large one is read by a thread, and `read` takes
 * over its first part. @throws GatewayError as `read` does
 */
export function readAside<T>(
  { largeReplies }: { readonly largeReplies?: Pick<LargeReplies, 'parts'> },
  reply: UpstreamReply,
  { view, observer, signal }: { view: ReplyView; observer: RuleObserver; signal: AbortSignal },
  read: (reply: UpstreamReply) => T,
): T | Promise<T> {
  const parts = largeReplies?.parts(reply, observer, signal, view);
  return parts === undefined ? read(reply) : parts.then((found) => read(found?.[0] ?? reply));
}
