// Reads the total of a list: from a count request, or from the reply for the first window.

import type { ReplyEnvelope } from '../../../source/adapter/compile.ts';
import { GatewayError } from '../../../kernel/errors/fault.ts';
import type { UpstreamReply, UpstreamRequest } from '../../../kernel/upstream-call.ts';
import { readInThreadIfLarge } from '../large-replies/large-replies.ts';
import { type TotalIsLowerBound, totalIsLowerBound } from './plan-failure.ts';
import type { CallContext, SourceRuntime } from './source-runtime.ts';

/** Reads the total by a count request. If it cannot be read, the rows must be counted (`totalIsLowerBound`). */
export async function totalOfCount(
  source: SourceRuntime,
  count: UpstreamRequest,
  { signal, usage, priority }: CallContext,
): Promise<number | TotalIsLowerBound> {
  const { adapter, observer, upstream } = source;
  const read = (reply: UpstreamReply) =>
    readInThreadIfLarge(source, reply, { view: 'count', observer, signal }, (part) =>
      adapter.list.readCount(part, observer),
    );
  try {
    return (await upstream.ask(count, read, signal, usage, priority)) ?? totalIsLowerBound;
  } catch (error) {
    if (!(error instanceof GatewayError) || error.reason !== 'total') throw error;
    observer.onMissingValue('total', 'unreadable');
    return totalIsLowerBound;
  }
}

/** The total in the reply for the first window of a list. */
export function totalOfRows({ total, received, isTotalLost }: ReplyEnvelope): number | TotalIsLowerBound {
  // Some sources leave the total out if there are no rows. Then it is 0.
  const isEmpty = received === 0 && isTotalLost !== true;
  return total ?? (isEmpty ? 0 : totalIsLowerBound);
}
