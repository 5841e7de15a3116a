import type { GetAdapter } from '../adapter/compile-record.ts';
import type { Adapter } from '../adapter/compile.ts';
import { claimPlace } from '../adapter/claim-place.ts';
import type { OnGap } from '../adapter/map/map-record.ts';
import type { Capability } from '../adapter/plan/push-down.ts';
import type { View } from '../adapter/map/row-fields.ts';
import type { CanonicalRecord } from '../contract/document.ts';
import { GatewayError } from '../errors/fault.ts';
import type { Clock } from '../kernel/clock.ts';
import type { CompiledSource } from './compile-sources.ts';
import { createViewTally, type Gap, type OnUnreadable, type ViewQuality } from './field-statistics.ts';

/** A claim that a reply contradicted, with the line of the source file that makes it. */
export type ContradictedClaim = {
  readonly claim: Capability;
  readonly file: string;
  readonly line: number | undefined;
  /** When, as an instant in UTC. */
  readonly at: string;
};

/** Replies that could not be used for one reason. */
export type InvalidReplies = {
  readonly reason: string;
  readonly count: number;
  /** What was wrong with the last one, and when: places, never values. */
  readonly last: { readonly detail: string; readonly at: string };
};

/** How well what a source replies fits what its file says of it, since the start of the process. */
export type ResourceQuality = {
  readonly source: string;
  readonly resource: string;
  readonly file: string;
  readonly views: readonly ViewQuality[];
  readonly contradicted: readonly ContradictedClaim[];
  readonly invalidReplies: readonly InvalidReplies[];
};

/** Told what is counted, for the metrics. */
export type QualityEvents = {
  readonly records?: (view: View, received: number, dropped: number) => void;
  readonly invalidReply?: (reason: string) => void;
  readonly unreadable?: OnUnreadable;
};

/** Keeps the quality of one resource of one source. */
export type Quality = {
  /** The adapter, with everything counted that it reads. */
  readonly adapter: Adapter;
  /** Counts an error that ended a call or an answer, once, where it is a reply that could not be used. */
  failed(error: unknown): void;
  /** Keeps that a reply contradicted a claim, and says where that stands. */
  contradicted(claim: Capability): ContradictedClaim;
  report(): ResourceQuality;
};

/** The adapter, every reply that it could read told to `count`, and its gaps then to whoever reads. */
function watchAdapter(
  { list, get }: Adapter,
  count: (view: View, records: readonly CanonicalRecord[], gaps: readonly Gap[]) => void,
): Adapter {
  /** Gaps of a reply that fails later on belong to no record. */
  function read<T>(
    view: View,
    onGap: OnGap,
    readWith: (onGap: OnGap) => T,
    recordsOf: (result: T) => readonly CanonicalRecord[],
  ): T {
    const gaps: Gap[] = [];
    const result = readWith((field, reason, found) => gaps.push({ field, reason, found }));
    count(view, recordsOf(result), gaps);
    for (const { field, reason, found } of gaps) onGap(field, reason, found);
    return result;
  }
  function one<T extends GetAdapter>(view: View, adapter: T): T {
    const watched: GetAdapter['read'] = (reply, id, onGap) =>
      read(
        view,
        onGap,
        (keep) => adapter.read(reply, id, keep),
        (record) => (record === undefined ? [] : [record]),
      );
    return { ...adapter, read: watched };
  }
  return {
    list: {
      ...list,
      details: list.details && one('details', list.details),
      read: (reply, onGap) =>
        read(
          'list',
          onGap,
          (keep) => list.read(reply, keep),
          ({ records }) => records,
        ),
    },
    get: get && one('get', get),
  };
}

/** Creates the quality of a compiled source; it keeps counts, places and reasons, never a value. */
export function createQuality(compiled: CompiledSource, clock: Clock, events: QualityEvents = {}): Quality {
  const { resource, source } = compiled;
  const now = () => new Date(clock.now()).toISOString();
  const tallies = {
    list: createViewTally('list', compiled, events.unreadable),
    details: createViewTally('details', compiled, events.unreadable),
    get: createViewTally('get', compiled, events.unreadable),
  };
  const invalid = new Map<string, InvalidReplies>();
  const claims = new Map<Capability, ContradictedClaim>();
  // Several who wait for one scan are given the same error.
  const counted = new WeakSet<GatewayError>();

  return {
    adapter: watchAdapter(compiled.adapter, (view, records, gaps) => {
      const dropped = gaps.filter(({ field }) => field === 'id').length;
      tallies[view]?.count(records, dropped, gaps);
      events.records?.(view, records.length + dropped, dropped);
    }),
    failed(error) {
      if (!(error instanceof GatewayError) || error.code !== 'upstream_invalid_response') return;
      if (counted.has(error)) return;
      counted.add(error);
      const reason = error.reason ?? 'other';
      const last = { detail: error.detail ?? '', at: now() };
      invalid.set(reason, { reason, count: (invalid.get(reason)?.count ?? 0) + 1, last });
      events.invalidReply?.(reason);
    },
    contradicted(claim) {
      const { file, line } = source.yaml.problemAt(claimPlace(resource.name, claim), '');
      const told = { claim, file, line, at: now() };
      claims.set(claim, told);
      return told;
    },
    report: () => ({
      source: source.spec.name,
      resource: resource.name,
      file: source.yaml.file,
      views: Object.values(tallies).flatMap((tally) => (tally === undefined ? [] : [tally.report()])),
      contradicted: [...claims.values()],
      invalidReplies: [...invalid.values()],
    }),
  };
}
