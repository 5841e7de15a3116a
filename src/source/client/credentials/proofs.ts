// Asks a source to prove that it knows Portico's credential (`auth.proof`): in each reply, or by a request of its own
// (proof-monitor.ts).

import type { SourceSpec } from '../../../config/schema/source.ts';
import { GatewayError, refusedCredential } from '../../../kernel/errors/fault.ts';
import type { compileCredentialProof } from '../../adapter/read/credential-proof.ts';
import type { UpstreamReply, UpstreamRequest } from '../../../kernel/upstream-call.ts';
import type { GuardedCall, GuardedClient, GuardedTry } from '../guard/guarded-client.ts';
import type { CredentialSource, UpstreamCredential } from '../transport/credential.ts';
import { createProofMonitor, type ProofResult, type ProofMonitorDeps } from './proof-monitor.ts';

/** The proof of the credential: every reply has it, or the reply to one request. */
export type UpstreamProof = Pick<ProofMonitorDeps, 'takeTurn'> &
  NonNullable<ReturnType<typeof compileCredentialProof>>;

type SentCall = Pick<GuardedCall, 'signal' | 'timings'>;

/** What is needed to ask for proofs. `healthProbe` is a request for the list. */
type ProofsDeps = Pick<ProofMonitorDeps, 'onKeptBack'> & {
  readonly send: (
    request: UpstreamRequest,
    call: SentCall,
    attempt: GuardedTry,
    timeoutMs?: number,
  ) => Promise<{ readonly reply: UpstreamReply; readonly credential: UpstreamCredential }>;
  readonly guard: Pick<GuardedClient, 'runAt'>;
  readonly credentials: CredentialSource;
  readonly healthProbe:
    { readonly request: UpstreamRequest; readonly read: (reply: UpstreamReply) => unknown } | undefined;
  readonly net: Pick<SourceSpec['net'], 'baseUrl' | 'timeout'>;
};

/** The most time that a proof request may take, in milliseconds, because callers wait for it. A longer one shows nothing. */
const PROOF_MS = 2_000;
/** Statuses of a busy service, which say nothing about a credential. */
const BUSY: readonly number[] = [408, 429];
const REFUSED: readonly number[] = [401, 403];

/** A proof is no call of a caller, but callers wait for it. */
const about = { priority: 'caller', method: 'GET' } as const;

/** Creates the proofs of one source's credential. */
export function createProofs(proof: UpstreamProof, deps: ProofsDeps) {
  const { send, guard, credentials, healthProbe, net, onKeptBack } = deps;
  const { request, holds, takeTurn } = proof;
  const lacksProof = (reply: UpstreamReply) => request === undefined && !holds(reply);

  /** @throws GatewayError if a credential cannot be obtained */
  async function ask(asked: UpstreamRequest): Promise<ProofResult> {
    const call = { ...about, signal: new AbortController().signal };
    const held = credentials.held() ?? (await credentials.obtain(call.signal));
    try {
      const { reply, credential } = await guard.runAt(net.baseUrl, call, (attempt) =>
        send(asked, call, attempt, Math.min(PROOF_MS, net.timeout)),
      );
      const isSilent = reply.status >= 500 || BUSY.includes(reply.status);
      // Any other failure counts, also 404: many services hide such a page from visitors, and a credential that
      // cannot be shown to be good must not be served as one.
      return { credential, isGood: isSilent ? undefined : reply.status < 300 && holds(reply) };
    } catch (error) {
      if (!(error instanceof GatewayError)) throw error;
      return { credential: held, isGood: undefined };
    }
  }

  return {
    /** The reason, for `renew`, to renew the credential with which this reply came. */
    whyRenew: (reply: UpstreamReply) =>
      !REFUSED.includes(reply.status) && lacksProof(reply) ? 'unproven' : undefined,
    /**
     * If an error reply, such as 404 for an id, lacks the proof, asks for the list. @throws GatewayError if the list lacks it,
     * too
     */
    async check(checked: UpstreamReply, call: SentCall): Promise<void> {
      if (checked.status < 400 || healthProbe === undefined || !lacksProof(checked)) return;
      await guard.runAt(net.baseUrl, { ...about, ...call }, async (attempt) => {
        const { reply } = await send(healthProbe.request, call, attempt);
        await healthProbe.read(reply);
        if (!holds(reply))
          throw refusedCredential('the source took Portico for a visitor: its list lacks auth.proof');
      });
    },
    /** The monitor of the credential; present if the proof takes a request of its own. */
    monitor:
      request &&
      createProofMonitor({
        ask: () => ask(request),
        renew: (refused) => credentials.renew(refused, 'unproven'),
        takeTurn,
        onKeptBack,
      }),
  };
}
