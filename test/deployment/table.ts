import type { Themes } from '../faults/harness/row.ts';
import { boardChecks } from './board.ts';
import { chartRows } from './chart.ts';
import { composeRows } from './compose.ts';
import { processRows } from './processes.ts';
import { releaseRows } from './releases.ts';
import { sizingRows } from './sizing.ts';
import { upgradeRows } from './upgrade.ts';
import { webhookRows } from './webhooks.ts';

/** Every row, by theme, in its order. A new theme is a file of its own and a line here. */
export const themes: Themes = {
  board: boardChecks,
  chart: chartRows,
  compose: composeRows,
  processes: processRows,
  webhooks: webhookRows,
  releases: releaseRows,
  upgrade: upgradeRows,
  sizing: sizingRows,
};
