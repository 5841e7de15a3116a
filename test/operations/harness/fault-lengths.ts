import { runRuleTests, type RuleTest, STEP_SECONDS } from './run-rule-tests.ts';

/**
 * A series: what a counter adds in a scrape, or what a gauge is, while nothing is wrong and while the fault lasts.
 * `undefined`: it is absent.
 */
type FaultSeries = readonly [series: string, calm: number | undefined, fault: number | undefined];

/** A fault, and the alert that it raises if it lasts. */
export type LengthCase = {
  readonly alert: string;
  readonly series: readonly FaultSeries[];
  /** A state ends at once with its gauge; what is counted, within three minutes. */
  readonly kind: 'state' | 'counted';
  /** After so many minutes it must fire. */
  readonly firesBy: number;
  /** Where it takes longer than ten minutes. */
  readonly minutes?: number;
};

const STEPS = 60 / STEP_SECONDS;
/** Minutes of health before and after the fault: more than the longest window of a burn rate. */
const [BEFORE, AFTER] = [40, 20];

const isCounter = (series: string) => /_(?:total|bucket|count)\{/.test(series);

function valuesOf([series, calm, fault]: FaultSeries, faultSteps: number): string {
  let sum = 0;
  const at = (step: number) => {
    const isFault = step >= BEFORE * STEPS && step < BEFORE * STEPS + faultSteps;
    const value = isFault ? fault : calm;
    if (value === undefined) return 'stale';
    return isCounter(series) ? String((sum += value)) : String(value);
  };
  return Array.from({ length: BEFORE * STEPS + faultSteps + AFTER * STEPS }, (_, step) => at(step)).join(' ');
}

function testOf(
  one: LengthCase,
  faultSteps: number,
  at: readonly (readonly [seconds: number, fires: boolean])[],
): RuleTest {
  const { alert, series } = one;
  const firing = `group by (alertname) (ALERTS{alertname="${alert}",alertstate="firing"})`;
  return {
    name: `${alert}, ${faultSteps * STEP_SECONDS} s`,
    input_series: series.map((each) => ({ series: each[0], values: valuesOf(each, faultSteps) })),
    promql_expr_test: at.map(([seconds, fires]) => ({
      expr: firing,
      eval_time: `${BEFORE * 60 + seconds}s`,
      exp_samples: fires ? [{ labels: `{alertname="${alert}"}`, value: 1 }] : [],
    })),
  };
}

/** Half a minute of the fault is silent. After ten it has fired in its time, and it ends in its time, and stays so. */
function testsOf(one: LengthCase) {
  const { kind, firesBy, minutes = 10 } = one;
  const never = [0, 30, 60, 90, 120, 180, 240, 300, 420, 600].map((seconds) => [seconds, false] as const);
  const end = minutes * 60;
  const over = end + (kind === 'state' ? 30 : 180);
  const lasting = [
    ...[[-30, false] as const, [firesBy * 60, true] as const, [end - STEP_SECONDS, true] as const],
    ...[over, over + 60, over + 300].map((seconds) => [seconds, false] as const),
  ];
  return [testOf(one, 30 / STEP_SECONDS, never), testOf(one, minutes * STEPS, lasting)];
}

/** What is no fault raises nothing, however long it lasts. */
function silentTest(series: LengthCase['series']): RuleTest {
  const firing = 'group by (alertname) (ALERTS{alertstate="firing",alertname!="PorticoGone"})';
  return {
    name: 'no fault',
    input_series: series.map((each) => ({ series: each[0], values: valuesOf(each, 20 * STEPS) })),
    promql_expr_test: [BEFORE, BEFORE + 5, BEFORE + 15, BEFORE + 20].map((minute) => ({
      ...{ expr: firing, eval_time: `${minute}m`, exp_samples: [] },
    })),
  };
}

/** Resolves with what promtool says of faults of 30 s and of 10 min; empty if all of it holds. */
export function testLengths(
  cases: readonly LengthCase[],
  silent: readonly LengthCase['series'][],
): Promise<string> {
  return runRuleTests([...cases.flatMap(testsOf), ...silent.map(silentTest)]);
}
