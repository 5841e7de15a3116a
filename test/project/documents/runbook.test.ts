import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { createMetrics } from '../../../src/admin/metrics/metrics.ts';
import { errorCodes } from '../../../src/kernel/errors/catalogue.ts';
import { fixedParts, readCode } from './document.ts';

const root = new URL('../../../', import.meta.url).pathname;
const read = (file: string) => readFileSync(join(root, file), 'utf8');

const runbook = read('config/docs/runbook.md');
const [codesPart = '', alertsPart = ''] = runbook.split('\n## Alerts\n');
const entriesOf = (part: string) => [...part.matchAll(/^### `(\w+)`$/gm)].map(([, name]) => name);

/** What is typed: a command of Portico or Redis. */
const COMMAND = /^(?:portico|npm|CONFIG|INFO) /;

type Rule = { alert: string; expr: string; labels: { severity: string }; annotations: { summary: string } };
const { groups } = parse(read('config/alerts.yaml')) as { groups: { name: string; rules: Rule[] }[] };
const rules = groups.flatMap((group) => group.rules);

/** Every series of the metrics, once each of them has counted something. */
async function series(): Promise<string> {
  const metrics = createMetrics({ operations: ['users.list'], version: '1', nodeVersion: '24' });
  metrics.request('users.list', 500, 'none', 1);
  metrics.upstreamCall('crm', 'ok', undefined, 1);
  metrics.limiterDecision('standard', 'admitted', 'redis');
  metrics.credential('key', 'accepted');
  metrics.cacheEvent('redis', 'failed');
  metrics.records('crm', 'users', 'list', 1, 1);
  metrics.unreadableField('crm', 'name', 'missing');
  metrics.invalidReply('crm', 'users', 'rows');
  metrics.guardTrip('crm', 'users', 'total');
  metrics.ruleReplies('crm', 'outcomes[0]', 'ok').add();
  metrics.overloaded('users.list', 'in_flight');
  metrics.watchExpiring('redis', () => 1);
  metrics.issuerLost(true);
  metrics.watchRefusedCallers(() => [
    { id: 'a', label: 'A', share: 0.5, since: 0, last: 1, limited: 1, requests: 2 },
  ]);
  metrics.webhook('breaker.opened', 'dead', 'hooks.example');
  metrics.watchRedis('cache', () => 'full');
  metrics.breakerState('crm', 'open', {});
  metrics.configInForce('digest');
  metrics.watchClaims(() => [
    { source: 'crm', resource: 'users', claim: 'order' },
    { source: 'crm', resource: 'users', claim: 'field.email.gone' },
  ]);
  metrics.sourceEvent('crm', 'breaker_open');
  metrics.migrationFallback('users', 'users.get', 'timeout');
  metrics.migrationCompared({
    ...{ resource: 'users', operation: 'users.get', verdict: 'mismatch' },
    differences: [{ path: 'data.email' }],
  });
  metrics.revRegressed('users');
  metrics.migrationGate('users', true);
  metrics.migrationTransient('users', 'users.get', true);
  metrics.watchHolds(() => [{ resource: 'users', by: 'judge' }]);
  const position = { stage: 'ramp', percent: 5, rev: 3 } as const;
  const positions = () => [{ resource: 'users', operation: 'users.get', ...position }];
  metrics.watchMigrations({ positions, staleSeconds: () => 0, openBreakers: () => ['users'] });
  return metrics.text();
}

describe('the runbook', () => {
  it('has an entry for every error code, and none for any other', () => {
    expect(entriesOf(codesPart)).toEqual(errorCodes);
  });

  it('has an entry for every alert, and none for any other', () => {
    expect(entriesOf(alertsPart)).toEqual(rules.map(({ alert }) => alert));
  });

  it('says in each entry what it means, what to look at and what to do', () => {
    const entries = runbook.split(/^### /m).slice(1);
    for (const entry of entries) expect(entry).toMatch(/\*\*Means:\*\*[^]+\*\*Look at:\*\*[^]+\*\*Do:\*\*/);
  });

  it('quotes only messages that Portico has', () => {
    const quoted = [...runbook.matchAll(/`([^`]+)`/g)].map(([, text = '']) => text.replaceAll('\n', ' '));
    const messages = quoted.filter((text) => !COMMAND.test(text)).flatMap(fixedParts);
    expect(messages.length).toBeGreaterThan(5);
    const code = readCode();
    expect(messages.filter((message) => !code.includes(message))).toEqual([]);
  });

  it('names only metrics that there are', async () => {
    const text = await series();
    const names = [...runbook.matchAll(/`((?:portico|nodejs)_[a-z0-9_]+)/g)].map(([, name = '']) => name);
    expect(names.filter((name) => !text.includes(`# TYPE ${name} `))).toEqual([]);
  });
});

describe('the alert rules', () => {
  it('name only metrics and labels that there are', async () => {
    const lines = (await series()).split('\n');
    for (const { alert, expr } of rules)
      for (const [, name = '', matchers = ''] of expr.matchAll(/(portico_\w+)(?:\{([^}]*)\})?/g)) {
        const line = lines.find((one) => one.startsWith(`${name}{`) || one.startsWith(`${name} `)) ?? '';
        expect(`${alert} ${line.split(/[{ ]/)[0]}`).toBe(`${alert} ${name}`);
        const grouped = [...expr.matchAll(/by \(([^)]*)\)/g)].flatMap(([, by = '']) => by.split(', '));
        const matched = [...matchers.matchAll(/(\w+)=/g)].map(([, label = '']) => label);
        const metricLines = lines.filter((one) => expr.includes(one.split('{')[0] ?? '')).join();
        for (const label of matched) expect(`${alert} ${line}`).toContain(`${label}="`);
        for (const label of grouped.filter((one) => one !== 'instance' && one !== 'job'))
          expect(`${alert} ${metricLines}`).toContain(`${label}="`);
      }
  });

  it('say how urgent they are, and what is the matter in one sentence', () => {
    for (const { labels, annotations } of rules) {
      expect(['page', 'ticket']).toContain(labels.severity);
      expect(annotations.summary).toMatch(/^[A-Z][^]*\.$/);
    }
  });
});
