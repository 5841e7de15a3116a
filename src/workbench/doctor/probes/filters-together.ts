// Probes filters that are sent together, because some sources apply only one of them.

import type { Filter } from '../../../contract/query.ts';
import type { Claim, Evidence } from '../../../source/checks/claim.ts';
import { type Ask, listPlace } from '../../../source/checks/evidence/ask.ts';
import { chooseWideFilter } from '../../../source/checks/evidence/filter-values.ts';
import { concludeAt, type Finding } from '../../../source/checks/evidence/finding.ts';
import { type DeclaredFilter, type FilterResult, objection } from '../../../source/checks/filter.ts';
import { declaredFilters, type FiltersProbe, concludeFilter, tryEach } from './filter-claims.ts';

/** Several filters that are sent with one request. */
type Combination = { readonly name: string; readonly declared: readonly DeclaredFilter[] };

/** The trials of a combination: values that many rows match, and the values of one record. */
function trialsOf(
  { sample: { records } }: Evidence,
  declared: readonly DeclaredFilter[],
): readonly FiltersProbe[] {
  const wide = declared.map((one) => chooseWideFilter(records, one, one.op));
  const record = records.find((one) => declared.every(({ field }) => (one[field] ?? null) !== null));
  if (record === undefined) return [];
  const narrow = declared.map(
    ({ field, op }) => ({ field, op, value: op === 'in' ? [record[field]] : record[field] }) as Filter,
  );
  return [
    { kind: 'of each that many rows match', filters: wide.filter((one) => one !== undefined) },
    { kind: 'of each', filters: narrow },
  ].filter(({ filters }) => filters.length === declared.length);
}

const isWhole = ({ found }: FilterResult) => found.received > 0 && found.repeated === 0 && found.complete;

async function* probeTogether(evidence: Evidence, { name, declared }: Combination): AsyncIterable<Finding> {
  const { ask, failed } = evidence;
  // A filter or its total that is wrong by itself was reported already.
  const isReported = (what: string) => declared.some(({ field, op }) => failed.has(`${what} ${field} ${op}`));
  if (isReported('filter')) return;
  const trials = trialsOf(evidence, declared);
  const { tried, total } = await tryEach(evidence, trials, {
    callsFor: () => Math.max(2, Math.floor(evidence.callsMax / Math.max(1, trials.length))),
    showsTotal: (one) => isWhole(one) && !isReported('total with') && objection(one, true) === undefined,
  });
  if (tried.length === 0) return;
  const conclude = concludeAt(name, 'filters narrow together', listPlace(ask, 'filters'));
  yield concludeFilter(ask, declared, tried, conclude);
  if (total !== undefined) yield total;
}

/** Claims for filters that are sent together: each pair, and all. Some sources apply only one of them. */
export function filtersTogetherClaims(ask: Ask): readonly Claim[] {
  const all = declaredFilters(ask);
  // Both filters of a field may write one parameter, and then they are not sent together.
  const singly = all.filter(({ field, op }) => {
    return op !== 'in' || !all.some((other) => other.field === field && other.op === 'eq');
  });
  const pairs = all.flatMap((one, index) => all.slice(index + 1).map((other) => [one, other]));
  const combinations = [
    ...(all.length > 2
      ? pairs.map((declared) => ({
          name: `filters ${declared.map(({ field, op }) => `${field} ${op}`).join(', ')}`,
          declared,
        }))
      : []),
    ...(singly.length > 1 ? [{ name: 'filters together', declared: singly }] : []),
  ];
  return combinations.map((combination) => ({
    name: combination.name,
    probe: (evidence) => probeTogether(evidence, combination),
  }));
}
