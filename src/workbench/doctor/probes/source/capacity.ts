// Probes whether the budget of a source file is enough for all of its rows, because a scan beyond it is answered with 503.

import { type ScanPlan, scanReach } from '../../../../source/adapter/plan/plan.ts';
import { pushedOperatorsOf } from '../../../../contract/pushed-operators.ts';
import type { ListQuery } from '../../../../contract/query.ts';
import { filterWith, typicalValue } from '../../../../contract/example-filters.ts';
import { claimOf, type Evidence } from '../../../../source/checks/claim.ts';
import type { Ask } from '../../../../source/checks/evidence/ask.ts';
import { chooseFilterTrials } from '../../../../source/checks/evidence/filter-values.ts';
import { concludeAt, type Finding } from '../../../../source/checks/evidence/finding.ts';

/** A kind of query, by its sort and filters. */
type Kind = Pick<ListQuery, 'sort' | 'filters'> & { readonly name: string };

/** The kinds of queries: plain, each sort, and each filter with a value that a row has. */
function kindsOf({ resource }: Ask, { records }: Evidence['sample']): readonly Kind[] {
  const sorts = resource.sorts.map((field) => ({
    name: `sort=${field}`,
    sort: { field, descending: false },
    filters: [],
  }));
  const filters = resource.filters.map((parameter) => {
    const { op, name } = parameter;
    const [push] = pushedOperatorsOf(parameter);
    const [trial] = push === op ? chooseFilterTrials(records, parameter, push) : [];
    const filter = trial?.filter ?? filterWith(parameter, typicalValue(parameter));
    return { name: `${name}=…`, sort: null, filters: [filter] };
  });
  return [{ name: 'without parameters', sort: null, filters: [] }, ...sorts, ...filters];
}

/** The bound that a scan reaches first, and how many rows it has read by then. */
function boundOf({ ask, sample }: Evidence, plan: ScanPlan) {
  const { budget } = ask.spec;
  const { rows } = scanReach(plan, budget);
  const perCall = sample.ms / Math.max(1, sample.steps.length);
  const perWindow = sample.received / Math.max(1, sample.steps.length);
  // Windows whose number is known are read three at a time; if each names the next one, they are read one by one.
  const atOnce = plan.window.kind === 'random' && plan.totalCounts ? 3 : 1;
  const inTime =
    perCall === 0 || perWindow === 0 ? Infinity : Math.floor((budget.time / perCall) * atOnce * perWindow);
  if (inTime < rows) return { rows: inTime, key: 'budget.time' };
  if (plan.window.kind === 'random' && rows === plan.window.depthMax) return { rows, key: 'window.depthMax' };
  return { rows, key: rows === budget.rows ? 'budget.rows' : 'budget.calls' };
}

/** Checks for each kind of query that a scan may read all rows of the source. */
function checkCapacity(evidence: Evidence): Finding {
  const { ask, sample } = evidence;
  const now = Math.max(sample.received, sample.steps[0]?.rows.total ?? 0);
  const query = { kind: 'list', resource: ask.resource.name, page: 1, limit: 20 } as const;
  const scans = kindsOf(ask, sample).flatMap(({ name, sort, filters }) => {
    const plan = ask.plan({ ...query, sort, filters }, new Set());
    // A filter that is sent leaves fewer rows to read. Only a query whose filter is not sent reads all of them.
    const isWhole = plan.kind === 'scan' && (filters.length === 0 || plan.pushedFilters.length === 0);
    return isWhole ? [{ name, ...boundOf(evidence, plan) }] : [];
  });
  const [least] = scans.sort((a, b) => a.rows - b.rows);
  const conclude = concludeAt('capacity', 'every kind of query is within the budget', ['budget']);
  if (least === undefined) return conclude('agrees', 'every kind of query is answered page by page');
  const names = scans.map(({ name }) => name).join(', ');
  const observed = `${least.rows} rows are the most that can be read (${least.key}) for: ${names}; there are ${sample.complete ? now : `at least ${now}`} now`;
  // `depthMax` states a fact of the source, so it is no difference.
  if (least.key === 'window.depthMax') return conclude('noted', observed);
  const wanted = `budget: { ${least.key.slice('budget.'.length)}: … } with room for growth`;
  const isOver = now > least.rows || (!sample.complete && sample.received >= least.rows);
  if (isOver && least.key !== 'budget.time')
    return conclude('differs', `${observed}: all of these queries are 503`, wanted);
  return now * 2 > least.rows ? conclude('noted', observed, wanted) : conclude('agrees', observed);
}

/** The claim that the budget of the file is enough for its rows. */
export const capacityClaim = claimOf('capacity', checkCapacity);
