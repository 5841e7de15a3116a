// Stands in for a live source: gives the replies of a recorded case, for `portico test`, and for `test --record`, which checks
// so that what it has recorded can be replayed.

import type { RecordedExchange } from '../../../config/fixture/fixture-schema.ts';
import { fault } from '../../../kernel/errors/fault.ts';
import type { UpstreamReply, UpstreamRequest } from '../../../kernel/upstream-call.ts';
import type { Upstream } from '../../../source/client/client.ts';
import { isSameRequest } from './same-request.ts';

/** An upstream that gives recorded replies, each as often as it was recorded, and remembers what was asked. */
export type Replay = {
  readonly upstream: Upstream;
  /** Requests for which no recorded exchange was left, as `METHOD target body`. */
  readonly unexpected: readonly string[];
  /** Recorded requests that were not made. */
  unasked(): readonly string[];
};

function requestText(method: string, target: string, body: string | undefined): string {
  return [method, target, ...(body === undefined ? [] : [body])].join(' ');
}

/** The reply of an exchange, as the source gave it. */
export function replyOf({ reply }: RecordedExchange): UpstreamReply {
  const headers = new Map(Object.entries(reply.headers).map(([name, value]) => [name.toLowerCase(), value]));
  const body =
    reply.base64 === undefined ? Buffer.from(reply.body ?? '') : Buffer.from(reply.base64, 'base64');
  return { status: reply.status, header: (name) => headers.get(name), body };
}

/** How exchanges are replayed. */
export type ReplayOptions = {
  /** Finds the request as it was recorded, if it differs: with masked secrets, or with other values. */
  readonly counterpart?: (request: UpstreamRequest) => UpstreamRequest | undefined;
  /** Called for each exchange, with the request that it was replayed for. */
  readonly onReplayed?: (exchange: RecordedExchange, request: UpstreamRequest) => void;
};

/** Creates an upstream that replays exchanges. */
export function createReplay(
  exchanges: readonly RecordedExchange[],
  { counterpart, onReplayed }: ReplayOptions = {},
): Replay {
  const left = [...exchanges];
  const unexpected: string[] = [];
  return {
    unexpected,
    unasked: () => left.map(({ request }) => requestText(request.method, request.target, request.body)),
    upstream: {
      ask(request, read, _signal, usage) {
        usage.upstreamCalls += 1;
        const other = counterpart?.(request) ?? request;
        const index = left.findIndex(
          ({ request: recorded }) => isSameRequest(recorded, request) || isSameRequest(recorded, other),
        );
        const [exchange] = index < 0 ? [] : left.splice(index, 1);
        if (exchange === undefined) {
          unexpected.push(requestText(request.method, request.target, request.body?.text));
          return Promise.reject(fault('upstream_error', { detail: 'no reply to this request was recorded' }));
        }
        onReplayed?.(exchange, request);
        return new Promise((resolve) => resolve(read(replyOf(exchange))));
      },
      load: { active: 0, waiting: 0, allowed: 1 },
      close: () => undefined,
    },
  };
}
