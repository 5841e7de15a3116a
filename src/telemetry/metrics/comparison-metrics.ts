// The metrics of comparisons of both sources of a migration: verdicts, fields that differ, and how long each source takes.

import { createCounter, createEventCounter, createHistogram, type MetricPlace } from './metric-factories.ts';

/** The part of a comparison's result that the metrics count. `lagMs`: how long a difference lasted. */
type CountedComparison = {
  readonly resource: string;
  readonly operation: string;
  readonly verdict: string;
  /** The confirmed differences, by the paths of their fields in v1 records. */
  readonly differences: readonly { readonly path: string }[];
  readonly lagMs?: number | undefined;
};

/** The most paths that are counted separately for one resource; differences at further paths count as `OTHER_PATHS`. */
const PATH_GROUPS_MAX = 50;
const OTHER_PATHS = '(other)';

/** From the lag of writes that were just on their way, to the lag of a store that is filled in intervals. */
const LAG_BOUNDS_SECONDS = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15, 30, 60];

/** Creates the function that bounds the paths of each resource, because the records of a source may differ anywhere. */
function createPathGroups() {
  const known = new Map<string, Set<string>>();
  return function groupOf(resource: string, path: string): string {
    const paths = known.get(resource) ?? new Set();
    known.set(resource, paths);
    if (paths.size < PATH_GROUPS_MAX) paths.add(path);
    return paths.has(path) ? path : OTHER_PATHS;
  };
}

/** Registers the metrics of comparisons, and of the calls to both sources that are compared. */
export function createComparisonMetrics(place: MetricPlace, bounds: readonly number[]) {
  const groupOf = createPathGroups();
  const verdicts = createEventCounter(place, {
    name: 'portico_migration_compare_total',
    help: 'Comparisons of both sources of a resource that moves, by what came of them.',
    labelNames: ['resource', 'operation', 'verdict'],
  });
  const differences = createCounter(place, {
    name: 'portico_migration_diff_total',
    help: 'Confirmed differences between both sources that no rule ignores, by the path of the field; above 50 paths of a resource: (other).',
    labelNames: ['resource', 'path_group'],
  });
  const lag = createHistogram(place, {
    name: 'portico_migration_lag_seconds',
    help: 'How long one store lagged behind the other at most: from a difference until it was gone when both were asked again.',
    labelNames: ['resource', 'operation'],
    bounds: LAG_BOUNDS_SECONDS,
  });
  const answers = createHistogram(place, {
    name: 'portico_migration_upstream_seconds',
    help: 'Seconds until a source of a resource that moves had answered: a caller (shadow="false"), or the comparison with the other source ("true").',
    labelNames: ['resource', 'origin', 'shadow'],
    bounds,
  });
  return {
    migrationCompared({ resource, operation, verdict, differences: found, lagMs }: CountedComparison) {
      verdicts(resource, operation, verdict);
      for (const { path } of found) differences(resource, groupOf(resource, path)).add();
      if (lagMs !== undefined) lag(resource, operation).add(lagMs / 1_000);
    },
    migrationAnswered: (resource: string, origin: string, isShadow: boolean, ms: number) =>
      answers(resource, origin, String(isShadow)).add(ms / 1_000),
  };
}
