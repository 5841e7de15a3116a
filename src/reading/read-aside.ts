import type { RuleObserver } from '../adapter/reply-observer.ts';
import type { UpstreamReply } from '../kernel/upstream-call.ts';
import type { ReplyView } from './large-replies/reply-parts.ts';
import type { SourceRuntime } from './source-runtime.ts';

/**
 * Reads a reply of one record, of a count, or of the first rows of a list. A large one is read by a thread, and `read` takes
 * over its first part. @throws GatewayError as `read` does
 */
export function readAside<T>(
  { largeReplies }: SourceRuntime,
  reply: UpstreamReply,
  { view, observer, signal }: { view: ReplyView; observer: RuleObserver; signal: AbortSignal },
  read: (reply: UpstreamReply) => T,
): T | Promise<T> {
  const parts = largeReplies?.parts(reply, observer, signal, view);
  return parts === undefined ? read(reply) : parts.then((found) => read(found?.[0] ?? reply));
}
