/** How metrics whose sum has no meaning are merged, by the beginning of their name. The first match wins. */
const AGGREGATORS: readonly (readonly [name: string, aggregator: 'max' | 'min' | 'sum'])[] = [
  ['nodejs_eventloop_lag_min_seconds', 'min'],
  // A mean would hide one worker whose event loop is blocked.
  ['nodejs_eventloop_lag', 'max'],
  ['process_start_time_seconds', 'min'],
  // The limit is one of each process, so the process nearest to it counts.
  ['process_open_fds', 'max'],
  ['process_max_fds', 'min'],
  ['nodejs_version_info', 'max'],
  ['portico_build_info', 'max'],
  // Each process counts the same keys.
  ['portico_keys_expiring', 'max'],
  // An open breaker in one worker must be seen.
  ['portico_breaker_state', 'max'],
  ['portico_source_failed_share', 'max'],
  ['portico_caller_refused_share', 'max'],
  // Every worker serves the same configuration, or is about to.
  ['portico_config_info', 'max'],
  ['portico_config_stale', 'max'],
  // Each worker knows of the same claims.
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

/** How the values of a metric of several processes become one. */
export const aggregatorOf = (metric: string): 'max' | 'min' | 'sum' =>
  AGGREGATORS.find(([name]) => metric.startsWith(name))?.[1] ?? 'sum';
