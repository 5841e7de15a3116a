import assert from 'node:assert/strict';
import { createMetrics } from '../../src/admin/metrics/metrics.ts';
import { createMergedMetrics } from '../../src/gateway/workers/merged-metrics.ts';
import { noPrometheus, startPrometheus } from '../operations/harness/prometheus.ts';
import { type BenchRow, promised } from '../faults/harness/row.ts';
import { asSent, panelsOf, readBoard } from './harness/board-file.ts';
import { readPromql } from './harness/read-promql.ts';
import { startWatchedGateways } from './harness/watched-gateways.ts';

/** Metrics that no panel shows, and why: a new metric needs a panel or a line here. */
const METRICS_WITHOUT_PANEL: Readonly<Record<string, string>> = {
  portico_redis_connected: 'portico_redis_state says the same and more',
  portico_source_load: 'a moment of a fast value: the console shows it as it changes',
  portico_scan_caches: 'a moment of a fast value: the console shows it as it changes',
  portico_scan_caches_oldest_seconds: 'a moment of a fast value: the console shows it as it changes',
  portico_cache_local_bytes: 'bounded by cache.localBytes: the console shows it',
  portico_cache_local_entries: 'bounded by cache.localBytes: the console shows it',
  portico_source_failed_share: 'the panel of calls that fail shows the same over time',
  portico_caller_refused_share:
    'there only while a caller is refused: the alert and the view of callers show it',
  portico_caller_refused_since_seconds: 'a time: the overview of the console says it',
  portico_caller_refused_last_seconds: 'a time: the overview of the console says it',
  portico_caller_refused_requests:
    'there only after a caller was refused: the overview of the console says it',
  portico_caller_sent_requests: 'there only after a caller was refused: the overview of the console says it',
  portico_keys_lost: 'the panel of refused credentials has their reason: lost',
  portico_request_traces_total: 'of the look-up in the console, and of nothing that callers notice',
};

/** What Prometheus itself adds to every series. */
const ADDED = ['job', 'instance'];

/** The labels of every metric that a gateway and the primary of workers show. */
async function shownMetrics(): Promise<ReadonlyMap<string, readonly string[]>> {
  const gateway = createMetrics({ operations: [], version: '', nodeVersion: '' });
  const primary = createMergedMetrics({ workers: () => [] });
  const shown = new Map<string, readonly string[]>([['up', ADDED]]);
  for (const [, name = ''] of (await gateway.text()).matchAll(/^# TYPE (\w+)/gm)) shown.set(name, ADDED);
  for (const { name, type, labels } of [...gateway.describe(), ...primary.describe()]) {
    shown.set(name, [...labels, ...ADDED]);
    if (type === 'histogram') shown.set(`${name}_bucket`, [...labels, ...ADDED, 'le']);
  }
  return shown;
}

const reads: BenchRow = {
  id: 'board-1',
  name: 'each query of the board parses and names only metrics and labels that there are, and each metric of Portico is on it or left out with a reason',
  fast: true,
  async run() {
    const shown = await shownMetrics();
    const { uid, rows, targets, templating } = readBoard();
    const read = targets.map(({ expr }) => readPromql(asSent(expr, '5m')));
    const metrics = new Set(read.flatMap((one) => one.metrics.map((name) => name.replace(/_bucket$/, ''))));
    const labels = read.flatMap((one) => one.labels);
    assert.deepEqual(
      [...metrics].filter((name) => !shown.has(name)),
      [],
    );
    const unknown = labels.filter(({ label, of }) => !of.some((name) => shown.get(name)?.includes(label)));
    assert.deepEqual(unknown, []);
    const ours = [...shown.keys()].filter((name) => /^portico_(?!.*_bucket$)/.test(name));
    assert.deepEqual(
      ours.filter((name) => !metrics.has(name)).sort(),
      Object.keys(METRICS_WITHOUT_PANEL).sort(),
    );
    assert.equal(uid, 'portico');
    assert.deepEqual(templating.list[0], {
      ...{ name: 'datasource', label: 'Prometheus', type: 'datasource', query: 'prometheus' },
    });
    assert.deepEqual(rows, [
      ...['Overview', 'Sources', 'Callers', 'Cache'],
      ...['Quality', 'Migration', 'Reloads', 'Processes'],
    ]);
    assert.throws(() => readPromql('sum(rate(portico_requests_total[5m])'), 'half a query is none');
    return promised(true, {
      rows: rows.length,
      queries: targets.length,
      metrics: metrics.size,
      'left out': Object.keys(METRICS_WITHOUT_PANEL).length,
    });
  },
};

const LINES_MAX = 12;

const readable: BenchRow = {
  id: 'board-3',
  name: 'the board marks reloads and steps of migrations, has thresholds and links to runbook and console, all rows but the first are collapsed, and no panel has more than twelve lines',
  fast: true,
  async run() {
    const shown = await shownMetrics();
    const { panels, annotations, links } = readBoard();
    for (const { expr } of annotations.list)
      for (const name of readPromql(asSent(expr, '5m')).metrics) assert.ok(shown.has(name), name);
    assert.deepEqual(
      annotations.list.map(({ name }) => name),
      ['Reloads', 'Migration steps'],
    );
    for (const place of ['${runbook}', '${console}'])
      assert.ok(links.some(({ url }) => url.startsWith(place)));
    const rows = panels.filter(({ type }) => type === 'row');
    assert.deepEqual(
      rows.flatMap(({ title, collapsed }) => (collapsed === true ? [] : [title])),
      ['Overview'],
    );
    const all = panelsOf(panels);
    const over = all.filter(({ type, targets = [] }) => {
      const linesOf = ({ expr, legendFormat }: (typeof targets)[number]) =>
        legendFormat.includes('{{') ? Number(/^topk\((\d+), /.exec(expr)?.[1] ?? Infinity) : 1;
      const lines = targets.reduce((sum, one) => sum + linesOf(one), 0);
      return (type === 'timeseries' || type === 'state-timeline') && lines > LINES_MAX;
    });
    assert.deepEqual(
      over.map(({ title }) => title),
      [],
    );
    const limited = all.filter(({ fieldConfig }) => fieldConfig?.defaults.thresholds !== undefined);
    return promised(limited.length >= 10, { panels: all.length - rows.length, thresholds: limited.length });
  },
};

const live: BenchRow = {
  id: 'board-2',
  name: 'each query of the board has data, with every label that its legend names, of gateways under faults that Prometheus scrapes',
  skip: noPrometheus,
  async run(bench) {
    const watched = await startWatchedGateways(bench);
    const prometheus = bench.own(await startPrometheus(watched.adminUrls));
    await watched.suffer();
    const { targets } = readBoard();
    const [empty, unlabelled, still]: [string[], string[], string[]] = [[], [], []];
    for (const { panel, expr, legend } of targets) {
      const series = await prometheus.series(asSent(expr, '5s'));
      const name = `${panel} (${legend})`;
      const wanted = [...legend.matchAll(/{{(\w+)}}/g)].map(([, label = '']) => label);
      if (series.length === 0) empty.push(name);
      else if (!series.some(({ metric }) => wanted.every((label) => label in metric))) unlabelled.push(name);
      else if (!series.some(({ values }) => values.some(([, value]) => Number(value) > 0))) still.push(name);
    }
    assert.deepEqual({ empty, unlabelled }, { empty: [], unlabelled: [] });
    return promised(true, {
      queries: targets.length,
      'with data': targets.length,
      'above zero': targets.length - still.length,
      'always zero': still.join('; ') || 'none',
    });
  },
};

/** The board for Grafana. */
export const boardChecks: readonly BenchRow[] = [reads, live, readable];
