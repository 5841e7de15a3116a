// What the figures' part of the API answers, as far as the page reads it. src/admin/api has the whole of it.

import type { Severity } from '../show/tones.ts';

/** Whose figures they are, and since when. */
export type Scoped = { readonly scope: 'process' | 'workers' | 'fleet'; readonly since: string };

/**
 * A source or pass-through route in `overview`. Shares are from 0 to 1, and null where nothing was counted, as times are;
 * rates are over `overMs` of the overview.
 */
export type SourceRow = {
  readonly name: string;
  readonly kind: 'source' | 'passthrough';
  readonly breaker: 'closed' | 'half-open' | 'open';
  readonly callsPerSecond: number;
  readonly p50Ms: number | null;
  readonly p99Ms: number | null;
  readonly errorShare: number | null;
  readonly hitShare: number | null;
  readonly stalePerSecond: number;
  readonly unreadablePerSecond: number;
  readonly inFlight: number;
  readonly concurrency: number;
  readonly waiting: number;
  readonly share: number | null;
};

/**
 * What needs an operator. `entry` names one of the runbook; `view` is an address that the server made, so it is checked
 * before it becomes a link.
 */
export type AttentionItem = {
  readonly severity: Severity;
  readonly code: string;
  readonly text: string;
  readonly entry?: string;
  readonly view?: string;
};

/** The answer of `overview`, and a tick of the stream. */
export type Overview = Scoped & {
  readonly at: string;
  readonly version: string;
  readonly processes: number;
  readonly draining: boolean;
  readonly overMs: number;
  readonly config: {
    readonly digest: string;
    readonly rev: number;
    readonly stale?: { readonly since: string; readonly why: string };
  };
  readonly redis: readonly { readonly role: string; readonly state: string }[];
  readonly attention: readonly AttentionItem[];
  readonly totals: {
    readonly requestsPerSecond: number;
    readonly errorsShare: number | null;
    readonly refusedShare: number | null;
    readonly p50Ms: number | null;
    readonly p99Ms: number | null;
    readonly hitShare: number | null;
  };
  readonly sources: readonly SourceRow[];
};

/** Counts of each slot; null where nobody counted. */
export type SlotCounts = readonly (number | null)[];

/** By the value of a label, such as a status class. */
export type NamedSlotCounts = Readonly<Record<string, SlotCounts>>;

/**
 * `boundsMs` are the upper bounds of the buckets but the last, which has none; `buckets` has of each slot the count of
 * each bucket, and null where nobody counted.
 */
export type SlotLatency = {
  readonly boundsMs: readonly number[];
  readonly buckets: readonly (readonly number[] | null)[];
  readonly p50Ms: SlotCounts;
  readonly p99Ms: SlotCounts;
};

/** The answer of `figures`. */
export type FiguresOverTime = Scoped & {
  readonly stepMs: number;
  readonly at: readonly number[];
  readonly series: {
    readonly requests: { readonly byStatusClass: NamedSlotCounts; readonly byCache: NamedSlotCounts };
    readonly latency: SlotLatency;
    readonly refusals: { readonly byReason: NamedSlotCounts };
    readonly calls: { readonly byOutcome: NamedSlotCounts };
    readonly callLatency: SlotLatency;
    readonly events: { readonly byEvent: NamedSlotCounts };
  };
};

/** A count since the start, and what the last hour added. */
export type CountedTwice = { readonly total: number; readonly lastHour: number };

/** By the value of a label, such as an outcome or a reason. */
export type NamedCounts = Readonly<Record<string, CountedTwice>>;

/** The answer of `source`. */
export type SourceDetail = Scoped & {
  readonly at: string;
  readonly name: string;
  readonly kind: 'source' | 'passthrough';
  readonly breaker: 'closed' | 'half-open' | 'open';
  readonly inFlight: number;
  readonly waiting: number;
  readonly concurrency: number;
  readonly resources: readonly string[];
  readonly operations: readonly string[];
  readonly budget?: {
    readonly rows: number;
    readonly calls: number;
    readonly bytes: number;
    readonly timeMs: number;
    readonly snapshotMs: number;
  };
  readonly hosts: readonly { readonly name: string; readonly events: NamedCounts }[];
  readonly outcomes: NamedCounts;
  readonly rules: readonly {
    readonly rule: string;
    readonly is: string;
    readonly file?: string;
    readonly line?: number;
    readonly replies: CountedTwice;
  }[];
  readonly events: NamedCounts;
  readonly invalidReplies: readonly {
    readonly resource: string;
    readonly reason: string;
    readonly count: number;
    readonly last: { readonly detail: string; readonly at: string };
  }[];
  readonly claims: readonly {
    readonly resource: string;
    readonly claim: string;
    readonly file: string;
    readonly line?: number;
    readonly at: string;
    readonly isFallen: boolean;
    readonly detail?: string;
  }[];
  readonly costs: readonly {
    readonly resource: string;
    readonly query: string;
    readonly calls: number;
    readonly cost: 'page' | 'scan' | 'refused' | 'record';
    readonly verifyingCalls?: number;
    readonly reason?: string;
    readonly rowsMax?: number;
  }[];
  /** Absent where it is not known. */
  readonly rowSets?: readonly {
    readonly resource: string;
    readonly count: number;
    readonly oldestAt: string | null;
  }[];
};

/** The answer of `cache`. */
export type CacheDetail = Scoped & {
  readonly operations: readonly {
    readonly operation: string;
    readonly results: NamedCounts;
    readonly hitShare: number | null;
  }[];
  readonly levels: readonly { readonly level: string; readonly results: NamedCounts }[];
  readonly local: { readonly bytes: number; readonly bytesMax: number; readonly entries: number };
};

/** The answer of `quality`. */
export type QualityDetail = {
  readonly sources: readonly {
    readonly source: string;
    readonly resource: string;
    readonly file: string;
    readonly views: readonly {
      readonly view: string;
      readonly records: number;
      readonly dropped: number;
      readonly totalsLost: number;
      readonly fields: readonly {
        readonly field: string;
        readonly from: readonly string[];
        readonly line?: number;
        readonly null: number;
        readonly missing: number;
        readonly unreadable: number;
        readonly steps: Readonly<Record<string, number>>;
      }[];
    }[];
  }[];
  readonly trend?: Scoped & {
    readonly stepMs: number;
    readonly at: readonly number[];
    readonly fields: readonly {
      readonly source: string;
      readonly field: string;
      readonly reason: string;
      readonly counts: SlotCounts;
    }[];
  };
};
