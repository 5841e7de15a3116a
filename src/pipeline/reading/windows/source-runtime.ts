import type { Adapter } from '../../../source/adapter/compile.ts';
import type { Capability } from '../../../source/adapter/spec/capability.ts';
import type { ReplyObserver } from '../../../source/adapter/map/reply-observer.ts';
import type { SourceSpec } from '../../../config/schema/source.ts';
import type { CanonicalRecord } from '../../../contract/response-body.ts';
import type { Resource } from '../../../contract/resource.ts';
import type { Clock } from '../../../kernel/clock.ts';
import type { SourceCall } from '../../stages/call.ts';
import type { Upstream } from '../../../source/client/client.ts';
import type { LargeReplies } from '../large-replies/large-replies.ts';
import type { PlanFailure } from './plan-failure.ts';
import type { Verifications } from './verifications.ts';

/** Learns how replies of a source are read, and what it does other than its file says, for the log and the metrics. */
export type SourceObserver = ReplyObserver & {
  /** A reply contradicted a claim, which has been disabled just now. */
  readonly contradicted: (capability: Capability) => void;
};

/** The claims of a resource that replies have contradicted: plans do without them. */
export type RuntimeClaims = {
  readonly disabled: ReadonlySet<Capability>;
  /** Disables a claim; `detail` says what contradicted it. False if it has been disabled before. */
  readonly disable: (capability: Capability, detail: string) => boolean;
};

/** Disables a claim that was proved wrong; the first time, it is reported. */
export function disableClaim(
  { claims, observer }: SourceRuntime,
  capability: Capability,
  detail: string,
): void {
  if (claims.disable(capability, detail)) observer.contradicted(capability);
}

/** The claims of a runtime that lives for one command. `unused` are not relied on from the start. */
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

/** One resource of one source, at work. */
export type SourceRuntime = {
  readonly resource: Resource;
  readonly adapter: Adapter;
  readonly upstream: Upstream;
  /** Reads large replies in a thread; absent in commands, where nobody else waits for the event loop. */
  readonly largeReplies?: Pick<LargeReplies, 'parts'>;
  readonly budget: SourceSpec['budget'];
  readonly clock: Clock;
  readonly observer: SourceObserver;
  /** Learns of the rows of the whole list only, in the order of the source; absent in commands. */
  readonly wholeListObserver?: ReplyObserver;
  readonly claims: RuntimeClaims;
  /** Absent in commands, which ask for nothing that the answer does not need. */
  readonly verifications?: Verifications;
  /** Whether it is this process' turn in the fleet to look at this of the source; absent in commands, as above. */
  readonly takeLook?: (name: string, everyMs: number) => Promise<boolean>;
};

/** What a call to a source carries: its signal, what it costs and how urgent it is. */
export type CallContext = Omit<SourceCall, 'query'> & {
  /** Completes rows that lack fields; absent if they lack none. */
  readonly finish?: FinishRows | undefined;
  /** The rows that are asked for are neither filtered nor sorted: no query chooses which records come. */
  readonly isWholeList?: boolean;
};

/** Who learns of the replies to a call. */
export function observerOf(
  { observer, wholeListObserver = observer }: SourceRuntime,
  { isWholeList = false }: CallContext,
): ReplyObserver {
  return isWholeList ? wholeListObserver : observer;
}

/** Completes rows that lack fields. @throws GatewayError */
export type FinishRows = (
  rows: readonly CanonicalRecord[],
  context: CallContext,
) => Promise<readonly CanonicalRecord[] | PlanFailure>;
