import type { Agent, ClientRequest, IncomingMessage } from 'node:http';
import type { Stream } from 'node:stream';
import type { RequestContext } from '../listener/request-context.ts';
import type { HeaderLines } from './headers.ts';
import type { PathMap } from './path.ts';

/** Where an upstream is, as httpxy reads it: text would be parsed anew, twice, for every request. */
export type Destination = {
  readonly protocol: string;
  /** A name or an address, the latter without brackets. */
  readonly host: string;
  readonly hostname: string;
  readonly port: string;
  readonly agent: Agent;
  /** What requests are told of where they go. */
  readonly url: URL;
};

/** One request on its way to an upstream, with everything about it decided but the host. */
export type ProxyRequest = {
  readonly req: IncomingMessage;
  readonly context: RequestContext;
  /** Aborts when the client has gone or the deadline is spent. */
  readonly signal: AbortSignal;
  /** Path and query of the request line. */
  readonly path: string;
  /** All header lines for the upstream, by lower-case name; but `host`. */
  readonly headers: HeaderLines;
  /** The request body where it is not the request itself. */
  readonly body: Stream | undefined;
  /** Whether the request may be sent a second time. */
  readonly isRepeatable: boolean;
  readonly map: PathMap;
  /** The host by which the caller knows us. */
  readonly host: string | undefined;
  /** Whether the answer is for the caller only, where the upstream does not say. */
  readonly isPrivate: boolean;
  readonly progress: ProxyProgress;
};

/** Who is waited for. */
export type ProxyProgress = {
  /** The call that is under way, once it has a connection. */
  call: ClientRequest | undefined;
  /** Whether the upstream has begun to answer. */
  hasResponse: boolean;
  /** Since when it is the upstream: the last moment in which the client had something to do, on the monotonic clock. */
  upstreamWaitSince: number;
};

/** Whether what is waited for is the client: the rest of its request is not there, and the upstream would take it. */
export function isWaitingForClient({ call }: ProxyProgress, req: IncomingMessage): boolean {
  if (req.complete || call === undefined) return false;
  return call.socket?.connecting === false && !call.writableNeedDrain;
}
