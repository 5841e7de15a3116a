import type { UpstreamCredential, CredentialSource } from './credential.ts';
import { createSingleFlight } from '../../kernel/single-flight.ts';

/** A credential that was obtained, and how long it is good for. */
export type Obtained = { readonly credential: UpstreamCredential; readonly lifetimeMs: number };

/** Obtains a credential, of a source's host where that gives it. @throws GatewayError, or what the network throws */
export type Obtain = (base: string, signal: AbortSignal) => Promise<Obtained>;

/** A credential is given up so long before its end, for requests that are under way then. */
const MARGIN_MS = 10_000;

/**
 * A credential that has to be obtained: once for all who need it at a time, again when its time is nearly over or
 * when the source has refused it.
 */
export function obtainedCredential(obtain: (signal: AbortSignal) => Promise<Obtained>): CredentialSource {
  const flights = createSingleFlight<UpstreamCredential>();
  let held: { readonly credential: UpstreamCredential; readonly until: number } | undefined;

  async function obtainNow(signal: AbortSignal): Promise<UpstreamCredential> {
    const { credential, lifetimeMs } = await obtain(signal);
    held = { credential, until: performance.now() + Math.max(lifetimeMs - MARGIN_MS, lifetimeMs / 2) };
    return credential;
  }

  return {
    held: () => (held !== undefined && performance.now() < held.until ? held.credential : undefined),
    obtain: (signal) => flights.run('credential', signal, obtainNow),
    renew(refused) {
      // Another request may have renewed it already.
      if (held?.credential === refused) held = undefined;
      return true;
    },
  };
}
