import { claimPlace } from '../source/adapter/spec/capability.ts';
import type { Capability } from '../source/adapter/spec/capability.ts';
import { detailFields, detailsPlace } from '../source/adapter/map/row-fields.ts';
import type { ReplyObserver } from '../source/adapter/map/reply-observer.ts';
import { GatewayError } from '../kernel/errors/fault.ts';
import type { Clock } from '../kernel/clock.ts';
import type { CompiledSource } from '../source/compile-sources.ts';
import { createViewStatistics, type OnUnreadable, type ViewQuality } from './field-statistics.ts';

/** A claim that a reply contradicted, with the line of the source file that makes it. */
export type ContradictedClaim = {
  readonly claim: Capability;
  readonly file: string;
  readonly line: number | undefined;
  /** When, as an instant in UTC. */
  readonly at: string;
  /** The shares of records, if it is a field that records suddenly lack. */
  readonly detail?: string;
};

/** Replies that could not be used for one reason. */
export type InvalidReplies = {
  readonly reason: string;
  readonly count: number;
  /** What was wrong with the last one, and when: places, never values. */
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

/** What the metrics count of replies. */
export type QualityMetrics = {
  /** Records that a reply held, and how many of them were dropped because they have no usable id. */
  records(source: string, resource: string, view: string, received: number, dropped: number): void;
  invalidReply(source: string, resource: string, reason: string): void;
};

/**
 * `metrics` counts each reply as it comes; `report` has the same counts without it. `onUnreadable` gets values, so only
 * commands give it.
 */
export type QualityDeps = {
  readonly clock: Clock;
  /** Absent in commands, which print a report of their own. */
  readonly metrics?: QualityMetrics;
  readonly onUnreadable?: OnUnreadable;
};

/** Keeps the quality of one resource of one source. */
export type Quality = {
  /** Counts the records of a usable reply. */
  readonly onRecords: NonNullable<ReplyObserver['onRecords']>;
  /** Counts an unusable reply, once for each error; other errors are ignored. */
  readonly failed: (error: unknown) => void;
  /** Keeps that a reply contradicted a claim, and returns where the file makes it. */
  contradicted(claim: Capability, detail?: string): ContradictedClaim;
  /** Forgets that a field was lacking: its values have come back, or an operator accepts it. */
  accepted(claim: Capability): void;
  report(): ResourceQuality;
};

/** Where the file makes a claim. Some fields of rows are mapped with their details. */
function placeOfClaim({ resource, source }: CompiledSource, claim: Capability): readonly PropertyKey[] {
  const spec = source.spec.resources[resource.name];
  const [kind, field = ''] = claim.split('.');
  const isDetail =
    spec && kind === 'field' && detailFields(spec, resource).some(({ name }) => name === field);
  if (isDetail !== true) return claimPlace(resource.name, claim);
  return ['resources', resource.name, ...detailsPlace(spec), 'map', field];
}

/** Creates the quality of a compiled source. It keeps counts, places and reasons, never a value. */
export function createQuality(
  compiled: CompiledSource,
  { clock, metrics, onUnreadable }: QualityDeps,
): Quality {
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
  // Several callers who wait for one scan get the same error.
  const counted = new WeakSet<GatewayError>();

  return {
    onRecords(view, records, missingValues) {
      const dropped = missingValues.filter(({ field }) => field === 'id').length;
      statistics[view]?.count(records, dropped, missingValues);
      metrics?.records(name, resource.name, view, records.length + dropped, dropped);
    },
    failed(error) {
      if (!(error instanceof GatewayError) || error.code !== 'upstream_invalid_response') return;
      if (counted.has(error)) return;
      counted.add(error);
      const reason = error.reason ?? 'other';
      const last = { detail: error.detail ?? '', at: now() };
      invalid.set(reason, { reason, count: (invalid.get(reason)?.count ?? 0) + 1, last });
      metrics?.invalidReply(name, resource.name, reason);
    },
    contradicted(claim, detail) {
      const { file, line } = source.yaml.problemAt(placeOfClaim(compiled, claim), '');
      const contradicted = { claim, file, line, at: now(), ...(detail !== undefined && { detail }) };
      claims.set(claim, contradicted);
      return contradicted;
    },
    accepted: (claim) => void claims.delete(claim),
    report: () => ({
      source: name,
      resource: resource.name,
      file: source.yaml.file,
      views: Object.values(statistics).flatMap((view) => (view === undefined ? [] : [view.report()])),
      contradicted: [...claims.values()],
      invalidReplies: [...invalid.values()],
    }),
  };
}
