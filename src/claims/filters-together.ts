import type { Filter } from '../contract/query.ts';
import type { Claim, Evidence } from './claim.ts';
import { type Ask, listPlace } from './evidence/ask.ts';
import { chooseWideFilter, type FilterTrial } from './evidence/filter-values.ts';
import { claimAt, type Finding } from './evidence/finding.ts';
import { type DeclaredFilter, type FilterResult, objection, tryFilters } from './filter.ts';
import { declaredFilters, judgeTried } from './filter-claims.ts';
import { judgeFilteredTotal } from './total.ts';

/** Some filters that are sent with one request. */
type Combination = { readonly name: string; readonly declared: readonly DeclaredFilter[] };

type Trial = Pick<FilterTrial, 'kind'> & { readonly filters: readonly Filter[] };

/** Values that many rows match, and those of one record. */
function trialsOf({ sample: { records } }: Evidence, declared: readonly DeclaredFilter[]): readonly Trial[] {
  const wide = declared.map(({ field, op }) => chooseWideFilter(records, field, op));
  const record = records.find((one) => declared.every(({ field }) => (one[field] ?? null) !== null));
  if (record === undefined) return [];
  const narrow = declared.map(({ field, op }) => ({ field, op, value: record[field] }) as Filter);
  return [
    { kind: 'of each that many rows match', filters: wide.filter((one) => one !== undefined) },
    { kind: 'of each', filters: narrow },
  ].filter(({ filters }) => filters.length === declared.length);
}

async function* probeTogether(evidence: Evidence, { name, declared }: Combination): AsyncIterable<Finding> {
  const { ask, failed } = evidence;
  // A filter that is wrong by itself is reported once.
  if (declared.some(({ field, op }) => failed.has(`filter ${field} ${op}`))) return;
  const trials = trialsOf(evidence, declared);
  const callsMax = Math.max(2, Math.floor(evidence.callsMax / Math.max(1, trials.length)));
  const tried: FilterResult[] = [];
  let total: Finding | undefined;
  for (const { filters, kind } of trials) {
    const reader = ask.open({ filters });
    if (reader === undefined) continue;
    const one = await tryFilters(evidence, reader, { filters, kind, callsMax });
    tried.push(one);
    const { found } = one;
    const isWhole = found.received > 0 && found.repeated === 0 && found.complete;
    const isTold = declared.some(({ field, op }) => failed.has(`total with ${field} ${op}`));
    if (total === undefined && isWhole && !isTold && objection(one, true) === undefined)
      total = await judgeFilteredTotal(evidence, reader, filters, found);
  }
  if (tried.length === 0) return;
  const conclude = claimAt(name, 'filters narrow together', listPlace(ask, 'filters'));
  yield judgeTried(ask, declared, tried, conclude);
  if (total !== undefined) yield total;
}

/** Filters that are sent together: each two, and all. Some sources get only one of them right. */
export function filtersTogetherClaims(ask: Ask): readonly Claim[] {
  const all = declaredFilters(ask);
  const pairs = all.flatMap((one, index) => all.slice(index + 1).map((other) => [one, other]));
  const combinations = [
    ...(all.length > 2
      ? pairs.map((declared) => ({
          name: `filters ${declared.map(({ field, op }) => `${field} ${op}`).join(', ')}`,
          declared,
        }))
      : []),
    ...(all.length > 1 ? [{ name: 'filters together', declared: all }] : []),
  ];
  return combinations.map((combination) => ({
    name: combination.name,
    probe: (evidence) => probeTogether(evidence, combination),
  }));
}
