// Runs promtool's tests of the alert rules in config/alerts.yaml.

import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { env } from 'node:process';
import { promisify } from 'node:util';
import { parse } from 'yaml';

const run = promisify(execFile);

/** How often series are scraped and rules are evaluated, as in config/prometheus/prometheus.yaml. */
export const STEP_SECONDS = 15;

/** A test of promtool: series over a timeline, and what queries find in it at some moments. */
export type RuleTest = {
  readonly name: string;
  readonly input_series: readonly { readonly series: string; readonly values: string }[];
  readonly promql_expr_test: readonly object[];
};

type Rules = { readonly groups: readonly { readonly rules: readonly { readonly expr: string }[] }[] };

/** The rules that may fire over these series. One that reads none of them is empty at every moment, unless it asks for that. */
function rulesOver({ groups }: Rules, { input_series }: RuleTest): Rules {
  const there = new Set(input_series.map(({ series }) => series.replace(/\{.*/, '')));
  const mayFire = (expr: string) =>
    /absent/.test(expr) || (expr.match(/\b(?:portico_\w+|up)\b/g) ?? []).some((name) => there.has(name));
  return {
    groups: groups.map((group) => ({ ...group, rules: group.rules.filter(({ expr }) => mayFire(expr)) })),
  };
}

/**
 * Runs `promtool test rules` on config/alerts.yaml with true durations. Each test has those rules that may fire in it:
 * to evaluate the others at every step takes five times as long. Resolves with what promtool says, empty if all of it
 * holds.
 */
export async function runRuleTests(tests: readonly RuleTest[]): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'portico-rules-'));
  const rules = parse(readFileSync('config/alerts.yaml', 'utf8')) as Rules;
  const write = (name: string, content: object) => {
    // JSON is YAML.
    writeFileSync(join(folder, name), JSON.stringify(content));
    return join(folder, name);
  };
  const writeTest = (test: RuleTest, index: number) => {
    write(`rules-${index}.yaml`, rulesOver(rules, test));
    const interval = `${STEP_SECONDS}s`;
    const tests = [{ ...test, interval }];
    const rule_files = [`rules-${index}.yaml`];
    return write(`tests-${index}.yaml`, { rule_files, evaluation_interval: interval, tests });
  };
  try {
    const files = tests.map(writeTest);
    // With Go's usual setting, a third of its time is garbage collection.
    const options = { maxBuffer: 64 * 1024 ** 2, env: { ...env, GOGC: '800' } };
    return await run('promtool', ['test', 'rules', ...files], options).then(
      () => '',
      (error: unknown) => {
        const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
        return `${stdout}${stderr}`;
      },
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
