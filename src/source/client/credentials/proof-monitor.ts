// Finds out again and again whether a source still knows Portico's credential, because a service may answer a request with an
// expired credential as if nobody were logged in, with status 200.

import { type GatewayError, refusedCredential } from '../../../kernel/errors/fault.ts';
import type { UpstreamCredential } from '../transport/credential.ts';

/** What a proof request showed about a credential. `isGood` is absent if the request showed nothing, such as a time-out. */
export type ProofResult = { readonly credential: UpstreamCredential; readonly isGood: boolean | undefined };

/** Learns what the proofs of a source show. */
export type ProofListener = {
  /** The source does not know the credential, so what was read since the last good proof may be what anonymous visitors see. */
  readonly failed: (detail: string) => void;
  /** The source knows the credential. The returned promise never rejects. */
  readonly good: () => Promise<void>;
};

/** The monitor of the credential of a source. */
export type ProofMonitor = {
  /**
   * Does some work, after a proof if one is due, and once more if the credential turned out to be bad meanwhile.
   * @throws GatewayError while the source does not know the credential
   */
  guarded<T>(work: () => Promise<T>): Promise<T>;
  /**
   * Asks for a proof because fewer records came than before. `good`: the credential is good. `renewed`: it was bad, so the
   * records must be read again. `unknown`: the proof showed nothing, or was asked a moment ago. @throws GatewayError if the proof
   * fails
   */
  confirm(): Promise<'good' | 'renewed' | 'unknown'>;
  /** Called when another process has learned something about the credential. The next call then asks for a proof. */
  doubt(): void;
  /** Adds a listener; returns the function that removes it. */
  listen(listener: ProofListener): () => void;
};

/** What the monitor needs to ask for proofs. */
export type ProofMonitorDeps = {
  /** Asks the proof request. @throws GatewayError if a credential cannot be obtained */
  readonly ask: () => Promise<ProofResult>;
  /** Discards a credential that has no proof; false if no other one can be obtained now. */
  readonly renew: (refused: UpstreamCredential) => boolean;
  /** Whether it is this process's turn in the fleet to ask for a proof, which comes at most every `everyMs` milliseconds. */
  readonly takeTurn: (name: string, everyMs: number) => Promise<boolean>;
  /** Called for each call that is not sent, because the source does not know the credential. */
  readonly onKeptBack: () => void;
};

/** A good proof is asked again this often, while there are calls. */
const PROVEN_MS = 60_000;
/** A failed proof is asked again this often, while there are calls. */
const FAILED_MS = 10_000;
/** Falling totals cause a proof at most once in this time. */
const FALL_MS = 5_000;

/** The error while the source does not know the credential. It also comes if the service no longer has its proof page. */
function notProven(): GatewayError {
  return refusedCredential('the source took Portico for a visitor: auth.proof.request has shown no account');
}

/** Creates the monitor of a credential whose proof takes a request. */
export function createProofMonitor({ ask, renew, takeTurn, onKeptBack }: ProofMonitorDeps): ProofMonitor {
  const listeners = new Set<ProofListener>();
  let state: 'unknown' | 'good' | 'failed' = 'unknown';
  let failures = 0;
  let dueMs = -Infinity;
  let flight: Promise<boolean | undefined> | undefined;
  let turn: Promise<void> | undefined;

  async function askOnce(): Promise<ProofResult> {
    const result = await ask();
    if (result.isGood === true) state = 'good';
    if (result.isGood === false) {
      if (state !== 'failed') failures += 1;
      state = 'failed';
      for (const { failed } of listeners) failed('auth.proof: the source takes Portico for a visitor');
    }
    return result;
  }

  /** Whether the credential is good; `undefined`: the proof showed nothing. A bad credential is renewed if that is possible. */
  async function prove(): Promise<boolean | undefined> {
    try {
      const { credential, isGood } = await askOnce();
      const last = isGood === false && renew(credential) ? (await askOnce()).isGood : isGood;
      if (last === true) await Promise.all([...listeners].map(({ good }) => good()));
      return last;
    } finally {
      dueMs = performance.now() + (state === 'failed' ? FAILED_MS : PROVEN_MS);
    }
  }

  /** Calls that need a proof at the same time share one. */
  function proveNow(): Promise<boolean | undefined> {
    flight ??= prove().finally(() => (flight = undefined));
    return flight;
  }

  async function proveIfDue(): Promise<void> {
    const everyMs = state === 'failed' ? FAILED_MS : PROVEN_MS;
    if (state === 'unknown' || (await takeTurn(state, everyMs))) await proveNow();
    // Another process asks for the proof and reports the result. If no report comes, this process asks soon.
    else dueMs = performance.now() + FALL_MS;
  }

  async function pass(): Promise<void> {
    if (performance.now() >= dueMs) await (turn ??= proveIfDue().finally(() => (turn = undefined)));
    else if (state === 'failed') await flight;
    if (state !== 'failed') return;
    onKeptBack();
    throw notProven();
  }

  return {
    async guarded(work) {
      await pass();
      const before = failures;
      const value = await work();
      if (failures === before) return value;
      await pass();
      return work();
    },
    async confirm() {
      const before = failures;
      if (flight === undefined && !(await takeTurn('fall', FALL_MS))) return 'unknown';
      const isGood = await proveNow();
      if (state === 'failed') throw notProven();
      if (failures !== before) return 'renewed';
      return isGood === true ? 'good' : 'unknown';
    },
    doubt() {
      [state, dueMs] = ['unknown', -Infinity];
    },
    listen(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}
