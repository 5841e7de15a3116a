import { readFileSync } from 'node:fs';

/** A query of the committed board: of which panel, what it asks, and what its series are called. */
export type BoardTarget = { readonly panel: string; readonly expr: string; readonly legend: string };

type Panel = {
  readonly title: string;
  readonly type: string;
  readonly targets?: readonly { readonly expr: string; readonly legendFormat: string }[];
};

/** The board as it is committed. */
export function readBoard() {
  const board = JSON.parse(readFileSync('config/grafana/portico.json', 'utf8')) as {
    uid: string;
    templating: { list: { name: string; type: string; query: string }[] };
    panels: Panel[];
  };
  const rows: string[] = [];
  const targets: BoardTarget[] = [];
  for (const { type, title, targets: own = [] } of board.panels) {
    if (type === 'row') rows.push(title);
    for (const { expr, legendFormat } of own)
      targets.push({ panel: `${rows.at(-1) ?? ''}: ${title}`, expr, legend: legendFormat });
  }
  return { ...board, rows, targets };
}

/** A query as Grafana sends it: with its variables replaced. */
export const asSent = (expr: string, range: string): string =>
  expr.replaceAll('$__rate_interval', range).replaceAll('$job', 'portico').replaceAll('$instance', '.*');
