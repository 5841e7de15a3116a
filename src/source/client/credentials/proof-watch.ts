// Watches whether a source still knows the credential: a service may serve a dead one as a visitor's, with status 200.

import { type GatewayError, refusedCredential } from '../../../kernel/errors/fault.ts';
import type { UpstreamCredential } from '../transport/credential.ts';

/** What a proof request showed of a credential; `isGood` is absent if it showed nothing, as a time-out does. */
export type ProofResult = { readonly credential: UpstreamCredential; readonly isGood: boolean | undefined };

/** Is told what the proofs of a source show. */
export type ProofListener = {
  /** The source does not know the credential: what was read since the last good proof may be a visitor's. */
  readonly failed: (detail: string) => void;
  /** The source knows the credential. It never rejects. */
  readonly good: () => Promise<void>;
};

/** The proofs of a source's credential. */
export type ProofWatch = {
  /**
   * Does some work, after a proof where one is due, and again if the credential has been renewed meanwhile.
   * @throws GatewayError while the source does not know the credential
   */
  guarded<T>(work: () => Promise<T>): Promise<T>;
  /**
   * Asks for a proof because fewer records came than before: `good`; `renewed`, so that they must be read again; or
   * `unknown`, because the proof showed nothing or was asked a moment ago. @throws GatewayError if it fails
   */
  confirm(): Promise<'good' | 'renewed' | 'unknown'>;
  /** Another process has learned something: the next call asks for a proof of its own. */
  doubt(): void;
  /** Returns what ends it. */
  listen(listener: ProofListener): () => void;
};

/** What proofs are asked with. Times are milliseconds. */
export type ProofWatchDeps = {
  /** Asks the proof request. @throws GatewayError if a credential cannot be obtained */
  readonly ask: () => Promise<ProofResult>;
  /** Discards a credential that has no proof; false if no other can be had for now. */
  readonly renew: (refused: UpstreamCredential) => boolean;
  /** Whether it is this process' turn in the fleet to ask for a proof. */
  readonly takeTurn: (name: string, everyMs: number) => Promise<boolean>;
  /** Hears of each call that is kept back. */
  readonly onKeptBack: () => void;
};

const PROVEN_MS = 60_000;
/** A failed proof is asked again this often, while there are calls. */
const FAILED_MS = 10_000;
/** Falling totals cause a proof at most once in this time. */
const FALL_MS = 5_000;

/** The error while the source does not know the credential. A service that has removed its proof page looks the same. */
function notProven(): GatewayError {
  return refusedCredential('the source took Portico for a visitor: auth.proof.request has shown no account');
}

/** Creates the watch over a credential whose proof takes a request. */
export function createProofWatch({ ask, renew, takeTurn, onKeptBack }: ProofWatchDeps): ProofWatch {
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

  /** Whether the credential is good; `undefined`: nothing was learned. A bad one is renewed where that is possible. */
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
