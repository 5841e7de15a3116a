import { readFileSync } from 'node:fs';

/** A query of the committed board: of which panel, what it asks, and what its series are called. */
export type BoardTarget = { readonly panel: string; readonly expr: string; readonly legend: string };

type Panel = {
  readonly title: string;
  readonly type: string;
  /** What is in a row that is collapsed. */
  readonly panels?: readonly Panel[];
  readonly collapsed?: boolean;
  readonly fieldConfig?: { readonly defaults: { readonly thresholds?: object } };
  readonly targets?: readonly { readonly expr: string; readonly legendFormat: string }[];
};

/** All panels in their order, those of collapsed rows as well. */
export const panelsOf = (panels: readonly Panel[]): readonly Panel[] =>
  panels.flatMap((panel) => [panel, ...(panel.panels ?? [])]);

/** The board as it is committed. */
export function readBoard() {
  const board = JSON.parse(readFileSync('config/grafana/portico.json', 'utf8')) as {
    uid: string;
    templating: { list: { name: string; type: string; query: string }[] };
    panels: Panel[];
    annotations: { list: { name: string; expr: string }[] };
    links: { url: string }[];
  };
  const rows: string[] = [];
  const targets: BoardTarget[] = [];
  for (const { type, title, targets: own = [] } of panelsOf(board.panels)) {
    if (type === 'row') rows.push(title);
    for (const { expr, legendFormat } of own)
      targets.push({ panel: `${rows.at(-1) ?? ''}: ${title}`, expr, legend: legendFormat });
  }
  return { ...board, rows, targets };
}

/** A query as Grafana sends it: with its variables replaced. */
export const asSent = (expr: string, range: string): string =>
  expr.replaceAll('$__rate_interval', range).replaceAll('$job', 'portico').replaceAll('$instance', '.*');
