import { type BoardRow, increase, lines, max, numbers, of, quantile, rate, states, sum } from './panel.ts';

const DURATIONS = 'portico_request_duration_seconds';
const byOperation = (matchers: string) => sum(rate('portico_requests_total', matchers), 'operation');

/** What a page at night is about first. */
export const overviewRow: BoardRow = {
  title: 'Overview',
  panels: [
    numbers(
      'Gateways',
      'none',
      'Gateways that answer on their operator’s listener, and requests in flight.',
      [`sum(up{job="$job",instance=~"$instance"})`, 'up'],
      [sum(of('portico_requests_in_flight')), 'in flight'],
    ),
    numbers('Versions', 'none', 'Gateways by what they run: two lines during a rolling upgrade only.', [
      `count by (version, node) (${of('portico_build_info')})`,
      'Portico {{version}} on Node {{node}}',
    ]),
    lines('Requests by status', 'reqps', 'All requests. 5xx is looked at in the next panel.', [
      sum(rate('portico_requests_total'), 'status'),
      '{{status}}',
    ]),
    lines(
      'Share of errors',
      'percentunit',
      'The share of answers 500, 502, 503 and 504. PorticoUpstreamFailing pages above 5 %.',
      [`${byOperation('status=~"5.."')} / ${byOperation('')}`, '{{operation}}'],
    ),
    lines(
      'Duration',
      's',
      'From a request to the end of its answer. PorticoSlow reads the 99 % of each operation.',
      [quantile(0.5, DURATIONS), '50 %'],
      [quantile(0.9, DURATIONS), '90 %'],
      [quantile(0.99, DURATIONS), '99 %'],
    ),
    lines('Duration of 99 % by operation', 's', 'One answer in a hundred takes longer.', [
      quantile(0.99, DURATIONS, 'operation'),
      '{{operation}}',
    ]),
    lines(
      'Refused as overloaded',
      'reqps',
      'event_loop: the process is too busy. in_flight: too many of the operation at once.',
      [sum(rate('portico_overload_refusals_total'), 'operation, reason'), '{{operation}} {{reason}}'],
    ),
  ],
};

/** What a process uses. */
export const processesRow: BoardRow = {
  title: 'Processes',
  panels: [
    lines('CPU', 'percentunit', '1 is one core. A gateway of several workers is the sum of them.', [
      rate('process_cpu_seconds_total'),
      '{{instance}}',
    ]),
    lines(
      'Memory',
      'bytes',
      'Of the process, with what it has of the heap.',
      [of('process_resident_memory_bytes'), '{{instance}}'],
      [of('nodejs_heap_size_used_bytes'), '{{instance}} heap'],
    ),
    lines('Lag of the event loop', 's', '99 % of the looks at it. Above 0.1 s, requests wait for the CPU.', [
      of('nodejs_eventloop_lag_p99_seconds'),
      '{{instance}}',
    ]),
    lines('Descriptors', 'none', 'Open files and connections, and how many the process may have.', [
      of('process_open_fds'),
      '{{instance}}',
    ]),
    lines(
      'Workers',
      'none',
      'With more than one worker only: by phase, and those that ended.',
      [sum(of('portico_workers'), 'phase'), '{{phase}}'],
      [sum(increase('portico_worker_ends_total'), 'how'), 'ended: {{how}}'],
    ),
    lines(
      'Lost logs and spans',
      'ops',
      'Lines that nobody read in time, and what became of spans. PorticoSpansLost reads the latter.',
      [sum(rate('portico_log_lines_dropped_total')), 'log lines dropped'],
      [sum(rate('portico_spans_total'), 'outcome'), 'spans {{outcome}}'],
    ),
    lines(
      'Webhooks',
      'none',
      'dead: nobody has taken an event in ten minutes, and the log says which. PorticoWebhooksDead reads these.',
      [sum(increase('portico_webhooks_total'), 'event, outcome'), '{{event}} {{outcome}}'],
      [sum(of('portico_webhooks_waiting')), 'waiting'],
    ),
  ],
};

/** Who asks, and who is refused. */
export const callersRow: BoardRow = {
  title: 'Callers',
  panels: [
    lines('Requests by operation', 'reqps', 'none: a request to no known route.', [
      byOperation(''),
      '{{operation}}',
    ]),
    lines('Decisions of the limiter', 'reqps', 'By tier. would_refuse is a tier on trial.', [
      sum(rate('portico_limiter_decisions_total'), 'tier, outcome'),
      '{{tier}} {{outcome}}',
    ]),
    lines('Who decides of limits', 'reqps', 'local beside a Redis means that the limits hold per process.', [
      sum(rate('portico_limiter_decisions_total'), 'by'),
      '{{by}}',
    ]),
    lines('Credentials', 'reqps', 'limited: an address has tried too many that were wrong.', [
      sum(rate('portico_credentials_total'), 'kind, outcome'),
      '{{kind}} {{outcome}}',
    ]),
    lines('Why credentials are refused', 'reqps', 'Answers 401, by what was wrong.', [
      sum(rate('portico_credential_refusals_total'), 'reason'),
      '{{reason}}',
    ]),
    lines('Keys that end soon', 'none', 'API keys that end within 14 days.', [
      max(of('portico_keys_expiring'), 'kept'),
      'in {{kept}}',
    ]),
  ],
};

/** What is in force, and who has changed it. */
export const reloadsRow: BoardRow = {
  title: 'Reloads',
  panels: [
    numbers(
      'Configurations',
      'none',
      'More than one for longer than a roll-out takes: PorticoConfigDiffers.',
      [`count by (digest) (${of('portico_config_info')})`, '{{digest}}'],
    ),
    states('Files refused', { 0: 'in force', 1: 'refused' }, 'The files on disk are not what is served.', [
      of('portico_config_stale'),
      '{{instance}}',
    ]),
    lines('Reloads', 'none', 'By what became of them.', [
      sum(increase('portico_config_reloads_total'), 'outcome'),
      '{{outcome}}',
    ]),
    lines(
      'Lines of the audit',
      'none',
      'Every change by an operator is a line. lost: Redis was away for long.',
      [sum(increase('portico_audit_lines_total'), 'outcome'), '{{outcome}}'],
    ),
  ],
};
