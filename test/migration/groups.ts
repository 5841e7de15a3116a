import { migration } from '../../src/config/schema/migration.ts';
import { listBody } from '../../src/contract/response-body.ts';
import { resources } from '../support/reference.ts';
import { Decimal } from '../../src/kernel/decimal.ts';
import { compareAnswers } from '../../src/migration/compare/compare-answers.ts';
import { compileDifferenceRules } from '../../src/migration/compare/rules.ts';
import { createDifferenceSampler } from '../../src/migration/compare/sample.ts';
import { createMigrationCounts } from '../../src/migration/counts/count-comparisons.ts';
import { createLocalCountsStore } from '../../src/migration/counts/local-counts.ts';
import type { RuntimeRule } from '../../src/migration/state/migration-state.ts';
import type { SourceAnswer } from '../../src/pipeline/stages/call.ts';
import { type BenchRow, promised } from '../faults/harness/row.ts';
import { migrationState } from '../support/migration/migration-facts.ts';
import { queryOf } from '../support/pipeline/source-text.ts';

const NOW = Date.UTC(2026, 0, 1);

/** A page of products with these prices. */
function page(prices: readonly string[], from: number): SourceAnswer {
  const records = prices.map((price, at) => ({
    ...{ id: `prod_${from + at}`, name: 'Thing', description: null, category: 'Toys' },
    price: Decimal.parse(price) ?? null,
  }));
  const body = Buffer.from(
    listBody(resources.products, records, { total: prices.length, page: 1, limit: 100 }),
  );
  return { found: true, storedAt: NOW, freshSeconds: 1, tags: [], body };
}

/** The groups of differences between two lists of prices, with these rules. */
async function groupsOf(pairs: readonly (readonly [string, string])[], rules: readonly RuntimeRule[]) {
  const counts = createMigrationCounts({
    ...{ store: createLocalCountsStore(), clock: { now: () => NOW }, secret: 'key', critical: () => [] },
    states: { current: () => migrationState({ resource: 'products' }) },
  });
  const isAccepted = compileDifferenceRules(migration.parse({ to: 'x' }).compare);
  const toSample = createDifferenceSampler({ secret: 'key', showMask: [] });
  for (let from = 0; from < pairs.length; from += 65) {
    const some = pairs.slice(from, from + 65);
    const [legacy, next] = [0, 1].map((side) =>
      page(
        some.map((pair) => pair[side] ?? ''),
        from,
      ),
    );
    if (legacy === undefined || next === undefined) break;
    const found = compareAnswers(resources.products, queryOf('products', 'limit=100'), legacy, next);
    const sampled = (isIgnored: boolean) =>
      found.filter((one) => isAccepted(one, rules, NOW) === isIgnored).map((one) => toSample(one, ''));
    const [differences, ignored] = [sampled(false), sampled(true)];
    const about = { resource: 'products', operation: 'products.list', query: String(from) };
    counts.compared({ ...about, verdict: 'mismatch', differences, ignored });
  }
  const groups = await counts.differences('products');
  counts.close();
  return groups.map(({ path, hint, count, ignored }) =>
    [path, hint ?? 'no hint', count, ignored ? 'ignored' : 'counts'].join(' '),
  );
}

/** 127 prices with trailing zeros, and three that are off by a cent. */
const pairs = Array.from({ length: 130 }, (_, at): readonly [string, string] =>
  at % 50 === 7 ? ['19.99', '20.00'] : ['19.9', '19.90'],
);
const rule = { id: 'r1', path: 'data[].price', owner: 'ana', reason: 'digits', until: NOW + 1 };

const cents: BenchRow = {
  id: 'groups-1',
  name: '127 prices with trailing zeros and 3 off by a cent are two groups, and a rule for numeric-equal lets the cents count',
  fast: true,
  async run() {
    const plain = await groupsOf(pairs, []);
    const hinted = await groupsOf(pairs, [{ ...rule, hint: 'numeric-equal' }]);
    const isApart =
      plain.join() === 'data[].price numeric-equal 127 counts,data[].price no hint 3 counts' &&
      hinted.join() === 'data[].price numeric-equal 127 ignored,data[].price no hint 3 counts';
    return promised(isApart, { groups: plain.join('; '), 'with the rule': hinted.join('; ') });
  },
};

const whole: BenchRow = {
  id: 'groups-2',
  name: 'a rule without a hint ignores every difference at its path, and equal prices are none',
  fast: true,
  async run() {
    const ignored = await groupsOf(pairs, [rule]);
    const equal = await groupsOf([['19.90', '19.90']], []);
    return promised(
      ignored.every((group) => group.endsWith('ignored')) && ignored.length === 2 && equal.length === 0,
      { 'with the rule': ignored.join('; '), equal: equal.length },
    );
  },
};

/** Rows about how differences are told apart. */
export const groupRows: readonly BenchRow[] = [cents, whole];
