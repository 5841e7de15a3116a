import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { promisify } from 'node:util';
import type { OperationRow } from './row.ts';

const run = promisify(execFile);

const skip = existsSync('/usr/bin/promtool')
  ? undefined
  : 'promtool is missing: install the Debian package prometheus';

const accepted: OperationRow = {
  id: 'alerts-1',
  name: 'promtool accepts the rules of config/alerts.yaml',
  fast: true,
  skip,
  async run() {
    const { stdout } = await run('promtool', ['check', 'rules', 'config/alerts.yaml']);
    const rules = Number(/SUCCESS: (\d+) rules found/.exec(stdout)?.[1] ?? 0);
    return { ok: rules > 0, figure: { rules } };
  },
};

/** What Prometheus makes of the gateway's metrics. */
export const alertRows: readonly OperationRow[] = [accepted];
