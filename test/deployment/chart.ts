import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import { parse } from 'yaml';
import type { FaultBench } from '../faults/harness/bench.ts';
import { type BenchRow, promised } from '../faults/harness/row.ts';
import * as chart from './harness/chart.ts';
import {
  findingsOf,
  noHelm,
  noKubeScore,
  noSchemas,
  runHelm,
  validateManifests,
} from './harness/kubernetes-tools.ts';

function folderOf(bench: FaultBench): string {
  const folder = mkdtempSync(join(tmpdir(), 'portico-chart-'));
  bench.own({ close: () => rmSync(folder, { recursive: true }) });
  return folder;
}

type Values = { readonly config: string; readonly sources: Readonly<Record<string, string>> };

const examples: BenchRow = {
  id: 'chart-1',
  name: 'the values of each example fit the strict schema of the chart and their configuration passes portico check',
  fast: true,
  async run(bench) {
    const folder = folderOf(bench);
    const schema = chart.readYaml(`${chart.CHART}/values.schema.json`) as object;
    const fits = new Ajv({ allErrors: true, allowUnionTypes: true }).compile(schema);
    for (const file of [`${chart.CHART}/values.yaml`, ...chart.allValues.map((one) => one.file)])
      assert.ok(fits(chart.readYaml(file)), `${file}: ${JSON.stringify(fits.errors)}`);
    assert.equal(fits({ replica: 2 }), false, 'a misspelt key is refused');
    for (const { name, file } of chart.allValues) {
      const { config, sources } = chart.readYaml(file) as Values;
      const { code, err } = await chart.checkTexts(join(folder, name), config, sources);
      assert.deepEqual({ file, code, err }, { file, code: 0, err: '' });
    }
    return promised(true, { 'values files': chart.allValues.length });
  },
};

const golden: BenchRow = {
  id: 'chart-2',
  name: 'helm lint --strict accepts the chart with each values file, renders what is committed, and portico check accepts the rendered ConfigMap; --long writes what is committed anew',
  skip: noHelm,
  async run(bench) {
    const folder = folderOf(bench);
    let manifests = 0;
    for (const { name, file, golden: committed } of chart.allValues) {
      const lint = await runHelm('lint', '--strict', chart.CHART, '--values', file);
      assert.equal(lint.code, 0, lint.out);
      const { code, out } = await chart.renderChart(file);
      assert.equal(code, 0, out);
      if (bench.long) writeFileSync(committed, out);
      assert.equal(
        out,
        readFileSync(committed, 'utf8'),
        `${committed} is not what is rendered; -- --only chart-2 --long`,
      );
      const rendered = chart.manifestsOf(out);
      manifests += rendered.length;
      const { gateway, sources } = chart.mountedTexts(rendered);
      const { config, sources: given } = chart.readYaml(file) as Values;
      assert.deepEqual({ gateway, sources }, { gateway: config, sources: given }, 'word for word');
      const checked = await chart.checkTexts(join(folder, name), gateway, sources);
      assert.deepEqual({ file, code: checked.code, err: checked.err }, { file, code: 0, err: '' });
    }
    return promised(true, { goldens: chart.allValues.length, manifests });
  },
};

const valid: BenchRow = {
  id: 'chart-3',
  name: 'every manifest of the goldens fits the schemas of Kubernetes, without a field that they do not know',
  skip: noSchemas,
  async run() {
    const { code, out } = await validateManifests(...chart.allValues.map((one) => one.golden));
    assert.equal(code, 0, out);
    const count = (pattern: RegExp) => [...out.matchAll(pattern)].length;
    const unknown = [...out.matchAll(/Couldn't find schema for kind (\w+)/g)].map(([, kind = '']) => kind);
    // What Kubernetes itself does not know: the resources of the operator of Prometheus.
    assert.deepEqual([...new Set(unknown)].sort(), ['PrometheusRule', 'ServiceMonitor']);
    return promised(true, { valid: count(/ passed for resource /g), 'without a schema': unknown.length });
  },
};

const observed: BenchRow = {
  id: 'chart-observed',
  name: 'the chart has the alerts of config/alerts.yaml and the board word for word, where they are asked for',
  skip: noHelm,
  async run() {
    const { file, golden: committed } = chart.allValues.find(({ name }) => name === 'observed')!;
    const rendered = chart.manifestsOf(readFileSync(committed, 'utf8'));
    const rule = rendered.find(({ kind }) => kind === 'PrometheusRule');
    const alerts = readFileSync('config/alerts.yaml', 'utf8');
    const named = alerts.replaceAll(
      'https://portico.example/docs/runbook.md',
      'https://docs.example/runbook.md',
    );
    assert.deepEqual(rule?.spec, parse(named));
    const { code, out } = await chart.renderChart(file, '--set', 'dashboard.enabled=true');
    assert.equal(code, 0, out);
    const board = chart.manifestsOf(out).find(({ metadata }) => metadata.name.endsWith('-dashboard'));
    assert.deepEqual(
      JSON.parse(board?.data?.['portico.json'] ?? ''),
      JSON.parse(readFileSync('config/grafana/portico.json', 'utf8')),
    );
    return promised(true, { rules: [...alerts.matchAll(/- alert:/g)].length });
  },
};

/** Values that cannot work, and what Helm says of them. */
const WRONG: readonly (readonly [string, readonly string[], RegExp])[] = [
  ['no configuration', ['--set', 'config='], /config is empty/],
  ['a misspelt value', ['--set', 'replica=2'], /additional ?[Pp]ropert.*replica/],
  [
    'two replicas without Redis',
    ['--set', 'replicas=2', '--set-string', 'config=admin: {host: 0.0.0.0\\, token: x}'],
    /config has no redis/,
  ],
  [
    'an operator’s listener that no probe reaches',
    ['--set-string', 'config=admin: {token: x}'],
    /admin\.host is 127\.0\.0\.1/,
  ],
  [
    'an operator’s listener for everybody',
    ['--set-string', 'config=admin: {host: 0.0.0.0}'],
    /anyone in the cluster/,
  ],
  [
    'another port',
    ['--set-string', 'config=admin: {host: 0.0.0.0\\, token: x\\, port: 9999}'],
    /admin\.port is 9999/,
  ],
  ['too little time to drain', ['--set', 'terminationGracePeriodSeconds=12'], /a drain takes up to 13 s/],
  ['a port in the variables', ['--set', 'env.PORT=1'], /propertyName 'PORT'/],
  ['a token that nobody named', ['--set', 'serviceMonitor.enabled=true'], /tokenSecret\.name is empty/],
  ['an ingress without a host', ['--set', 'ingress.enabled=true'], /ingress\.host is empty/],
];

const refused: BenchRow = {
  id: 'chart-4',
  name: 'values that cannot work are refused before anything is installed, with what to write',
  skip: noHelm,
  async run() {
    for (const [what, words, says] of WRONG) {
      const { code, out } = await chart.renderChart(`${chart.CHART}/examples/one-machine.yaml`, ...words);
      assert.notEqual(code, 0, what);
      assert.match(out, says, what);
    }
    return promised(true, { refused: WRONG.length });
  },
};

/** What kube-score finds in an example on purpose, and why it is so. */
const MEANT: Readonly<Record<string, string>> = {
  'container-resources':
    'a limit of CPU stops a process for a part of each tenth of a second, and requests wait',
  'container-image-pull-policy':
    'a version is one image; a restart must not depend on a registry that answers',
  'deployment-has-host-podantiaffinity': 'topologySpreadConstraints spread the replicas, over zones, too',
  'pod-networkpolicy': 'who calls is not known to the chart; the example "cluster" says it',
  'deployment-replicas': 'the example "one-machine" is one replica',
};

const scored: BenchRow = {
  id: 'chart-5',
  name: 'kube-score finds nothing in the examples but what is meant so, and nothing of a policy in the example of a cluster',
  skip: noKubeScore,
  async run() {
    const found: Record<string, number> = {};
    for (const { name, file, golden } of chart.allValues) {
      if (!file.startsWith(chart.CHART)) continue;
      const findings = await findingsOf(golden);
      for (const finding of findings) {
        assert.ok(finding in MEANT, `${name}: ${finding}`);
        found[finding] = (found[finding] ?? 0) + 1;
      }
      if (name === 'cluster')
        assert.ok(!findings.includes('pod-networkpolicy'), 'who may connect, and where to');
    }
    return promised(true, found);
  },
};

/** The chart for Kubernetes. */
export const chartRows: readonly BenchRow[] = [examples, golden, observed, valid, refused, scored];
