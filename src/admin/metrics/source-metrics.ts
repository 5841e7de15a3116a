// The metrics of sources, a part of metrics.ts: their calls, hosts, breakers, disabled claims and scan caches.

import type { CallFailure } from '../../kernel/errors/call-failure.ts';
import { isFieldAlarm, readFieldAlarm } from '../../source/adapter/spec/capability.ts';
import type { DisabledClaim } from '../../store/disabled-claims.ts';
import { createFailedCallMetrics } from './failed-calls.ts';
import {
  createCounter,
  createEventCounter,
  createHistogram,
  type MetricPlace,
  registerGauge,
} from '../../telemetry/metrics/metric-factories.ts';

const STATES = { closed: 0, half_open: 1, open: 2 };

/** Registers what happens to the hosts and the breaker of a source. */
function createHealthMetrics(place: MetricPlace) {
  /** The states of the breakers of each source, the newest last: after a reload, an earlier one may still be in use. */
  const breakers = new Map<string, Map<object, keyof typeof STATES>>();
  let served: ReadonlySet<string> | undefined;
  const shown = (source: string) => [...(breakers.get(source) ?? [])].at(-1);
  registerGauge(place, {
    name: 'portico_breaker_state',
    help: 'State of the circuit breaker of a source: 0 closed, 1 half open (one call tries), 2 open (no call is made).',
    labelNames: ['source'],
    read: () =>
      [...breakers.keys()].flatMap((source) => {
        const [, state] = shown(source) ?? [];
        return state === undefined || served?.has(source) === false
          ? []
          : [[[source], STATES[state]] as const];
      }),
  });
  return {
    /** Says how a breaker stands; `undefined`: it has gone. Returns whether it is the newest of its source, which is shown. */
    breakerState(source: string, next: keyof typeof STATES | undefined, breaker: object): boolean {
      const states = breakers.get(source) ?? new Map<object, keyof typeof STATES>();
      if (next === undefined) states.delete(breaker);
      else breakers.set(source, states.set(breaker, next));
      if (states.size === 0) breakers.delete(source);
      return shown(source)?.[0] === breaker;
    },
    /** Shows only the breakers of these sources: an alert on a source that was removed would never end. */
    serveSources(names: readonly string[]): void {
      served = new Set(names);
    },
    sourceEvent: createEventCounter(place, {
      name: 'portico_source_events_total',
      help: 'State changes of the breaker of a source and of those of its shapes of questions (question_breaker_…), its retries, and pauses that it asked for.',
      labelNames: ['source', 'event'],
    }),
    hostEvent: createEventCounter(place, {
      name: 'portico_host_events_total',
      help: 'Hosts of a source: `ejected` after failures in a row; `unhealthy` or `healthy` by a health check.',
      labelNames: ['source', 'host', 'event'],
    }),
  };
}

/** Registers which claims are disabled: a state, which lasts until the file changes or an operator resets it. */
function createClaimMetrics(place: MetricPlace) {
  let disabled: () => readonly Pick<DisabledClaim, 'source' | 'resource' | 'claim'>[] = () => [];
  registerGauge(place, {
    name: 'portico_claims_fallen',
    help: 'Claims of a source file that a reply has contradicted and that no answer relies on any more: 1 each.',
    labelNames: ['source', 'resource', 'claim'],
    read: () =>
      disabled().flatMap(({ source, resource, claim }) =>
        isFieldAlarm(claim) ? [] : [[[source, resource, claim], 1] as const],
      ),
  });
  registerGauge(place, {
    name: 'portico_source_field_alarm',
    help: 'Fields that many records of a source suddenly lack: 1 each. Kind `gone`: the key is absent; or `unreadable`.',
    labelNames: ['source', 'resource', 'field', 'kind'],
    read: () =>
      disabled().flatMap(({ source, resource, claim }) => {
        if (!isFieldAlarm(claim)) return [];
        const { field, kind } = readFieldAlarm(claim);
        return [[[source, resource, field, kind], 1] as const];
      }),
  });
  /** Reports at each scrape what `list` has. */
  return { watchClaims: (list: typeof disabled) => void (disabled = list) };
}

/** The calls of a source at one moment. */
type SourceLoad = {
  readonly active: number;
  readonly waiting: number;
  /** How many this process may have under way. */
  readonly allowed: number;
};

/** What several parts of a gateway report under one name: after a reload, the earlier part may still be in use. */
function createWatched<T>() {
  const parts = new Map<string, Set<() => T>>();
  function watch(name: string, read: () => T): () => void {
    const named = parts.get(name) ?? new Set();
    parts.set(name, named.add(read));
    return () => {
      named.delete(read);
      if (named.size === 0) parts.delete(name);
    };
  }
  return { parts, watch };
}

/** Registers the scan caches in memory. */
function createScanCacheMetrics(place: MetricPlace) {
  const { parts, watch } = createWatched<readonly number[]>();
  const show = (name: string, help: string, of: (ages: readonly number[]) => number) =>
    registerGauge(place, {
      name,
      help,
      labelNames: ['source', 'resource'],
      read: () =>
        [...parts].map(([key, all]) => [key.split('|'), of([...all].flatMap((ages) => ages()))] as const),
    });
  show('portico_scan_caches', 'Scan caches in memory.', (ages) => ages.length);
  show(
    'portico_scan_caches_oldest_seconds',
    'The age of the oldest scan cache in memory; 0 where there is none.',
    (ages) => Math.max(0, ...ages),
  );
  return {
    /** Reports at each scrape the scan caches with these ages, in seconds, until the returned function is called. */
    watchScanCaches: (source: string, resource: string, ages: () => readonly number[]) =>
      watch(`${source}|${resource}`, ages),
  };
}

/** Registers how busy sources are. */
function createLoadMetrics(place: MetricPlace) {
  const { parts, watch } = createWatched<SourceLoad>();
  registerGauge(place, {
    name: 'portico_source_load',
    help: 'Calls to a source at this moment: in_flight; waiting for a slot; allowed, so many may be in flight.',
    labelNames: ['source', 'state'],
    read: () =>
      [...parts].flatMap(([source, loads]) => {
        const all = [...loads].map((load) => load());
        const sum = (of: keyof SourceLoad) => all.reduce((total, load) => total + load[of], 0);
        // The newest client may use what the older ones leave free.
        const older = all.slice(0, -1).reduce((total, { active }) => total + active, 0);
        return [
          [[source, 'in_flight'], sum('active')] as const,
          [[source, 'waiting'], sum('waiting')] as const,
          [[source, 'allowed'], older + (all.at(-1)?.allowed ?? 0)] as const,
        ];
      }),
  });
  return {
    /** Reports at each scrape what `load` has, until the returned function is called. */
    watchLoad: watch,
  };
}

/** Registers the metrics of sources and pass-through upstreams; `bounds` are those of durations, in seconds. */
export function createSourceMetrics(place: MetricPlace, bounds: readonly number[]) {
  const calls = createCounter(place, {
    name: 'portico_upstream_calls_total',
    help: 'Calls to sources that ended, by the class of their status or why there is none (not_sent: the breaker or a pause forbade it); failure: why there was no usable answer, empty where there was one.',
    labelNames: ['source', 'outcome', 'failure'],
  });
  const durations = createHistogram(place, {
    name: 'portico_upstream_call_duration_seconds',
    help: 'Seconds that a call to a source took.',
    labelNames: ['source', 'outcome'],
    bounds,
  });
  const records = createCounter(place, {
    name: 'portico_records_total',
    help: 'Records in the replies of sources.',
    labelNames: ['source', 'resource', 'view'],
  });
  const dropped = createCounter(place, {
    name: 'portico_dropped_records_total',
    help: 'Records that were left out because they have no usable id.',
    labelNames: ['source', 'resource', 'view'],
  });
  const health = createHealthMetrics(place);
  const judged = createFailedCallMetrics(place);
  return {
    ...health,
    /** Shows only the state of these sources: an alert on a source that was removed would never end. */
    serveSources(names: readonly string[]): void {
      health.serveSources(names);
      judged.keepOnly(new Set(names));
    },
    ...createClaimMetrics(place),
    ...createLoadMetrics(place),
    ...createScanCacheMetrics(place),
    upstreamCall(source: string, outcome: string, failure?: CallFailure, seconds?: number) {
      calls(source, outcome, failure).add();
      if (outcome !== 'cancelled') judged.judge(source, failure !== undefined);
      if (seconds !== undefined) durations(source, outcome).add(seconds);
    },
    records(source: string, resource: string, view: string, received: number, left: number) {
      records(source, resource, view).add(received);
      if (left > 0) dropped(source, resource, view).add(left);
    },
    unreadableField: createEventCounter(place, {
      name: 'portico_unreadable_fields_total',
      help: 'Fields that became null because the value was missing or unreadable.',
      labelNames: ['source', 'field', 'reason'],
    }),
    ruleReplies: createCounter(place, {
      name: 'portico_upstream_replies_total',
      help: 'Replies that were read of sources, by the rule of `outcomes` that decided; rule `none`: no rule fits, and the status decides.',
      labelNames: ['source', 'rule', 'is'],
    }),
    invalidReply: createEventCounter(place, {
      name: 'portico_invalid_replies_total',
      help: 'Replies of sources that could not be used, and why.',
      labelNames: ['source', 'resource', 'reason'],
    }),
    guardTrip: createEventCounter(place, {
      name: 'portico_guard_trips_total',
      help: 'Claims of a source file that a reply contradicted.',
      labelNames: ['source', 'resource', 'rule'],
    }),
  };
}
