import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../support/process/free-port.ts';
import { type RunningProcess, startProcess } from '../../support/process/running-process.ts';
import { eventually } from '../../support/time/eventually.ts';

/** Why what needs Prometheus cannot be run here; `undefined` where it can. */
export const noPrometheus = ['promtool', 'prometheus'].every((tool) => existsSync(`/usr/bin/${tool}`))
  ? undefined
  : 'Prometheus is missing: install the Debian package prometheus';

/** By how much the live rules are faster than those of config/alerts.yaml. */
const FASTER = 60;
const SECONDS = { s: 1, m: 60, h: 3_600 } as const;

/** The rules with all durations divided by 60: `for: 5m` becomes `for: 5s`, and `[1h]` becomes `[60s]`. */
function fasterRules(rules: string): string {
  return rules.replace(
    /(\[|for: )(\d+)([smh])/g,
    (_all, before: string, count: string, unit: 's' | 'm' | 'h') => {
      const seconds = (Number(count) * SECONDS[unit]) / FASTER;
      return `${before}${Math.max(1, seconds)}s`;
    },
  );
}

/** The labels of a series, and its values as texts. */
export type PrometheusSeries = {
  readonly metric: Readonly<Record<string, string>>;
  readonly values: readonly (readonly [number, string])[];
};

/** A Prometheus that scrapes gateways every second. */
export type Prometheus = {
  /** The names of the alerts that fire at this moment. */
  firing(): Promise<ReadonlySet<string>>;
  /** The series of a query over the time since its start, by the second. Rejects where Prometheus refuses the query. */
  series(expr: string): Promise<readonly PrometheusSeries[]>;
  close(): Promise<void>;
};

/**
 * Starts Debian's Prometheus on some gateways, with the rules of config/alerts.yaml sixty times as fast. It sends what fires to
 * an Alertmanager, if one is named by host and port.
 */
export async function startPrometheus(
  adminUrls: readonly string[],
  alertmanager?: string,
): Promise<Prometheus> {
  const folder = mkdtempSync(join(tmpdir(), 'portico-prometheus-'));
  const port = await freePort();
  writeFileSync(join(folder, 'alerts.yaml'), fasterRules(readFileSync('config/alerts.yaml', 'utf8')));
  const config = {
    global: { scrape_interval: '1s', scrape_timeout: '900ms', evaluation_interval: '1s' },
    rule_files: ['alerts.yaml'],
    alerting: {
      alertmanagers: alertmanager === undefined ? [] : [{ static_configs: [{ targets: [alertmanager] }] }],
    },
    scrape_configs: [
      {
        job_name: 'portico',
        static_configs: [{ targets: adminUrls.map((url) => url.replace('http://', '')) }],
      },
    ],
  };
  // JSON is YAML.
  writeFileSync(join(folder, 'prometheus.yml'), JSON.stringify(config));
  const args = [
    `--config.file=${join(folder, 'prometheus.yml')}`,
    `--storage.tsdb.path=${join(folder, 'data')}`,
    `--web.listen-address=127.0.0.1:${String(port)}`,
  ];
  const running: RunningProcess = startProcess('prometheus', args);
  const url = `http://127.0.0.1:${String(port)}`;
  const startedAt = Date.now() / 1_000;
  const isUp = async () => {
    const { data } = (await (await fetch(`${url}/api/v1/query?query=up`)).json()) as {
      data: { result: { value: [number, string] }[] };
    };
    return data.result.filter(({ value }) => value[1] === '1').length === adminUrls.length;
  };
  // It begins to scrape some seconds after it is ready.
  await eventually(isUp, { withinMs: 60_000, everyMs: 100 });

  return {
    async firing() {
      const { data } = (await (await fetch(`${url}/api/v1/alerts`)).json()) as {
        data: { alerts: { state: string; labels: { alertname: string } }[] };
      };
      const firing = data.alerts.filter(({ state }) => state === 'firing');
      return new Set(firing.map(({ labels }) => labels.alertname));
    },
    async series(expr) {
      const asked = { query: expr, start: String(startedAt), end: String(Date.now() / 1_000), step: '1' };
      const answer = await fetch(`${url}/api/v1/query_range?${new URLSearchParams(asked).toString()}`);
      const { data, error } = (await answer.json()) as {
        data?: { result: readonly PrometheusSeries[] };
        error?: string;
      };
      if (data === undefined) throw new Error(`${expr}: ${error ?? ''}`);
      return data.result;
    },
    async close() {
      await running.kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
