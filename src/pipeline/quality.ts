// Keeps statistics about the replies of a source: what did not fit its file. `portico quality` and the console show them.

import { claimPlace } from '../source/adapter/spec/capability.ts';
import type { Capability } from '../source/adapter/spec/capability.ts';
import { detailFields, detailsPlace } from '../source/adapter/map/row-fields.ts';
import type { ReplyObserver } from '../source/adapter/map/reply-observer.ts';
import { GatewayError } from '../kernel/errors/fault.ts';
import type { Clock } from '../kernel/clock.ts';
import type { CompiledSource } from '../source/compile-sources.ts';
import { createViewStatistics, type OnUnreadable, type ViewQuality } from './field-statistics.ts';

/** A claim that a reply contradicted, with its line in the source file. */
export type ContradictedClaim = {
  readonly claim: Capability;
  readonly file: string;
  readonly line: number | undefined;
  /** When the reply came, as an instant in UTC. */
  readonly at: string;
  /** For a field that records suddenly lack: the share of records without it, before and now. */
  readonly detail?: string;
};

/** The replies that could not be used for one reason. */
export type InvalidReplies = {
  readonly reason: string;
  readonly count: number;
  /** What was wrong with the last such reply, and when. It names places, never values. */
  readonly last: { readonly detail: string; readonly at: string };
};

/** How well the replies of a source fit its file, since the start of the process. */
export type ResourceQuality = {
  readonly source: string;
  readonly resource: string;
  readonly file: string;
  readonly views: readonly ViewQuality[];
  readonly contradicted: readonly ContradictedClaim[];
  readonly invalidReplies: readonly InvalidReplies[];
};

/** Metrics of the quality of replies. */
export type QualityMetrics = {
  /** Counts the records of a reply, and how many of them were dropped because they have no usable id. */
  records(source: string, resource: string, view: string, received: number, dropped: number): void;
  invalidReply(source: string, resource: string, reason: string): void;
};

/**
 * What the statistics need. `report` works without `metrics`, too. `onUnreadable` gets values of records, so only commands
 * of an operator use it.
 */
export type QualityDeps = {
  readonly clock: Clock;
  /** Absent in commands, which print a report of their own. */
  readonly metrics?: QualityMetrics;
  readonly onUnreadable?: OnUnreadable;
};

/** The statistics about the replies for one resource of one source. */
export type Quality = ReturnType<typeof createQuality>;

/** The path of a claim in the source file. Some fields are mapped in `hydrate`, not in the `map` of the list. */
function placeOfClaim({ resource, source }: CompiledSource, claim: Capability): readonly PropertyKey[] {
  const spec = source.spec.resources[resource.name];
  const [kind, field = ''] = claim.split('.');
  const isDetail =
    spec && kind === 'field' && detailFields(spec, resource).some(({ name }) => name === field);
  if (isDetail !== true) return claimPlace(resource.name, claim);
  return ['resources', resource.name, ...detailsPlace(spec), 'map', field];
}

/** Creates the statistics of a compiled source. They have counts, places and reasons, never a value. */
export function createQuality(compiled: CompiledSource, { clock, metrics, onUnreadable }: QualityDeps) {
  const { resource, source } = compiled;
  const now = () => new Date(clock.now()).toISOString();
  const { name } = source.spec;
  const statistics = {
    list: createViewStatistics('list', compiled, onUnreadable),
    details: createViewStatistics('details', compiled, onUnreadable),
    get: createViewStatistics('get', compiled, onUnreadable),
  };
  const invalid = new Map<string, InvalidReplies>();
  const claims = new Map<Capability, ContradictedClaim>();
  // Several callers who wait for the same scan get the same error object.
  const counted = new WeakSet<GatewayError>();

  /** Counts the records of a usable reply. */
  const onRecords: NonNullable<ReplyObserver['onRecords']> = (view, records, missingValues) => {
    const dropped = missingValues.filter(({ field }) => field === 'id').length;
    statistics[view]?.count(records, dropped, missingValues);
    metrics?.records(name, resource.name, view, records.length + dropped, dropped);
  };

  return {
    onRecords,
    /** Counts an unusable reply, once for each error object. Errors of another kind are ignored. */
    failed: (error: unknown): void => {
      if (!(error instanceof GatewayError) || error.code !== 'upstream_invalid_response') return;
      if (counted.has(error)) return;
      counted.add(error);
      const reason = error.reason ?? 'other';
      const last = { detail: error.detail ?? '', at: now() };
      invalid.set(reason, { reason, count: (invalid.get(reason)?.count ?? 0) + 1, last });
      metrics?.invalidReply(name, resource.name, reason);
    },
    /** Notes that a reply contradicted a claim. Returns the note with the claim's place in the file. */
    contradicted(claim: Capability, detail?: string): ContradictedClaim {
      const { file, line } = source.yaml.problemAt(placeOfClaim(compiled, claim), '');
      const contradicted = { claim, file, line, at: now(), ...(detail !== undefined && { detail }) };
      claims.set(claim, contradicted);
      return contradicted;
    },
    /** Removes the note about a field, because its values have come back or an operator accepts that they are missing. */
    accepted: (claim: Capability) => void claims.delete(claim),
    report: (): ResourceQuality => ({
      source: name,
      resource: resource.name,
      file: source.yaml.file,
      views: Object.values(statistics).flatMap((view) => (view === undefined ? [] : [view.report()])),
      contradicted: [...claims.values()],
      invalidReplies: [...invalid.values()],
    }),
  };
}
