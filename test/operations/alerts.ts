import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { parse } from 'yaml';
import { createMetrics } from '../../src/admin/metrics/metrics.ts';
import { mergeMetrics } from '../../src/gateway/workers/merged-metrics.ts';
import type { FaultBench } from '../faults/harness/bench.ts';
import type { FaultGateway } from '../faults/harness/gateway.ts';
import { type AlertFault, alertFaults } from './harness/alert-faults.ts';
import { ALERTMANAGER_FILE } from './harness/alertmanager.ts';
import { type AlertTestbed, openAlertTestbed } from './harness/alert-testbed.ts';
import { migrationAlertCases } from './harness/migration-alert-cases.ts';
import { noPrometheus, type Prometheus, startPrometheus } from './harness/prometheus.ts';
import { testLengths } from './harness/fault-lengths.ts';
import { lengthCases, silentCases, toldAtOnce } from './harness/length-cases.ts';
import { type RuleCase, testRules } from './harness/promtool-rule-tests.ts';
import { type BenchRow, promised } from '../faults/harness/row.ts';

const run = promisify(execFile);

/** Longer than any of the fast rules takes to fire, and to end: their longest range is an hour, so a minute. */
const FIRES_MS = 40_000;
const CLEARS_MS = 90_000;
const LASTS_SECONDS = 4;
const HEALTHY_SECONDS = 10;
/** So much of what promtool says is shown. */
const PROBLEMS_LENGTH = 4_000;

type Inhibitions = {
  readonly inhibit_rules: readonly Readonly<
    Record<'source_matchers' | 'target_matchers', readonly string[]>
  >[];
};
type Rule = {
  readonly alert: string;
  readonly annotations: { readonly description: string; readonly runbook_url: string };
};
type Rules = { readonly groups: readonly { readonly rules: readonly Rule[] }[] };
const rules = () =>
  (parse(readFileSync('config/alerts.yaml', 'utf8')) as Rules).groups.flatMap((one) => one.rules);

const accepted: BenchRow = {
  id: 'alerts-1',
  name: 'promtool accepts the rules of config/alerts.yaml',
  fast: true,
  skip: noPrometheus,
  async run() {
    const { stdout } = await run('promtool', ['check', 'rules', 'config/alerts.yaml']);
    const found = Number(/SUCCESS: (\d+) rules found/.exec(stdout)?.[1] ?? 0);
    return promised(found === rules().length, { rules: found });
  },
};

/** The series of a gateway that say which configuration it serves. */
async function infoOf(gateway: FaultGateway): Promise<string> {
  const lines = (await gateway.metrics()).split('\n');
  return lines.filter((line) => line.startsWith('portico_config_info{')).join('\n');
}

const redisStates = (metrics: string) => metrics.match(/^portico_redis_state\{.*$/gm)?.join('\n');

/**
 * What a gateway shows at a moment when it shows the same of Redis a little later. A Redis that is a replica is lost for some
 * milliseconds now and then: a new connection may find the master. promtool takes what it gets for what lasts.
 */
async function lookSteadily(bench: FaultBench, look: () => Promise<string>): Promise<string> {
  for (;;) {
    const first = await look();
    await bench.sleep(250);
    if (redisStates(first) === redisStates(await look())) return first;
  }
}

type Played = { readonly firesMs: number; readonly clearsMs: number; readonly recorded: RuleCase };

/** Plays one fault: its alerts fire, nothing else does, they last as long as it does, and end after it. */
async function play(
  bench: FaultBench,
  place: AlertTestbed,
  prometheus: Prometheus,
  fault: AlertFault,
): Promise<Played> {
  const { name, alerts, also = [], lastsSeconds = LASTS_SECONDS } = fault;
  const isUp = !alerts.includes('PorticoDown');
  // Both together, as Prometheus sees them; what is alike of both is there twice, and counts once.
  const look = async () => `${await place.gateway.metrics()}\n${await infoOf(place.replica)}`;
  const missing = async () => {
    const firing = await prometheus.firing();
    const odd = [...firing].filter((alert) => ![...alerts, ...also].includes(alert));
    assert.deepEqual(odd, [], `${name}: fires without a reason`);
    return alerts.filter((alert) => !firing.has(alert));
  };
  const before = await look();
  await fault.begin(place);
  let left: readonly string[] = alerts;
  const firesMs = await bench
    .until(async () => (left = await missing()).length === 0, FIRES_MS, 250)
    .catch(() => assert.fail(`${name}: does not fire: ${left.join(', ')}`));
  const early = isUp ? await lookSteadily(bench, look) : before;
  for (let second = 0; second < lastsSeconds; second += 1) {
    await bench.sleep(1_000);
    assert.deepEqual(await missing(), [], `${name}: has ended after ${second} s, while the fault lasts`);
  }
  const late = isUp ? await lookSteadily(bench, look) : before;
  await fault.end(place);
  const clearsMs = await bench.until(async () => (await prometheus.firing()).size === 0, CLEARS_MS, 250);
  const metrics = { before, early, late, after: await look() };
  return { firesMs, clearsMs, recorded: { name, alerts, also, isUp, metrics } };
}

/** Some seconds in which nothing is wrong, and no alert fires. */
async function playHealth(bench: FaultBench, place: AlertTestbed, prometheus: Prometheus): Promise<RuleCase> {
  const looks: string[] = [];
  for (let second = 0; second < HEALTHY_SECONDS; second += 1) {
    looks.push(await place.gateway.metrics());
    await bench.sleep(1_000);
    assert.deepEqual([...(await prometheus.firing())], [], 'nothing is wrong yet');
  }
  const [before = '', early = ''] = looks;
  const late = looks.at(-1) ?? '';
  return {
    name: 'nothing is wrong',
    alerts: [],
    also: [],
    isUp: true,
    metrics: { before, early, late, after: late },
  };
}

/** One of two workers has lost its Redis: what their primary counts is the sum. */
async function oneWorkerLost(): Promise<RuleCase> {
  const [well, other] = [1, 2].map(() => createMetrics({ operations: [], version: '1', nodeVersion: 'v24' }));
  let state: 'ready' | 'lost' = 'ready';
  well!.watchRedis('limits', () => 'ready');
  other!.watchRedis('limits', () => state);
  const look = async () => mergeMetrics([await well!.values(), await other!.values()]).metrics();
  const before = await look();
  state = 'lost';
  const early = await look();
  const metrics = { before, early, late: early, after: before };
  return {
    name: 'one of two workers has lost Redis',
    alerts: ['PorticoRedisLost'],
    also: [],
    isUp: true,
    metrics,
  };
}

const lives: BenchRow = {
  id: 'alerts-2',
  name: 'each alert fires in its fault, lasts as long as that, ends after it and is silent otherwise: Prometheus, sixty times as fast; then promtool with true durations on what the gateway counted',
  skip: noPrometheus,
  async run(bench) {
    const place = await openAlertTestbed(bench);
    const prometheus = bench.own(await startPrometheus([place.gateway.adminUrl, place.replica.adminUrl]));
    const health = await playHealth(bench, place, prometheus);
    const played: Played[] = [];
    for (const fault of alertFaults) played.push(await play(bench, place, prometheus, fault));
    const cases = [health, ...played.map(({ recorded }) => recorded), await oneWorkerLost()];
    const problems = await testRules(cases);
    assert.equal(problems.slice(0, PROBLEMS_LENGTH), '');
    const moving = (await migrationAlertCases()).flatMap(({ alerts }) => alerts);
    // No fault of this table lasts as these: promtool alone has them.
    const counted = lengthCases.map(({ alert }) => alert);
    const fired = new Set([...alertFaults.flatMap(({ alerts }) => alerts), ...moving, ...counted]);
    const untried = rules().filter(({ alert }) => !fired.has(alert));
    return promised(untried.length === 0, {
      alerts: fired.size,
      faults: played.length,
      'fires within s': Math.max(...played.map(({ firesMs }) => firesMs)) / 1_000,
      'ends within s': Math.max(...played.map(({ clearsMs }) => clearsMs)) / 1_000,
      'cases of promtool': cases.length,
      'never tried': untried.map(({ alert }) => alert).join(' ') || 'none',
    });
  },
};

const ofMigrations: BenchRow = {
  id: 'alerts-3',
  name: 'each alert about a migration fires while what it speaks of lasts, ends after it and is silent otherwise: promtool with true durations on what two gateways show',
  fast: true,
  skip: noPrometheus,
  async run() {
    const cases = await migrationAlertCases();
    const problems = await testRules(cases);
    assert.equal(problems.slice(0, PROBLEMS_LENGTH), '');
    return promised(true, { alerts: new Set(cases.flatMap(({ alerts }) => alerts)).size });
  },
};

const lengths: BenchRow = {
  id: 'alerts-4',
  name: 'each alert is silent in a fault of 30 s, fires in one of 10 min within its time, and has ended 30 s after a state and 3 min after what is counted: promtool',
  fast: true,
  skip: noPrometheus,
  async run() {
    const known = new Set([...lengthCases.map(({ alert }) => alert), ...toldAtOnce]);
    const untried = rules().filter(({ alert }) => !known.has(alert));
    assert.deepEqual(untried, []);
    const problems = await testLengths(lengthCases, silentCases);
    assert.equal(problems.slice(0, PROBLEMS_LENGTH), '');
    return promised(true, { alerts: lengthCases.length, 'told at once': toldAtOnce.length });
  },
};

const said: BenchRow = {
  id: 'alerts-5',
  name: 'each alert says of what it is, its value, since when, and where the runbook has it; Alertmanager takes its configuration, which silences each effect of a dead Redis',
  fast: true,
  skip: noPrometheus,
  async run() {
    for (const { alert, annotations } of rules()) {
      assert.match(annotations.description, /\$labels.*\$value.*since/, alert);
      assert.ok(annotations.runbook_url.endsWith(`runbook.md#${alert.toLowerCase()}`), alert);
    }
    const { stdout } = await run('amtool', ['check-config', ALERTMANAGER_FILE]);
    assert.match(stdout, /SUCCESS/);
    const { inhibit_rules } = parse(readFileSync(ALERTMANAGER_FILE, 'utf8')) as Inhibitions;
    const names = new Set(rules().map(({ alert }) => alert));
    const named = inhibit_rules.flatMap((rule) => [...rule.source_matchers, ...rule.target_matchers]);
    const alerts = named.flatMap((text) => [...text.matchAll(/Portico\w+/g)].map(([name]) => name));
    assert.deepEqual(
      alerts.filter((alert) => !names.has(alert)),
      [],
    );
    return promised(alerts.length > 0, { inhibitions: inhibit_rules.length });
  },
};

/** What Prometheus makes of the gateway's metrics. */
export const alertRows: readonly BenchRow[] = [accepted, lives, ofMigrations, lengths, said];
