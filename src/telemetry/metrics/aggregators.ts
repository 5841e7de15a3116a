// Says how the metrics of several workers become one value on `/metrics`, because not every sum has a meaning.

/** How to merge metrics whose sum has no meaning, by the beginning of their names. The first match counts. */
const AGGREGATORS: readonly (readonly [name: string, aggregator: 'max' | 'min' | 'sum'])[] = [
  ['nodejs_eventloop_lag_min_seconds', 'min'],
  // A mean would hide one worker whose event loop is blocked.
  ['nodejs_eventloop_lag', 'max'],
  ['process_start_time_seconds', 'min'],
  // Each process has its own limit, so the process that is nearest to its limit counts.
  ['process_open_fds', 'max'],
  ['process_max_fds', 'min'],
  ['nodejs_version_info', 'max'],
  ['portico_build_info', 'max'],
  // Each process counts the same keys.
  ['portico_keys_expiring', 'max'],
  ['portico_keys_lost', 'max'],
  // An open breaker in one worker must be seen.
  ['portico_breaker_state', 'max'],
  ['portico_source_failed_share', 'max'],
  ['portico_caller_refused_share', 'max'],
  ['portico_caller_refused_since_seconds', 'min'],
  ['portico_caller_refused_last_seconds', 'max'],
  // Every worker serves the same configuration, or will soon.
  ['portico_config_info', 'max'],
  ['portico_config_stale', 'max'],
  // Each worker knows the same disabled claims.
  ['portico_claims_fallen', 'max'],
  ['portico_source_field_alarm', 'max'],
  // A count of events, although its name begins like that of the revision.
  ['portico_migration_rev_regressed_total', 'sum'],
  // Each worker follows the same state, so an old revision or state in one worker must be seen.
  ['portico_migration_rev', 'min'],
  ['portico_migration_stage', 'max'],
  ['portico_migration_percent', 'max'],
  ['portico_migration_stale_seconds', 'max'],
  ['portico_migration_hold', 'max'],
  ['portico_scan_caches_oldest_seconds', 'max'],
];

/** How to merge the values of a metric from several processes: by their sum, unless the table above says otherwise. */
export const aggregatorOf = (metric: string): 'max' | 'min' | 'sum' =>
  AGGREGATORS.find(([name]) => metric.startsWith(name))?.[1] ?? 'sum';
