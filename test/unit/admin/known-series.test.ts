import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { knownSeries } from '../../../src/admin/metrics/known-series.ts';
import { createMetrics } from '../../../src/admin/metrics/metrics.ts';
import { readConfig } from '../../../src/cli/input/read-config.ts';

const { gateway, compiled } = readConfig('config/demo.yaml', { REDIS_URL: 'redis://127.0.0.1:6379' });
gateway.limits.tiers['standard']!.onStoreFailure = 'closed';
const operations = ['users.list', 'users.get', 'products.list', 'passthrough.orders'];

async function declared(): Promise<readonly string[]> {
  const metrics = createMetrics({ operations, version: '1', nodeVersion: '24' });
  metrics.declare(knownSeries(gateway, compiled, operations));
  const lines = (await metrics.text()).split('\n');
  return lines.filter((line) => line.startsWith('portico_'));
}

const { groups } = parse(readFileSync('config/alerts.yaml', 'utf8')) as {
  groups: { rules: { alert: string; expr: string }[] }[];
};
/** Each counter that a rule asks for, with what it wants of the labels. */
const asked = groups[0]!.rules.flatMap(({ alert, expr }) =>
  [...expr.matchAll(/(portico_\w+_total)(?:\{([^}]*)\})?/g)].map(([text, name = '', matchers = '']) => ({
    ...{ alert, text, name },
    wanted: [...matchers.matchAll(/(\w+)=(~?)"([^"]*)"/g)].map(([, label, isPattern, value = '']) =>
      isPattern === '~' ? new RegExp(`[{,]${label}="(?:${value})"`) : new RegExp(`[{,]${label}="${value}"`),
    ),
  })),
);

describe('the series of a configuration', () => {
  it.each(asked)(
    'has with 0, before anything happens, what $alert asks for: $text',
    async ({ name, wanted }) => {
      const lines = (await declared()).filter((line) => line.startsWith(`${name}{`));
      const found = lines.filter((line) => wanted.every((pattern) => pattern.test(line)));
      expect(found.length).toBeGreaterThan(0);
      expect(found.filter((line) => !line.endsWith(' 0'))).toEqual([]);
    },
  );

  it('has the claims, views, fields and reasons of every source', async () => {
    const lines = await declared();
    for (const line of [
      'portico_guard_trips_total{source="crm",resource="users",rule="order"} 0',
      'portico_guard_trips_total{source="crm",resource="users",rule="sort.id.ascending"} 0',
      'portico_guard_trips_total{source="catalog",resource="products",rule="filter.category.eq"} 0',
      'portico_dropped_records_total{source="crm",resource="users",view="list"} 0',
      'portico_unreadable_fields_total{source="crm",field="users.created_at",reason="unreadable"} 0',
      'portico_invalid_replies_total{source="catalog",resource="products",reason="syntax"} 0',
      'portico_upstream_replies_total{source="crm",rule="outcomes[1]",is="not_found"} 0',
      'portico_upstream_replies_total{source="catalog",rule="none",is="by_status"} 0',
      'portico_limiter_decisions_total{tier="standard",outcome="unavailable",by="unavailable"} 0',
    ])
      expect(lines).toContain(line);
  });

  it('are few, and no bucket of a histogram is among them', async () => {
    const lines = await declared();
    expect(lines.filter((line) => line.includes('_bucket'))).toEqual([]);
    expect(lines.length).toBeLessThan(500);
  });
});
