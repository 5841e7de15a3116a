// Keeps a credential that must be obtained (by oauth2.ts or session.ts), and obtains another one in time.

import type { UpstreamCredential, CredentialSource } from '../transport/credential.ts';
import { createSingleFlight } from '../../../kernel/single-flight.ts';

/** An obtained credential with its lifetime. */
export type Obtained = { readonly credential: UpstreamCredential; readonly lifetimeMs: number };

/**
 * Obtains a credential. `base`: the base URL of the source, for a login at the source. @throws GatewayError or a network error
 */
export type Obtain = (base: string, signal: AbortSignal) => Promise<Obtained>;

/** A credential is renewed this long before its end, because requests may still be running then. */
const MARGIN_MS = 10_000;

/** A credential that the source neither refuses nor knows is renewed at most once in this time. */
const UNPROVEN_MS = 60_000;

/**
 * Creates the provider of a credential that must be obtained, such as a token or a session. It is obtained once for all callers
 * that need it at the same time, and again shortly before it expires or after the source has refused it.
 */
export function obtainedCredential(obtain: (signal: AbortSignal) => Promise<Obtained>): CredentialSource {
  const flights = createSingleFlight<UpstreamCredential>();
  let unprovenMs = -Infinity;
  /** The error if no other credential could be obtained in place of one without a proof. */
  let failure: { readonly error: unknown } | undefined;
  let held: { readonly credential: UpstreamCredential; readonly until: number } | undefined;

  async function obtainNow(signal: AbortSignal): Promise<UpstreamCredential> {
    const isQuiet = performance.now() < unprovenMs + UNPROVEN_MS;
    if (isQuiet && failure !== undefined) throw failure.error;
    failure = undefined;
    const { credential, lifetimeMs } = await obtain(signal).catch((error: unknown) => {
      if (isQuiet && !signal.aborted) failure = { error };
      throw error;
    });
    held = { credential, until: performance.now() + Math.max(lifetimeMs - MARGIN_MS, lifetimeMs / 2) };
    return credential;
  }

  return {
    held: () => (held !== undefined && performance.now() < held.until ? held.credential : undefined),
    obtain: (signal) => flights.run('credential', signal, obtainNow),
    renew(refused, why) {
      // Another request may have renewed the credential already.
      if (held?.credential !== refused) return true;
      if (why === 'unproven') {
        if (performance.now() < unprovenMs + UNPROVEN_MS) return false;
        unprovenMs = performance.now();
      }
      held = undefined;
      return true;
    },
  };
}
