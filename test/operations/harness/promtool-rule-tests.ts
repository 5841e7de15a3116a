import { readFileSync } from 'node:fs';
import { runRuleTests, type RuleTest, STEP_SECONDS } from './run-rule-tests.ts';

/** The text of `/metrics` at four moments of a fault: before it, twice while it lasts, and after it. */
export type FaultMetrics = {
  readonly before: string;
  readonly early: string;
  readonly late: string;
  readonly after: string;
};

/** A fault as a test of the rules: what its metrics were, and which alerts it must and may raise. */
export type RuleCase = {
  readonly name: string;
  readonly metrics: FaultMetrics;
  readonly alerts: readonly string[];
  readonly also: readonly string[];
  /** Whether the gateway answers Prometheus while the fault lasts. */
  readonly isUp: boolean;
};

/** The timeline, in minutes: longer than any range and `for` of the rules, in each part. */
const BEFORE = 10;
const LASTS = 100;
const AFTER = 75;
const STEPS = 60 / STEP_SECONDS;
/** Every `for` is 10 min at most, every range of a rate 5 min. */
const FIRED = BEFORE + 16;

/** The values by series, of those metrics that rules read. */
function valuesOf(text: string, read: ReadonlySet<string>): ReadonlyMap<string, number> {
  const values = new Map<string, number>();
  for (const line of text.split('\n')) {
    const [, name = '', labels = '', value] = /^(portico_\w+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
    if (!read.has(name)) continue;
    const instance = labels.includes('instance=') ? [] : ['instance="gateway:9090"'];
    const all = [...(labels === '' ? [] : [labels]), ...instance, 'job="portico"'];
    values.set(`${name}{${all.join(',')}}`, Number(value));
  }
  return values;
}

const isGauge = (series: string) => !/^portico_\w+_(?:total|bucket|count|sum)\{/.test(series);

/** One series over the whole timeline. A counter goes on as it did between both looks; what is absent stays so. */
function timelineOf(series: string, at: readonly (number | undefined)[]): string {
  const [before, early, late, after] = at;
  const rise = isGauge(series) ? 0 : Math.max(0, (late ?? 0) - (early ?? late ?? 0));
  const from = isGauge(series) ? late : (early ?? late);
  const end = isGauge(series) ? after : (from ?? 0) + rise * LASTS * STEPS;
  const part = (value: number | undefined, steps: number, each = 0) =>
    value === undefined ? `stale _x${steps - 1}` : `${value}+${each}x${steps - 1}`;
  const begin = before === undefined ? `_x${BEFORE * STEPS}` : part(before, BEFORE * STEPS);
  return [begin, part(from, LASTS * STEPS, rise), part(end, AFTER * STEPS)].join(' ');
}

function inputOf({ before, early, late, after }: FaultMetrics, read: ReadonlySet<string>) {
  const texts = [before, early, late, after].map((text) => valuesOf(text, read));
  const names = new Set(texts.flatMap((values) => [...values.keys()]));
  return [...names].map((series) => ({
    series,
    values: timelineOf(
      series,
      texts.map((values) => values.get(series)),
    ),
  }));
}

const firing = (matcher: string) => `group by (alertname) (ALERTS{alertstate="firing"${matcher}})`;

/** Asserts that just these alerts fire at a minute; nothing is said of those that may. */
function expected(minute: number, alerts: readonly string[], also: readonly string[]) {
  const [must, may] = [alerts.join('|'), [...alerts, ...also].join('|')];
  const samples = alerts.map((alertname) => ({ labels: `{alertname="${alertname}"}`, value: 1 }));
  const eval_time = `${minute}m`;
  return [
    ...(must === '' ? [] : [{ expr: firing(`,alertname=~"${must}"`), eval_time, exp_samples: samples }]),
    { expr: firing(may === '' ? '' : `,alertname!~"${may}"`), eval_time, exp_samples: [] },
  ];
}

function testOf({ name, metrics, alerts, also, isUp }: RuleCase, read: ReadonlySet<string>): RuleTest {
  const up = `1x${BEFORE * STEPS - 1} ${isUp ? 1 : 0}x${LASTS * STEPS - 1} 1x${AFTER * STEPS - 1}`;
  return {
    name,
    input_series: [
      { series: 'up{instance="gateway:9090",job="portico"}', values: up },
      ...inputOf(metrics, read),
    ],
    promql_expr_test: [
      ...expected(BEFORE - 1, [], []),
      ...expected(FIRED, alerts, also),
      ...expected(BEFORE + LASTS - 1, alerts, also),
      ...expected(BEFORE + LASTS + AFTER - 2, [], []),
    ],
  };
}

/** Runs the cases with true durations. Resolves with what promtool says, empty if all of it holds. */
export function testRules(cases: readonly RuleCase[]): Promise<string> {
  const rules = readFileSync('config/alerts.yaml', 'utf8');
  const read = new Set([...rules.matchAll(/portico_\w+/g)].map(([name]) => name));
  return runRuleTests(cases.map((one) => testOf(one, read)));
}
