import type { Adapter } from '../adapter/compile.ts';
import type { OnGap } from '../adapter/map/map-record.ts';
import type { Capability } from '../adapter/plan/push-down.ts';
import type { SourceSpec } from '../config/schema/source.ts';
import type { CanonicalRecord } from '../contract/response-body.ts';
import type { Resource } from '../contract/resources.ts';
import type { Clock } from '../kernel/clock.ts';
import type { Priority } from '../kernel/upstream-call.ts';
import type { Upstream } from '../upstream/client.ts';
import type { Usage } from '../upstream/guarded-client.ts';
import type { LargeReplies } from './large-replies/large-replies.ts';

/** What a source did that its configuration did not say; told to the log and the metrics. */
export type SourceObserver = {
  /** A field became `null` because the source did not have it or it could not be read. */
  readonly fieldGap: OnGap;
  /** A reply contradicted a claim, which is switched off from now on. */
  readonly contradicted: (capability: Capability) => void;
};

/** One resource of one source, at work. */
export type SourceRuntime = {
  readonly resource: Resource;
  readonly adapter: Adapter;
  readonly upstream: Upstream;
  /** Reads large replies aside; absent where nobody else waits for the event loop. */
  readonly largeReplies?: Pick<LargeReplies, 'parts'>;
  readonly budget: SourceSpec['budget'];
  readonly clock: Clock;
  readonly observer: SourceObserver;
  /** Claims that a reply has contradicted since the start of the process. */
  readonly switchedOff: Set<Capability>;
};

/** A call's signal and usage, and how urgent it is: for a caller where nothing is said. */
export type CallContext = {
  readonly signal: AbortSignal;
  readonly usage: Usage;
  readonly priority?: Priority | undefined;
  /** What makes records of the rows of a window; absent where they are. */
  readonly finish?: FinishRows | undefined;
};

/** Completes rows that lack fields. @throws GatewayError, Gone */
export type FinishRows = (
  rows: readonly CanonicalRecord[],
  context: CallContext,
) => Promise<readonly CanonicalRecord[]>;

/** Thrown inside the pipeline when rows and claims disagree; the query is then planned again without the claim. */
export class Contradiction extends Error {
  readonly capability: Capability;

  constructor(capability: Capability) {
    super(`the source contradicts its claim ${capability}`);
    this.capability = capability;
  }
}

/** Thrown inside the pipeline when a reply says that its total is only a bound; the rows must then be counted. */
export class OnlyBound extends Error {}

/** Thrown inside the pipeline when a row of a list is no record by itself; the list is then read again once. */
export class Gone extends Error {
  /** When the list was read, where that may be a while ago: milliseconds since the epoch. */
  readonly listedAt: number | undefined;

  constructor(listedAt?: number) {
    super('a row of the list is no record by itself');
    this.listedAt = listedAt;
  }
}

/** Thrown inside the pipeline when replies of one walk do not fit together; the walk is then done again once. */
export class Moved extends Error {}
