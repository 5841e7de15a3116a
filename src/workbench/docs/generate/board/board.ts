import { callersRow, overviewRow, processesRow, reloadsRow } from './gateway-rows.ts';
import { migrationRow } from './migration-row.ts';
import type { BoardPanel, BoardRow } from './panel.ts';
import { cacheRow, qualityRow, sourcesRow } from './source-rows.ts';

/**
 * The rows from top to bottom: each is a heading, and below it its panels, three beside each other.
 * @internal
 */
export const boardRows: readonly BoardRow[] = [
  overviewRow,
  sourcesRow,
  callersRow,
  cacheRow,
  qualityRow,
  migrationRow,
  reloadsRow,
  processesRow,
];

/**
 * Metrics that no panel shows, and why. The check of the board compares them with those of a gateway: a new metric needs a
 * panel or a line here.
 * @internal
 */
export const metricsWithoutPanel: Readonly<Record<string, string>> = {
  portico_redis_connected: 'portico_redis_state says the same and more',
  portico_source_load: 'a moment of a fast value: the console shows it as it changes',
  portico_row_sets: 'a moment of a fast value: the console shows it as it changes',
  portico_row_sets_oldest_seconds: 'a moment of a fast value: the console shows it as it changes',
  portico_cache_local_bytes: 'bounded by cache.localBytes: the console shows it',
  portico_cache_local_entries: 'bounded by cache.localBytes: the console shows it',
  portico_request_stories_total: 'of the look-up in the console, and of nothing that callers notice',
};

/** The unit of Grafana's grid: a board is 24 wide. */
const [WIDTH, HEIGHT, COLUMNS] = [8, 8, 3];
const SOURCE = { type: 'prometheus', uid: '${datasource}' };

function panelJson({ title, about, kind, unit, queries, names }: BoardPanel) {
  const mapped = Object.entries(names).map(([value, text]) => [value, { text }]);
  const mappings =
    mapped.length === 0 ? [] : [{ type: 'value', options: Object.fromEntries(mapped) as object }];
  const custom = kind === 'timeseries' ? { custom: { fillOpacity: 10, showPoints: 'never' } } : {};
  const options = {
    timeseries: {
      legend: { displayMode: 'list', placement: 'bottom' },
      tooltip: { mode: 'multi', sort: 'desc' },
    },
    stat: { graphMode: 'none', textMode: 'value_and_name', reduceOptions: { calcs: ['lastNotNull'] } },
    'state-timeline': { showValue: 'auto', legend: { displayMode: 'list', placement: 'bottom' } },
  }[kind];
  return {
    ...{ type: kind, title, description: about, datasource: SOURCE, options },
    fieldConfig: { defaults: { unit, min: 0, mappings, ...custom }, overrides: [] },
    targets: queries.map(([expr, legendFormat], index) => {
      const refId = String.fromCharCode('A'.charCodeAt(0) + index);
      return {
        refId,
        expr,
        legendFormat,
        datasource: SOURCE,
        instant: kind === 'stat',
        range: kind !== 'stat',
      };
    }),
  };
}

/** The panels of all rows, each at its place below the one before. */
function placedPanels() {
  let [y, id] = [0, 0];
  return boardRows.flatMap(({ title, panels }) => {
    const heading = { type: 'row', title, collapsed: false, panels: [], gridPos: { h: 1, w: 24, x: 0, y } };
    const top = y + 1;
    y = top + HEIGHT * Math.ceil(panels.length / COLUMNS);
    const placed = panels.map((panel, at) => {
      const [x, row] = [(at % COLUMNS) * WIDTH, Math.floor(at / COLUMNS)];
      return { ...panelJson(panel), gridPos: { h: HEIGHT, w: WIDTH, x, y: top + row * HEIGHT } };
    });
    return [heading, ...placed].map((one) => ({ id: (id += 1), ...one }));
  });
}

/** A choice at the top of the board, from the values of a label. */
function chooser(name: string, label: string, query: string, isMulti: boolean) {
  const all = isMulti ? { multi: true, includeAll: true, allValue: '.*' } : {};
  return {
    name,
    label,
    type: 'query',
    datasource: SOURCE,
    query,
    definition: query,
    refresh: 2,
    sort: 1,
    ...all,
  };
}

/** The board for Grafana 9 and later, as JSON to import. */
export function grafanaBoard(): unknown {
  return {
    uid: 'portico',
    title: 'Portico',
    description: 'Written by `npm run generate`. Copy it under another uid before you change it.',
    tags: ['portico'],
    schemaVersion: 37,
    version: 1,
    editable: true,
    graphTooltip: 1,
    refresh: '30s',
    time: { from: 'now-3h', to: 'now' },
    timezone: 'browser',
    templating: {
      list: [
        { name: 'datasource', label: 'Prometheus', type: 'datasource', query: 'prometheus' },
        chooser('job', 'Job', 'label_values(portico_build_info, job)', false),
        chooser('instance', 'Gateway', 'label_values(portico_build_info{job="$job"}, instance)', true),
      ],
    },
    annotations: { list: [] },
    panels: placedPanels(),
  };
}
