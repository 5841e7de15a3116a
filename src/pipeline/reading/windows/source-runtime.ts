// What reads one resource from one source while the gateway runs; all files of `reading` work with it.

import type { Adapter } from '../../../source/adapter/compile.ts';
import type { Capability } from '../../../source/adapter/spec/capability.ts';
import type { ReplyObserver } from '../../../source/adapter/map/reply-observer.ts';
import type { SourceSpec } from '../../../config/schema/source.ts';
import type { CanonicalRecord } from '../../../contract/response-body.ts';
import type { Resource } from '../../../contract/resource.ts';
import type { Clock } from '../../../kernel/clock.ts';
import type { SourceCall } from '../../stages/call.ts';
import type { Upstream } from '../../../source/client/client.ts';
import type { ResourceClaims } from '../../../store/disabled-claims.ts';
import type { LargeReplies } from '../large-replies/large-replies.ts';
import type { PlanFailure } from './plan-failure.ts';
import type { Verifications } from './verifications.ts';

/** Gets what replies of a source show (missing values, contradicted claims), for the log and the metrics. */
export type SourceObserver = ReplyObserver & {
  /** Called when a reply contradicted a claim, and the claim was disabled. */
  readonly contradicted: (capability: Capability) => void;
};

/** The claims of a resource that replies have contradicted, so that plans do not use them. */
export type RuntimeClaims = Pick<ResourceClaims, 'disabled' | 'disable'>;

/** Disables a claim that was proved wrong, and reports it unless it was disabled already. */
export function disableClaim(
  { claims, observer }: SourceRuntime,
  capability: Capability,
  detail: string,
): void {
  if (claims.disable(capability, detail)) observer.contradicted(capability);
}

/** Creates the claims of a runtime that lives only for one command. The claims in `unused` are disabled from the start. */
export function createLocalClaims(unused: Iterable<Capability> = []): RuntimeClaims {
  const disabled = new Set(unused);
  return {
    disabled,
    disable(capability) {
      if (disabled.has(capability)) return false;
      disabled.add(capability);
      return true;
    },
  };
}

/** Everything that is needed to read one resource from one source. */
export type SourceRuntime = {
  readonly resource: Resource;
  readonly adapter: Adapter;
  readonly upstream: Upstream;
  /** Reads large replies in a thread; absent in commands, where nobody else waits for the event loop. */
  readonly largeReplies?: Pick<LargeReplies, 'parts'>;
  readonly budget: SourceSpec['budget'];
  readonly clock: Clock;
  readonly observer: SourceObserver;
  /** Gets only rows of the list without filters and sort, in the order of the source; absent in commands. */
  readonly wholeListObserver?: ReplyObserver;
  readonly claims: RuntimeClaims;
  /** Absent in commands, which make no extra calls for checks. */
  readonly verifications?: Verifications;
  /** Whether this process, and no other of the fleet, makes the extra check `name` now; absent in commands. */
  readonly takeTurn?: (name: string, everyMs: number) => Promise<boolean>;
};

/** The context of a call to a source: its abort signal, its counters and its priority. */
export type CallContext = Omit<SourceCall, 'query'> & {
  /** Fetches the fields that rows lack; absent if they lack none. */
  readonly finish?: FinishRows | undefined;
  /** Whether the list is read without filters and sort, so that no query chooses which records come. */
  readonly isWholeList?: boolean;
};

/** The observer that gets the replies to a call. */
export function observerOf(
  { observer, wholeListObserver = observer }: SourceRuntime,
  { isWholeList = false }: CallContext,
): ReplyObserver {
  return isWholeList ? wholeListObserver : observer;
}

/** Fetches the fields that rows of a list lack. @throws GatewayError */
export type FinishRows = (
  rows: readonly CanonicalRecord[],
  context: CallContext,
) => Promise<readonly CanonicalRecord[] | PlanFailure>;
