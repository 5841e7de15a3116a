import { type BoardRow, increase, lines, max, of, quantile, rate, states, sum } from './panel.ts';

const CALLS = 'portico_upstream_calls_total';
const CALL_SECONDS = 'portico_upstream_call_duration_seconds';
const CACHE = 'portico_cache_events_total';
const FAILED = 'outcome=~"5xx|upstream_.*"';

/** How the services behind the gateway do. */
export const sourcesRow: BoardRow = {
  title: 'Sources',
  panels: [
    states(
      'Breakers',
      { 0: 'closed', 1: 'half open', 2: 'open' },
      'An open breaker: the source is not asked. The worst of all gateways.',
      [max(of('portico_breaker_state'), 'source'), '{{source}}'],
    ),
    lines('Calls', 'reqps', 'Calls that ended, by what the reply meant.', [
      sum(rate(CALLS), 'source, outcome'),
      '{{source}} {{outcome}}',
    ]),
    lines(
      'Share of calls that fail',
      'percentunit',
      'No connection, no answer in time, 5xx or nothing usable.',
      [`${sum(rate(CALLS, FAILED), 'source')} / ${sum(rate(CALLS), 'source')}`, '{{source}}'],
    ),
    lines(
      'Duration of calls',
      's',
      'A source that becomes slow shows here first.',
      [quantile(0.5, CALL_SECONDS, 'source'), '{{source}} 50 %'],
      [quantile(0.99, CALL_SECONDS, 'source'), '{{source}} 99 %'],
    ),
    lines(
      'Breaker, retries, pauses',
      'none',
      'retry_over_budget: more calls failed than may be sent again.',
      [sum(increase('portico_source_events_total'), 'source, event'), '{{source}} {{event}}'],
    ),
    lines('Hosts left out', 'none', 'Of sources with several hosts.', [
      sum(increase('portico_host_events_total'), 'source, host, event'),
      '{{source}} {{host}} {{event}}',
    ]),
    lines(
      'Calls for a request',
      'none',
      'How many calls a request costs. A fallen claim shows here as scans.',
      [`${sum(rate(CALLS))} / ${sum(rate('portico_requests_total'))}`, 'calls'],
    ),
  ],
};

/** What answers come from. */
export const cacheRow: BoardRow = {
  title: 'Cache',
  panels: [
    lines('Answers by cache', 'reqps', 'none: the request has no answer that may be kept.', [
      sum(rate('portico_requests_total'), 'cache'),
      '{{cache}}',
    ]),
    lines('Share of hits', 'percentunit', 'Of the look-ups of each level.', [
      `${sum(rate(CACHE, 'result=~"hit|stale"'), 'level')} / ${sum(rate(CACHE, 'result=~"hit|stale|miss"'), 'level')}`,
      '{{level}}',
    ]),
    lines('Look-ups and writes', 'ops', 'failed and damaged alert: PorticoCacheFailing.', [
      sum(rate(CACHE), 'level, result'),
      '{{level}} {{result}}',
    ]),
    lines('Redis', 'none', 'Processes by how the Redis of a role serves them.', [
      sum(of('portico_redis_state'), 'role, state'),
      '{{role}} {{state}}',
    ]),
    lines('Bodies compressed', 'ops', 'useless: no smaller than before.', [
      sum(rate('portico_compressions_total'), 'coding, result'),
      '{{coding}} {{result}}',
    ]),
    lines(
      'Cost and gain of compression',
      'percentunit',
      'Cores that compression takes, and the share of the bytes that it leaves.',
      [sum(rate('portico_compression_seconds_total'), 'coding'), '{{coding}} cores'],
      [
        `${sum(rate('portico_compression_bytes_total', 'side="after"'))} / ${sum(rate('portico_compression_bytes_total', 'side="before"'))}`,
        'bytes left',
      ],
    ),
  ],
};

/** Whether sources say what their files claim. */
export const qualityRow: BoardRow = {
  title: 'Quality',
  panels: [
    lines(
      'Fallen claims',
      'none',
      'A reply has contradicted a source’s file: answers cost scans until it is mended.',
      [max(of('portico_claims_fallen'), 'source, resource, claim'), '{{source}} {{resource}} {{claim}}'],
    ),
    lines('Lost fields', 'none', 'Fields that many records of a source suddenly lack: callers get null.', [
      max(of('portico_source_field_alarm'), 'source, resource, field, kind'),
      '{{source}} {{resource}} {{field}} {{kind}}',
    ]),
    lines('Contradicted claims', 'none', 'Replies that contradict the file, by what it claims.', [
      sum(increase('portico_guard_trips_total'), 'source, resource, rule'),
      '{{source}} {{resource}} {{rule}}',
    ]),
    lines('Replies by rule', 'ops', 'The rule of `outcomes` that decided; none: no rule of the file fits.', [
      sum(rate('portico_upstream_replies_total'), 'source, rule, is'),
      '{{source}} {{rule}} {{is}}',
    ]),
    lines('Replies that cannot be used', 'none', 'By the reason; the log has the details.', [
      sum(increase('portico_invalid_replies_total'), 'source, resource, reason'),
      '{{source}} {{resource}} {{reason}}',
    ]),
    lines('Fields that became null', 'ops', '`portico quality` shows which step could not read them.', [
      sum(rate('portico_unreadable_fields_total'), 'source, field, reason'),
      '{{source}} {{field}} {{reason}}',
    ]),
    lines('Records', 'ops', 'In the replies of sources.', [
      sum(rate('portico_records_total'), 'source, resource, view'),
      '{{source}} {{resource}} {{view}}',
    ]),
    lines('Records left out', 'ops', 'They have no id that can be used.', [
      sum(rate('portico_dropped_records_total'), 'source, resource'),
      '{{source}} {{resource}}',
    ]),
  ],
};
