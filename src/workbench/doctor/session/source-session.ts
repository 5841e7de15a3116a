// Sessions with a source: every call of doctor, infer and a recording goes through one, with a log and a budget.

import type { Exchange } from '../../../source/checks/evidence/ask.ts';
import type { ConnectionSpec } from '../../../config/schema/source.ts';
import { GatewayError, toGatewayError } from '../../../kernel/errors/fault.ts';
import type { UpstreamReply, UpstreamRequest } from '../../../kernel/upstream-call.ts';
import { createUpstream, type Upstream } from '../../../source/client/client.ts';

/** What a session may spend. Calls are exchanges on the wire: one that is sent again counts again. */
export type SessionBudget = { readonly callsMax?: number; readonly bytesMax?: number };

/** Thrown in place of a call that the budget of a session does not allow. */
export class SessionBudgetSpent extends Error {
  readonly unit: 'calls' | 'bytes';
  readonly max: number;

  constructor(unit: 'calls' | 'bytes', max: number) {
    super(`the budget of ${max} ${unit} is spent`);
    this.unit = unit;
    this.max = max;
  }
}

/** An entry of the call log. The request has no credential, but may hold secrets that the file fills in. */
export type SessionCall = {
  readonly request: UpstreamRequest;
  /** Absent if no reply came, or if the session does not keep replies. */
  reply: UpstreamReply | undefined;
  /** The time of the exchanges themselves, without the wait for their turn (`net.concurrency`), in milliseconds. */
  ms: number;
  problem: GatewayError | undefined;
};

/** How a session is opened. */
export type SessionOptions = SessionBudget & {
  /** Whether the log keeps replies with their bodies; by default they are dropped once they are read. */
  readonly keepsReplies?: boolean;
};

/**
 * A session of a command with one source. Every call goes through its client, which keeps a log and a budget. The
 * pace is that of the source's file (`net.concurrency`).
 */
export type SourceSession = {
  /** The client. It throws SessionBudgetSpent, and what the client of the gateway throws. */
  readonly upstream: Upstream;
  /** The call log, in the order in which the calls were made. */
  readonly calls: readonly SessionCall[];
  /** The number of exchanges, including those of sessions within this one. */
  readonly callsMade: number;
  readonly callsLeft: number;
  /**
   * Asks once, and returns the reply even if it cannot be read as the file says. @throws SourceUnreachable, SessionBudgetSpent
   */
  exchange<T>(
    request: UpstreamRequest,
    read: (reply: UpstreamReply) => T,
    signal: AbortSignal,
  ): Promise<Exchange<T>>;
  /**
   * A session within this one, with its own log and budget, through the same client or another. Its calls are charged to both.
   */
  openPart(options: SessionOptions, upstream?: Upstream): SourceSession;
  close(): void;
};

/** Thrown if the source did not answer, or says that it is unavailable. */
export class SourceUnreachable extends Error {}

/** Counts the calls and bytes of a session. */
type Ledger = {
  readonly check: () => void;
  readonly charge: (calls: number, bytes: number) => void;
  readonly callsLeft: () => number;
};

/**
 * The calls and bytes of one session. `check` throws SessionBudgetSpent if this session or the one around it has spent its
 * budget.
 */
function createLedger({ callsMax, bytesMax }: Required<SessionBudget>, parent?: Ledger) {
  const spent = { calls: 0, bytes: 0 };
  return {
    spent,
    check(): void {
      if (spent.calls >= callsMax) throw new SessionBudgetSpent('calls', callsMax);
      if (spent.bytes > bytesMax) throw new SessionBudgetSpent('bytes', bytesMax);
      parent?.check();
    },
    callsLeft: (): number => Math.max(0, Math.min(callsMax - spent.calls, parent?.callsLeft() ?? Infinity)),
    charge(calls: number, bytes: number): void {
      spent.calls += calls;
      spent.bytes += bytes;
      parent?.charge(calls, bytes);
    },
  };
}

/** A client whose calls are logged and charged. */
function recordCalls(
  upstream: Upstream,
  ledger: Ledger,
  calls: SessionCall[],
  keepsReplies: boolean,
): Upstream['ask'] {
  return async function ask(request, read, signal, usage, priority) {
    ledger.check();
    // Charged before it is made, so that calls side by side cannot exceed the budget.
    ledger.charge(1, 0);
    const call: SessionCall = { request, reply: undefined, ms: 0, problem: undefined };
    calls.push(call);
    const cost = { upstreamCalls: 0, upstreamMs: 0 };
    let bytes = 0;
    const keep = (reply: UpstreamReply) => {
      bytes += reply.body.length;
      if (keepsReplies) call.reply = reply;
      return read(reply);
    };
    try {
      return await upstream.ask(request, keep, signal, cost, priority);
    } catch (error) {
      call.problem = toGatewayError(error);
      throw error;
    } finally {
      call.ms = cost.upstreamMs;
      usage.upstreamCalls += cost.upstreamCalls;
      usage.upstreamMs += cost.upstreamMs;
      ledger.charge(cost.upstreamCalls - 1, bytes);
    }
  };
}

async function exchangeOnce<T>(
  { ask }: Pick<Upstream, 'ask'>,
  request: UpstreamRequest,
  read: (reply: UpstreamReply) => T,
  signal: AbortSignal,
): Promise<Exchange<T>> {
  let reply: UpstreamReply | undefined;
  const keep = (received: UpstreamReply) => {
    reply = received;
    return read(received);
  };
  try {
    const value = await ask(request, keep, signal, { upstreamCalls: 0, upstreamMs: 0 });
    if (reply === undefined) throw new Error('a value is read from a reply');
    return { request, reply, value, problem: undefined };
  } catch (problem) {
    if (!(problem instanceof GatewayError)) throw problem;
    if (reply === undefined || problem.code === 'upstream_unavailable')
      throw new SourceUnreachable(problem.detail ?? problem.message);
    return { request, reply, value: undefined, problem };
  }
}

/** Opens a session over a client, such as a replay. Closing the session closes the client. */
export function createSession(
  client: Upstream,
  { callsMax = Infinity, bytesMax = Infinity, keepsReplies = false }: SessionOptions = {},
  parent?: Ledger,
): SourceSession {
  const ledger = createLedger({ callsMax, bytesMax }, parent);
  const calls: SessionCall[] = [];
  const upstream: Upstream = {
    ask: recordCalls(client, ledger, calls, keepsReplies),
    get load() {
      return client.load;
    },
    close: () => client.close(),
  };
  return {
    upstream,
    calls,
    get callsMade() {
      return ledger.spent.calls;
    },
    get callsLeft() {
      return ledger.callsLeft();
    },
    exchange: (request, read, signal) => exchangeOnce(upstream, request, read, signal),
    openPart: (options, other = { ...client, close: () => undefined }) =>
      createSession(other, options, ledger),
    close: () => client.close(),
  };
}

/** The client of a live source for commands: without Redis, other hosts and retries. */
export function createCommandClient(spec: ConnectionSpec): Upstream {
  return createUpstream(spec, { onExchange: () => undefined });
}

/** Opens a session with a live source. Its connection is enough: `infer` has no more of a source file yet. */
export function openSession(spec: ConnectionSpec, options?: SessionOptions): SourceSession {
  return createSession(createCommandClient(spec), options);
}
