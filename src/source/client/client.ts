// The client of a source: it sends requests with the credential, obtains credentials, and guards the source and its callers.

import type { ConnectionSpec } from '../../config/schema/source.ts';
import { fault, GatewayError } from '../../kernel/errors/fault.ts';
import type { Priority, UpstreamReply, UpstreamRequest } from '../../kernel/upstream-call.ts';
import {
  type CredentialSource,
  fixedCredential,
  namedCredential,
  type UpstreamCredential,
  compileOutgoing,
} from './transport/credential.ts';
import { obtainByOAuth2 } from './credentials/oauth2.ts';
import { obtainedCredential, type Obtain, type Obtained } from './credentials/obtained-credential.ts';
import type { ProofMonitor } from './credentials/proof-monitor.ts';
import { createProofs, type UpstreamProof } from './credentials/proofs.ts';
import { obtainBySession } from './credentials/session.ts';
import {
  createGuardedClient,
  type GuardedCall,
  type GuardedClient,
  type GuardedClientDeps,
  type GuardedTry,
} from './guard/guarded-client.ts';
import type { Usage } from './guard/exchange.ts';
import type { AskHealthProbe } from '../resilience/health-check.ts';
import type { TraceHeaders } from '../../telemetry/request-span.ts';
import { timed } from '../../telemetry/requests/request-timings.ts';
import { networkFault } from './transport/network-fault.ts';
import { createTransport, type Transport } from './transport/transport.ts';

/** Reads a reply of the source. */
type Read<T> = (reply: UpstreamReply) => T | Promise<T>;

/** The client of one source. */
export type Upstream = {
  /**
   * Sends a request and reads its reply. If `read` reports that the source refused the credential and another one can be
   * obtained, the request is sent once more with the new one. With resilience, a failed request is retried if that is safe and
   * may help. `usage` counts the calls. Calls with the same `usage` stay at one host.
   * @throws GatewayError `upstream_unavailable`, `upstream_timeout`, `upstream_error`, `upstream_invalid_response`, `overloaded`
   * without a free slot, and whatever `read` throws
   */
  ask<T>(
    request: UpstreamRequest,
    read: Read<T>,
    signal: AbortSignal,
    usage: Usage,
    priority?: Priority,
  ): Promise<T>;
  /** The numbers of running and waiting calls, and how many may run. */
  readonly load: GuardedClient['load'];
  /** The monitor of the credential; present if the file names a request that proves it. */
  readonly proofs?: Pick<ProofMonitor, 'confirm' | 'doubt' | 'listen'> | undefined;
  close(): void;
};

/** The client of one source, which can also send its health probe. */
export type CheckableUpstream = Upstream & {
  /** Sends a host the health probe beside all slots; `undefined`: the source has none. Never rejects. */
  readonly askHealthProbe: AskHealthProbe;
};

/** The request that shows if a source is well: the first row of a list. `read` throws if the reply is no good answer. */
export type HealthProbe = { readonly request: UpstreamRequest; readonly read: Read<unknown> };

/** What the client of a source needs besides the source file. */
export type UpstreamDeps = GuardedClientDeps & {
  /** Absent: the source has no health probe. */
  readonly healthProbe?: HealthProbe | undefined;
  /** The proof of the credential; absent: a credential is good until the source refuses it. */
  readonly proof?: UpstreamProof | undefined;
};

const TIMED_OUT = new DOMException('net.timeout is over', 'TimeoutError');

/**
 * Runs one exchange until its caller gives up or `timeoutMs` are over. Its failures become GatewayErrors.
 * @throws unknown the signal's reason once the signal has aborted
 */
async function withinTimeout<R>(
  signal: AbortSignal,
  timeoutMs: number,
  act: (signal: AbortSignal) => Promise<R>,
): Promise<R> {
  // A controller, a timer and a listener, because `AbortSignal.any` and `timeout` take several times as long.
  const controller = new AbortController();
  const abort = () => controller.abort(signal.reason);
  const timer = setTimeout(() => controller.abort(TIMED_OUT), timeoutMs).unref();
  try {
    signal.throwIfAborted();
    signal.addEventListener('abort', abort, { once: true });
    return await act(controller.signal);
  } catch (error) {
    signal.throwIfAborted();
    if (controller.signal.reason === TIMED_OUT)
      throw fault('upstream_timeout', { detail: 'the source did not answer within net.timeout' });
    throw error instanceof GatewayError ? error : networkFault(error);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', abort);
  }
}

/** A text that is equal for requests that ask the source the same. */
function questionOf({ target, body }: UpstreamRequest): string {
  return body === undefined ? target : target + body.text;
}

/** The health probe as a call. It has no trace, so no span is made of it. */
const healthProbeCall = { priority: 'caller', method: 'GET' } as const;

/** The parts of a call that sending a request and reading its reply need. */
type SentCall = Pick<GuardedCall, 'signal' | 'timings'>;

async function readReply<T>(
  reply: UpstreamReply,
  read: Read<T>,
  { signal, timings }: SentCall,
  attempt: GuardedTry,
): Promise<T> {
  const startMs = performance.now();
  let failure: unknown;
  try {
    return await read(reply);
  } catch (error) {
    failure = error;
    throw error;
  } finally {
    timings?.add('read', startMs, performance.now());
    // The source has answered, so it is not to blame if the caller gave up while the reply was read.
    attempt.finish(signal.aborted ? undefined : failure, signal.aborted);
  }
}

type LogIn = (obtain: Obtain, signal: AbortSignal) => Promise<Obtained>;

/** Creates the function that logs in. A login needs a slot and a token like any call. The calls that wait for it hold no slot. */
function compileLogIn(guard: GuardedClient, timeoutMs: number): LogIn {
  return function logIn(obtain, signal) {
    const about = { affinity: {}, isSafe: false, question: 'login', method: 'POST' };
    return guard.run({ signal, priority: 'caller', ...about }, async (attempt) => {
      const send = (base: string) => withinTimeout(signal, timeoutMs, (until) => obtain(base, until));
      const obtained = await attempt.exchange({ send, statusOf: () => 200 });
      attempt.finish(undefined, false);
      return obtained;
    });
  };
}

function createCredentials(
  { auth, decode }: ConnectionSpec,
  transport: Transport,
  logIn: LogIn,
): CredentialSource {
  if (auth.kind !== 'oauth2' && auth.kind !== 'session') return fixedCredential(namedCredential(auth));
  const obtain =
    auth.kind === 'oauth2' ? obtainByOAuth2(auth, transport) : obtainBySession(auth, decode, transport);
  return obtainedCredential((signal) => logIn(obtain, signal));
}

/** Creates the function that sends a request with the current credential, which it obtains first if there is none. */
function createSend(spec: ConnectionSpec, transport: Transport, credentials: CredentialSource) {
  const outgoing = compileOutgoing(spec);
  return async function send(
    request: UpstreamRequest,
    { signal, timings }: SentCall,
    attempt: GuardedTry,
    timeoutMs = spec.net.timeout,
  ) {
    let credential: UpstreamCredential =
      credentials.held() ?? (await timed(timings, 'login', credentials.obtain(signal)));
    const exchange = (base: string, trace: TraceHeaders | undefined) =>
      withinTimeout(signal, timeoutMs, (until) => {
        // The credential may have been renewed while the call waited for its slot.
        credential = credentials.held() ?? credential;
        return transport.send({ ...outgoing(request, credential, base, trace), signal: until });
      });
    const reply = await attempt.exchange({ send: exchange, statusOf: ({ status }) => status });
    return { reply, credential };
  };
}

/** Creates the client of one source. It keeps connections open; `close` closes them. */
export function createUpstream(
  spec: ConnectionSpec,
  { healthProbe, proof, ...deps }: UpstreamDeps,
): CheckableUpstream {
  const { net } = spec;
  const transport = createTransport(net);
  const guard = createGuardedClient(net, deps);
  const logIn = compileLogIn(guard, net.timeout);
  const credentials = createCredentials(spec, transport, logIn);

  const send = createSend(spec, transport, credentials);
  const onKeptBack = () => deps.onExchange('not_sent', 'credential');
  const proofs = proof && createProofs(proof, { send, guard, credentials, healthProbe, net, onKeptBack });
  const monitor = proofs?.monitor;

  async function readProven<T>(reply: UpstreamReply, read: Read<T>, call: SentCall, attempt: GuardedTry) {
    const value = await readReply(reply, read, call, attempt);
    await proofs?.check(reply, call);
    return value;
  }
  const readSent = proofs === undefined ? readReply : readProven;

  /** Sends with the current credential. If it is refused and another one can be obtained, sends once more with the new one. */
  async function sendAndRead<T>(
    request: UpstreamRequest,
    read: Read<T>,
    call: SentCall,
    attempt: GuardedTry,
    timeoutMs?: number,
  ): Promise<T> {
    const { reply, credential } = await send(request, call, attempt, timeoutMs);
    try {
      return await readSent(reply, read, call, attempt);
    } catch (error) {
      const isRefused = error instanceof GatewayError && error.credentialRefused;
      if (!isRefused || !credentials.renew(credential, proofs?.whyRenew(reply))) throw error;
    }
    return readSent((await send(request, call, attempt, timeoutMs)).reply, read, call, attempt);
  }

  async function askHealthProbe(base: string, timeoutMs: number): Promise<boolean | undefined> {
    if (healthProbe === undefined) return undefined;
    const call = { ...healthProbeCall, signal: new AbortController().signal };
    try {
      await guard.runBeside(base, call, (attempt) =>
        sendAndRead(healthProbe.request, healthProbe.read, call, attempt, timeoutMs),
      );
      return true;
    } catch (error) {
      return error instanceof GatewayError && error.sourceHealth?.isHealthy === true;
    }
  }

  return {
    askHealthProbe,
    async ask(request, read, signal, usage, priority = 'caller') {
      const isSafe = request.method === 'GET' || net.retries.post;
      const { method, window } = request;
      const sent = { method, window, isSafe, question: questionOf(request) };
      const { spans: trace, timings } = usage;
      const call = { ...sent, signal, priority, usage, trace, timings, affinity: usage };
      const run = () => guard.run(call, (attempt) => sendAndRead(request, read, call, attempt));
      return monitor === undefined ? run() : monitor.guarded(run);
    },
    proofs: monitor,
    get load() {
      return guard.load;
    },
    close() {
      guard.close();
      transport.close();
    },
  };
}
