import type { SourceSpec } from '../config/schema/source.ts';
import { fault, GatewayError } from '../errors/fault.ts';
import type { UpstreamReply, UpstreamRequest, Priority } from '../kernel/upstream-call.ts';
import { retryCall } from './retry-call.ts';
import { type CredentialSource, fixedCredential, namedCredential } from './credentials/credential.ts';
import { watchHealth } from './health.ts';
import { networkFault } from './transport/network-fault.ts';
import { obtainByOAuth2 } from './credentials/oauth2.ts';
import { obtainedCredential, type Obtain, type Obtained } from './credentials/obtained-credential.ts';
import { compileOutgoing } from './transport/outgoing-request.ts';
import { createBulkhead, type TakeToken, type Share } from './bulkhead.ts';
import type { Resilience, CallAttempt } from './resilience.ts';
import { type ReadSession, obtainBySession } from './credentials/session.ts';
import { createTransport, type Transport } from './transport/transport.ts';

/** What a call costs is told to whoever asked for it. */
export type Usage = { upstreamCalls: number; upstreamMs: number };

/** Speaks to one upstream. */
export type Upstream = {
  /**
   * Sends a request and has its reply read. Where the reading finds that the source refused the credential, and
   * another can be obtained, the request is sent once more with that. `usage` is the errand: its calls stay with one
   * host of several. With resilience, a failed request is sent again where that is safe and may help.
   * @throws GatewayError `upstream_unavailable`, `upstream_timeout`, `upstream_error`, `upstream_invalid_response`,
   * `overloaded` where the source's own budget is spent, and whatever `read` throws
   */
  ask<T>(
    request: UpstreamRequest,
    read: (reply: UpstreamReply) => T | Promise<T>,
    signal: AbortSignal,
    usage: Usage,
    priority?: Priority,
  ): Promise<T>;
  /** Calls under way and waiting for a place. */
  readonly load: { readonly active: number; readonly waiting: number };
  close(): void;
};

/** What the client needs besides the source's own file. */
export type UpstreamDeps = {
  /** Called after every exchange; `outcome` is an HTTP status class or the code of the fault. */
  readonly onExchange: (outcome: string, seconds: number) => void;
  /** How fast the source may be asked; absent where nothing bounds it. */
  readonly rate?: TakeToken | undefined;
  /** This process's part of `net.concurrency`; absent where it has all of it. */
  readonly share?: Share | undefined;
  /** Finds the session's token in the reply to a login, for sources with sessions. */
  readonly readSession: ReadSession;
  /** What is known of how the source is; absent where every call goes out, once, to `net.baseUrl`. */
  readonly resilience?: Resilience | undefined;
};

function credentialsOf(
  auth: SourceSpec['auth'],
  transport: Transport,
  readSession: ReadSession,
  logIn: (obtain: Obtain, signal: AbortSignal) => Promise<Obtained>,
): CredentialSource {
  if (auth.kind !== 'oauth2' && auth.kind !== 'session') return fixedCredential(namedCredential(auth));
  const obtain =
    auth.kind === 'oauth2' ? obtainByOAuth2(auth, transport) : obtainBySession(auth, transport, readSession);
  return obtainedCredential((signal) => logIn(obtain, signal));
}

/** Whatever happens, the question is asked. */
function plainTrial({ baseUrl }: SourceSpec['net']): CallAttempt {
  return { start: () => baseUrl, finish: () => undefined, retryDelayMs: () => undefined };
}

/** A question, for whom it is, and who pays. */
type Question = {
  readonly request: UpstreamRequest;
  readonly signal: AbortSignal;
  readonly usage: Usage;
  readonly priority: Priority;
};

/** Why a call is ended whose time is over. */
const LATE = new DOMException('net.timeout is over', 'TimeoutError');

/** Creates the client of one upstream. It keeps connections open; `close` drops them. */
export function createUpstream(
  spec: SourceSpec,
  { onExchange, readSession, rate, share, resilience }: UpstreamDeps,
): Upstream {
  const { net } = spec;
  const transport = createTransport(net);
  const outgoing = compileOutgoing(spec);
  const credentials = credentialsOf(spec.auth, transport, readSession, logIn);
  const { concurrency, queue, requestsPerSecond: perSecond } = net;
  const places = createBulkhead({ concurrency, share, queue, rate, perSecond });
  const checks = resilience && watchHealth(net, resilience.hosts, transport);

  /** What a failure of an exchange is, in our own words. */
  function told(error: unknown, isLate: boolean): GatewayError {
    if (isLate) return fault('upstream_timeout', { detail: 'the source did not answer within net.timeout' });
    return error instanceof GatewayError ? error : networkFault(error);
  }

  /** One exchange within the call's deadline, measured, with its failure told in our own words. */
  async function exchange<T>(
    { signal, usage }: Pick<Question, 'signal' | 'usage'>,
    trial: CallAttempt,
    act: (base: string, signal: AbortSignal) => Promise<T>,
    statusOf: (result: T) => number,
  ): Promise<T> {
    const base = trial.start();
    const start = performance.now();
    // A controller, a timer and a listener: `AbortSignal.any` and `timeout` do the same for several times the price.
    const both = new AbortController();
    const gone = () => both.abort(signal.reason);
    const deadline = setTimeout(() => both.abort(LATE), net.timeout).unref();
    let outcome = 'cancelled';
    try {
      signal.throwIfAborted();
      signal.addEventListener('abort', gone, { once: true });
      const result = await act(base, both.signal);
      outcome = `${Math.floor(statusOf(result) / 100)}xx`;
      return result;
    } catch (error) {
      const failure: unknown = signal.aborted ? signal.reason : told(error, both.signal.reason === LATE);
      if (failure instanceof GatewayError) outcome = failure.code;
      trial.finish(failure, signal.aborted);
      throw failure;
    } finally {
      clearTimeout(deadline);
      signal.removeEventListener('abort', gone);
      const ms = performance.now() - start;
      usage.upstreamCalls += 1;
      usage.upstreamMs += ms;
      onExchange(outcome, ms / 1_000);
    }
  }

  const begin = (usage: Usage, isSafe: boolean) => resilience?.begin(usage, isSafe) ?? plainTrial(net);

  /** A call like any other: it has a place and a right of its own. Whoever needs it waits without. */
  async function logIn(obtain: Obtain, signal: AbortSignal): Promise<Obtained> {
    const usage = { upstreamCalls: 0, upstreamMs: 0 };
    const trial = begin(usage, false);
    const login = () => exchange({ signal, usage }, trial, obtain, () => 200);
    const obtained = await places.run('caller', signal, login);
    trial.finish(undefined, false);
    return obtained;
  }

  async function send({ request, signal, usage, priority }: Question, trial: CallAttempt) {
    let credential = credentials.held() ?? (await credentials.obtain(signal));
    const ask = (base: string, until: AbortSignal) => {
      // There may be another since it waited for its place.
      credential = credentials.held() ?? credential;
      return transport.send({ ...outgoing(request, credential, base), signal: until });
    };
    const call = () => exchange({ signal, usage }, trial, ask, ({ status }) => status);
    const reply = await places.run(priority, signal, call);
    return { reply, credential };
  }

  async function readReply<T>(
    reply: UpstreamReply,
    read: (reply: UpstreamReply) => T | Promise<T>,
    { signal }: Question,
    trial: CallAttempt,
  ): Promise<T> {
    let failure: unknown;
    try {
      return await read(reply);
    } catch (error) {
      failure = error;
      throw error;
    } finally {
      // It has answered: what keeps its reader from an end is not its fault.
      trial.finish(signal.aborted ? undefined : failure, signal.aborted);
    }
  }

  /** Asks with the credential at hand and, where that is refused and there is another, with that. */
  async function askOnce<T>(
    question: Question,
    read: (reply: UpstreamReply) => T | Promise<T>,
    trial: CallAttempt,
  ): Promise<T> {
    const { reply, credential } = await send(question, trial);
    try {
      return await readReply(reply, read, question, trial);
    } catch (error) {
      const refused = error instanceof GatewayError && error.credentialRefused;
      if (!refused || !credentials.renew(credential)) throw error;
    }
    return readReply((await send(question, trial)).reply, read, question, trial);
  }

  return {
    async ask(request, read, signal, usage, priority = 'caller') {
      const question = { request, signal, usage, priority };
      const isSafe = request.method === 'GET' || net.retries.post;
      const trial = begin(usage, isSafe);
      return retryCall(() => askOnce(question, read, trial), trial, signal, resilience);
    },
    get load() {
      return { active: places.active, waiting: places.waiting };
    },
    close() {
      checks?.close();
      transport.close();
    },
  };
}
