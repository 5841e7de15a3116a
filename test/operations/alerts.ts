import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { parse } from 'yaml';
import type { FaultBench } from '../faults/harness/bench.ts';
import { type AlertFault, alertFaults } from './alert-faults.ts';
import { type AlertPlace, openAlertPlace } from './alert-place.ts';
import { noPrometheus, type Prometheus, startPrometheus } from './prometheus.ts';
import { type RuleCase, testRules } from './rule-test.ts';
import type { OperationRow } from './row.ts';

const run = promisify(execFile);

/** Longer than any of the fast rules takes to fire, and to end: their longest range is an hour, so a minute. */
const FIRES_MS = 40_000;
const CLEARS_MS = 90_000;
const LASTS_SECONDS = 4;
/** How far apart both looks at a fault are. */
const RECORDED_MS = 3_000;

type Rules = { readonly groups: readonly { readonly rules: readonly { readonly alert: string }[] }[] };
const rules = () =>
  (parse(readFileSync('config/alerts.yaml', 'utf8')) as Rules).groups.flatMap((one) => one.rules);

const accepted: OperationRow = {
  id: 'alerts-1',
  name: 'promtool accepts the rules of config/alerts.yaml',
  fast: true,
  skip: noPrometheus,
  async run() {
    const { stdout } = await run('promtool', ['check', 'rules', 'config/alerts.yaml']);
    const found = Number(/SUCCESS: (\d+) rules found/.exec(stdout)?.[1] ?? 0);
    return { ok: found === rules().length, figure: { rules: found } };
  },
};

/** Plays one fault: its alerts fire, nothing else does, they last as long as it does, and end after it. */
async function play(
  bench: FaultBench,
  place: AlertPlace,
  prometheus: Prometheus,
  fault: AlertFault,
): Promise<{ readonly firesMs: number; readonly clearsMs: number }> {
  const { name, alerts, also = [], lastsSeconds = LASTS_SECONDS } = fault;
  const missing = async () => {
    const firing = await prometheus.firing();
    const odd = [...firing].filter((alert) => ![...alerts, ...also].includes(alert));
    assert.deepEqual(odd, [], `${name}: fires without a reason`);
    return alerts.filter((alert) => !firing.has(alert));
  };
  await fault.begin(place);
  let left: readonly string[] = alerts;
  const firesMs = await bench
    .until(async () => (left = await missing()).length === 0, FIRES_MS, 250)
    .catch(() => assert.fail(`${name}: does not fire: ${left.join(', ')}`));
  for (let second = 0; second < lastsSeconds; second += 1) {
    await bench.sleep(1_000);
    assert.deepEqual(await missing(), [], `${name}: has ended after ${second} s, while the fault lasts`);
  }
  await fault.end(place);
  const clearsMs = await bench.until(async () => (await prometheus.firing()).size === 0, CLEARS_MS, 250);
  return { firesMs, clearsMs };
}

const live: OperationRow = {
  id: 'alerts-2',
  name: 'each alert fires in its fault, lasts as long as that, ends after it and is silent otherwise: Prometheus, sixty times as fast',
  fast: false,
  skip: noPrometheus,
  async run(bench) {
    const place = await openAlertPlace(bench);
    const prometheus = bench.own(await startPrometheus(place.gateway.adminUrl));
    for (let second = 0; second < 10; second += 1) {
      await bench.sleep(1_000);
      assert.deepEqual([...(await prometheus.firing())], [], 'nothing is wrong yet');
    }
    const played = [];
    for (const fault of alertFaults) played.push(await play(bench, place, prometheus, fault));
    const fired = new Set(alertFaults.flatMap(({ alerts }) => alerts));
    const silent = rules().filter(({ alert }) => !fired.has(alert));
    return {
      ok: silent.length === 0,
      figure: {
        alerts: fired.size,
        faults: played.length,
        'fires within s': Math.max(...played.map(({ firesMs }) => firesMs)) / 1_000,
        'ends within s': Math.max(...played.map(({ clearsMs }) => clearsMs)) / 1_000,
        'never tried': silent.map(({ alert }) => alert).join(' ') || 'none',
      },
    };
  },
};

/** Plays one fault for a moment, and keeps what `/metrics` said meanwhile. */
async function record(bench: FaultBench, place: AlertPlace, fault: AlertFault): Promise<RuleCase> {
  const { name, alerts, also = [], begin, end } = fault;
  const isUp = !alerts.includes('PorticoDown');
  const look = () => place.gateway.metrics();
  const before = await look();
  await begin(place);
  if (!isUp) {
    await end(place);
    return { name, alerts, also, isUp, metrics: { before, early: before, late: before, after: before } };
  }
  // A service that is slow, or a breaker, takes its time.
  await bench.sleep(3_500);
  const early = await look();
  await bench.sleep(RECORDED_MS);
  const late = await look();
  await end(place);
  await bench.sleep(7_000);
  return { name, alerts, also, isUp, metrics: { before, early, late, after: await look() } };
}

/** Minutes in which nothing is wrong. */
async function recordHealth(bench: FaultBench, { gateway }: AlertPlace): Promise<RuleCase> {
  const before = await gateway.metrics();
  await bench.sleep(RECORDED_MS);
  const early = await gateway.metrics();
  await bench.sleep(RECORDED_MS);
  const late = await gateway.metrics();
  return {
    name: 'nothing is wrong',
    alerts: [],
    also: [],
    isUp: true,
    metrics: { before, early, late, after: late },
  };
}

const whole: OperationRow = {
  id: 'alerts-3',
  name: 'the same over hours, with true durations: promtool on the metrics of a gateway under each fault',
  fast: false,
  skip: noPrometheus,
  async run(bench) {
    const place = await openAlertPlace(bench);
    const cases = [await recordHealth(bench, place)];
    for (const fault of alertFaults) cases.push(await record(bench, place, fault));
    const problems = await testRules(cases);
    assert.equal(problems.slice(0, 4_000), '');
    return { ok: true, figure: { cases: cases.length, rules: rules().length } };
  },
};

/** What Prometheus makes of the gateway's metrics. */
export const alertRows: readonly OperationRow[] = [accepted, live, whole];
