import { readFileSync } from 'node:fs';
import { createMetrics } from '../../../../src/admin/metrics/metrics.ts';
import { endsSoon } from '../../../../src/pipeline/stages/authentication/key-housekeeping.ts';
import { type GatewayCondition, thresholdText } from '../../../../src/telemetry/conditions/condition.ts';
import {
  alertRules,
  conditions,
  conditionOfEvent,
  findConditions,
} from '../../../../src/telemetry/conditions/conditions.ts';
import { keysExpiring } from '../../../../src/telemetry/conditions/gateway-conditions.ts';
import { messageOf } from '../../../../src/telemetry/webhooks/webhook-message.ts';
import { generatedSections } from '../../../../src/workbench/docs/generate/generated-sections.ts';

const DAY_MS = 86_400_000;

const entries = new Map(
  readFileSync('config/docs/runbook.md', 'utf8')
    .split(/^### /m)
    .slice(1)
    .map((entry) => [/^`(\w+)`/.exec(entry)?.[1], entry]),
);

/** The conditions with a threshold of their own that their entry of the runbook does not say. */
const unsaid = () =>
  conditions.filter(
    (one) =>
      one.unit !== undefined &&
      one.expr !== undefined &&
      !entries.get(one.entry)?.includes(thresholdText(one)),
  );

/** What each reader of the table says of keys that end soon, one of them in twenty days. */
function readersOf() {
  const gauges = (name: string) =>
    name === 'portico_keys_expiring' ? [{ labels: { kept: 'redis' }, value: 1 }] : [];
  const nothing = new Map<string, number>();
  const counts = { now: 0, grown: nothing, latest: nothing, lastHour: nothing };
  const [rule = ''] = /- alert: PorticoKeysExpiring\n[^-]*/.exec(alertRules()) ?? [];
  const runbook = generatedSections([])['config/docs/runbook.md']?.['conditions']?.() ?? '';
  const metrics = createMetrics({ operations: [], version: '', nodeVersion: '' }).describe();
  return {
    alert: /summary: (.*)/.exec(rule)?.[1],
    page: findConditions({ gauges, ...counts }).map(({ item }) => item.text),
    isToldByWebhook: endsSoon({ expiresAt: 20 * DAY_MS }, 0),
    metric: metrics.find(({ name }) => name === 'portico_keys_expiring')?.help.slice(0, 32),
    runbook: /`keys_expiring` *\| info *\| ([^|]*?) *\|/.exec(runbook)?.[1],
    unsaid: unsaid().map(({ id }) => id),
  };
}

describe('the table of conditions', () => {
  it('has one condition by each id', () => {
    const ids = conditions.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('has an entry of the runbook for each condition, and a condition for each entry of an alert', () => {
    const named = new Set(conditions.map(({ entry }) => entry));
    expect([...named].filter((entry) => !entries.has(entry))).toEqual([]);
    expect([...entries.keys()].filter((name) => name?.startsWith('Portico') && !named.has(name))).toEqual([]);
  });

  it('says what is wrong on the page or in an alert, and has one alert of each name', () => {
    for (const { expr, summary, find, text } of conditions) {
      expect(expr === undefined).toBe(summary === undefined);
      expect(find === undefined).toBe(text === undefined);
      expect(expr ?? text).toBeDefined();
    }
    const alerts = conditions.flatMap(({ expr, entry }) => (expr === undefined ? [] : [entry]));
    expect(new Set(alerts).size).toBe(alerts.length);
  });

  it('writes each threshold into its rule, and the runbook says it in the same words', () => {
    for (const { above = 0, expr } of conditions)
      if (expr?.includes('$above')) expect(alertRules()).toContain(expr.replaceAll('$above', String(above)));
    expect(unsaid()).toEqual([]);
  });

  it('gives the webhook of a condition its id, and that of no condition none', () => {
    const bodyOf = (type: 'breaker.opened' | 'breaker.closed') =>
      JSON.parse(
        messageOf({ type, subject: 'breaker:crm', data: { source: 'crm' } }, 'host:1', 0).body,
      ) as object;
    const opened = { condition: 'breaker_open', source: 'crm', instance: 'host:1' };
    expect(bodyOf('breaker.opened')).toMatchObject({ data: opened });
    expect(bodyOf('breaker.closed')).toMatchObject({ data: { source: 'crm', instance: 'host:1' } });
    expect(bodyOf('breaker.closed')).not.toHaveProperty('data.condition');
    const told = conditions.flatMap(({ id, webhook }) =>
      webhook === undefined ? [] : [[id, webhook] as const],
    );
    for (const [id, webhook] of told) expect(conditionOfEvent(webhook)).toBe(id);
  });

  it('is the one place of a threshold: alert, page, webhook, metric and runbook follow it', () => {
    const [one, other] = [14, 30].map((days) => {
      return {
        alert: `An API key ends within ${days} days.`,
        page: [`1 API key ends within ${days} days.`],
        isToldByWebhook: days > 20,
        metric: `API keys that end within ${days} days`.slice(0, 32),
        runbook: `${days} days`,
        // The words of an entry are written by people, and this check holds them to the table.
        unsaid: days === 14 ? [] : ['keys_expiring'],
      };
    });
    expect(readersOf()).toEqual(one);
    const changed = keysExpiring as { -readonly [Key in keyof GatewayCondition]: GatewayCondition[Key] };
    try {
      changed.above = 30;
      expect(readersOf()).toEqual(other);
    } finally {
      changed.above = 14;
    }
  });
});
