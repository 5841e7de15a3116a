// Probes the filters that a source file declares: do exactly the right rows come?

import { canEscape, PLAIN_QUOTES } from '../../../source/adapter/request/escape.ts';
import type { Value } from '../../../contract/fields.ts';
import { pushedOperatorsOf } from '../../../contract/pushed-operators.ts';
import type { Filter } from '../../../contract/query.ts';
import type { Claim, Evidence } from '../../../source/checks/claim.ts';
import { type Ask, hidesRows, listPlace } from '../../../source/checks/evidence/ask.ts';
import { chooseFilterTrials, type FilterProbe } from '../../../source/checks/evidence/filter-values.ts';
import {
  type Change,
  concludeAt,
  type Conclude,
  type Finding,
} from '../../../source/checks/evidence/finding.ts';
import { plural } from '../../../kernel/plural.ts';
import {
  type DeclaredFilter,
  type FilterResult,
  isCounted,
  objection,
  tryFilters,
} from '../../../source/checks/filter.ts';
import { checkTypes } from '../../../source/checks/filter-types.ts';
import { checkFilteredTotal } from '../../../source/checks/total.ts';

/**
 * The file without a filter; of several filters, only the first stays. A filter that other parts name stays, but with
 * `exactness: none`.
 */
function withoutFilters(ask: Ask, declared: readonly DeclaredFilter[], text: string): Change {
  const others = declared.length > 1 ? declared.slice(1) : declared;
  const sets = others.map(({ field, op, spec }) => {
    const at = listPlace(ask, 'filters', field, op);
    return Object.keys(spec.query).length > 0
      ? { at, value: undefined }
      : { at: [...at, 'exactness'], value: 'none' };
  });
  return { sets, text };
}

/** The file with another exactness of some filters. */
function exactnessAs(ask: Ask, declared: readonly DeclaredFilter[], value: string, text: string): Change {
  const sets = declared.map(({ field, op }) => ({
    at: listPlace(ask, 'filters', field, op, 'exactness'),
    value,
  }));
  return { sets, text };
}

/** The file with quotes but no escapes, for a source that does not unescape this value as the file says. */
function plainQuotes(
  ask: Ask,
  declared: readonly DeclaredFilter[],
  { filters }: FilterResult,
): readonly Change[] {
  return declared.flatMap(({ field, op, spec: { escape } }, index) => {
    const quotes = escape && PLAIN_QUOTES[escape];
    if (quotes === undefined || canEscape(quotes, String(filters[index]?.value))) return [];
    return [{ sets: [{ at: listPlace(ask, 'filters', field, op, 'escape'), value: quotes }] }];
  });
}

/** Makes findings about rows that came with a filter, although the list without it lacks them. */
export function concludeUnlisted(
  ask: Ask,
  declared: readonly Pick<DeclaredFilter, 'field' | 'op'>[],
): Conclude {
  const name = `rows without ${declared.map(({ field, op }) => `filter ${field} ${op}`).join(', ')}`;
  return concludeAt(name, 'the list without a filter has every row', listPlace(ask, 'window'));
}

/** Concludes from the values tried (`coverage`: of how many) whether a filter, or several at once, do what the file claims. */
export function concludeFilter(
  ask: Ask,
  declared: readonly DeclaredFilter[],
  tried: readonly FilterResult[],
  conclude: Conclude,
  coverage = '',
): Finding {
  const isExact = declared.every(({ spec }) => spec.exactness === 'exact');
  const to = (exactness: string, text: string) => exactnessAs(ask, declared, exactness, text);
  for (const one of tried) {
    const against = objection(one, isExact);
    if (against === undefined) continue;
    const { look, what } = against;
    if (against.of === 'list')
      return concludeUnlisted(ask, declared)('differs', `a value ${one.kind}: ${what}`, look, one.shown);
    const tries = [
      ...plainQuotes(ask, declared, one),
      ...(against.of === 'extra rows' ? [to('superset', `exactness: superset (or fix it: ${look})`)] : []),
      withoutFilters(ask, declared, `${look}, or exactness: none`),
    ];
    return conclude('differs', `a value ${one.kind}: ${what}`, { tries, otherwise: look }, one.shown);
  }
  const rows = tried.reduce((sum, { found }) => sum + found.records.length, 0);
  const read = `${plural(tried.length, 'value')} tried${coverage}, ${plural(rows, 'row')} looked at`;
  if (tried.length === 0 || (rows === 0 && tried.every(({ missing }) => missing === undefined)))
    return conclude('could not tell', 'no value could be tried');
  if (!isExact && tried.every(({ ignored, extra }) => ignored && extra.length > 0))
    return conclude('noted', `${read}: the filter leaves out nothing`, {
      tries: [withoutFilters(ask, declared, 'exactness: none')],
    });
  if (!isExact && tried.every(({ extra, missing }) => extra.length === 0 && missing === 0))
    return conclude('noted', `${read}: just the matching rows`, {
      tries: [to('exact', 'exactness: exact, if its documentation says so, too')],
    });
  return conclude('agrees', read);
}

/**
 * Checks that rows without a value do not match. Some services let them match every value. This shows only if the list
 * has such a row, and if all rows of a filter were read.
 */
function checkUnset(
  { ask, sample }: Evidence,
  declared: DeclaredFilter,
  tried: readonly FilterResult[],
): Finding | undefined {
  const { field, op, spec } = declared;
  const canBeUnset = !(ask.list.map[field]?.as ?? []).some(
    (step) => typeof step === 'object' && 'default' in step,
  );
  if (spec.exactness !== 'exact' || !canBeUnset || tried.length === 0) return undefined;
  const name = `filter ${field} ${op} unset`;
  const conclude = concludeAt(
    name,
    `a row without ${field} matches no value`,
    listPlace(ask, 'filters', field, op),
  );
  const unset = sample.records.filter((record) => (record[field] ?? null) === null).length;
  const whole = tried.filter(({ found }) => found.complete);
  if (unset > 0 && whole.length > 0)
    return conclude(
      'agrees',
      `${plural(unset, 'row')} without ${field}, left out by ${plural(whole.length, 'value')}`,
    );
  const why = unset === 0 ? `no row without ${field} was seen` : 'not all rows of a value could be read';
  return conclude('could not tell', `${why}: some services let such rows match every value`, {
    otherwise: 'exactness: superset is right in any case',
    tries: [
      exactnessAs(
        ask,
        [declared],
        'superset',
        `exactness: superset, unless its documentation says that rows without ${field} match nothing`,
      ),
    ],
  });
}

/** Values of some filters that are sent together. */
export type FiltersProbe = Pick<FilterProbe, 'kind'> & { readonly filters: readonly Filter[] };

/** Tries values of filters. The total is checked with the first result for which `showsTotal` is true. */
export async function tryEach(
  evidence: Evidence,
  trials: readonly FiltersProbe[],
  {
    callsFor,
    showsTotal,
  }: { callsFor: (trial: number) => number; showsTotal: (one: FilterResult) => boolean },
): Promise<{ readonly tried: readonly FilterResult[]; readonly total: Finding | undefined }> {
  const tried: FilterResult[] = [];
  let total: Finding | undefined;
  for (const [index, { filters, kind }] of trials.entries()) {
    const callsMax = callsFor(index);
    if (callsMax < 1) break;
    const reader = evidence.ask.open({ filters });
    if (reader === undefined) continue;
    const one = await tryFilters(evidence, reader, { filters, kind, callsMax });
    tried.push(one);
    if (total === undefined && showsTotal(one))
      total = await checkFilteredTotal(evidence, reader, filters, one.found);
  }
  return { tried, total };
}

/** At least this many values are tried, even if they take more than their share of the calls. */
const TRIED_MIN = 12;
/** The values of one field may take this share of the calls that are left. */
const VALUES_SHARE = 1 / 3;

/** How many calls each value of a filter may take; 0 once the calls for them are spent. */
function shareCalls(
  { ask, callsMax }: Evidence,
  op: Filter['op'],
  trials: number,
): (trial: number) => number {
  const forValues = op === 'eq' ? Math.floor(ask.callsLeft() * VALUES_SHARE) : 0;
  const end = ask.callsLeft() - Math.max(callsMax, forValues);
  const least = isCounted(ask) ? 1 : 2;
  return (trial) => {
    const left = ask.callsLeft() - end;
    if (trial >= TRIED_MIN) return left < least ? 0 : least;
    return Math.max(2, Math.floor(left / (Math.min(trials, TRIED_MIN) - trial + 1)));
  };
}

async function* probeFilter(evidence: Evidence, declared: DeclaredFilter): AsyncIterable<Finding> {
  const { ask, sample } = evidence;
  const { field, op, spec } = declared;
  const isExact = spec.exactness === 'exact';
  const rows = isExact ? 'it gives just the matching rows' : 'it gives the matching rows, and maybe more';
  const conclude = concludeAt(`filter ${field} ${op}`, rows, listPlace(ask, 'filters', field, op));
  const types = ask.types.get(field);
  const trials = chooseFilterTrials(sample.records, declared, op, types)
    .map(({ filter, kind }) => ({ filters: [filter], kind }))
    // The gateway filters by some values itself, and never asks for a value that no record of the source can have.
    .filter((trial) => ask.open(trial) !== undefined);
  // Some rows came, but not as many as without a filter.
  const isNarrowed = ({ found }: FilterResult) =>
    found.received > 0 && found.received !== sample.received && found.repeated === 0;
  const { tried, total } = await tryEach(evidence, trials, {
    callsFor: shareCalls(evidence, op, trials.length),
    showsTotal: (one) => isNarrowed(one) && one.found.complete && objection(one, isExact) === undefined,
  });
  const values = new Set(sample.records.map((record) => record[field]));
  // Values that no row has are tried, too; the finding counts the others.
  const ownOf = (some: readonly FiltersProbe[]) =>
    some.filter(({ filters: [one] }) => values.has((one?.value ?? null) as Value));
  const coverage =
    op === 'eq' ? ` (${ownOf(tried).length} of the ${ownOf(trials).length} that rows have)` : '';
  const judged = concludeFilter(ask, [declared], tried, conclude, coverage);
  yield judged;
  const typed = checkTypes(evidence, declared, withoutFilters(ask, [declared], `no filter ${field} ${op}`));
  if (typed !== undefined) yield typed;
  const unset = judged.verdict === 'agrees' ? checkUnset(evidence, declared, tried) : undefined;
  if (unset !== undefined) yield unset;
  const isPartial = tried.some((one) => isNarrowed(one) && !one.found.complete);
  if (total !== undefined) yield total;
  else if (isPartial && ask.list.total !== undefined && !hidesRows(ask.list))
    yield concludeAt(
      `total with ${field} ${op}`,
      'the total is that of the filter',
      listPlace(ask, 'total'),
    )('could not tell', 'of no value were all rows read');
}

/** The filters that the file declares, without those of `exactness: none`. */
export function declaredFilters({ resource, list }: Ask): readonly DeclaredFilter[] {
  const found = new Map<string, DeclaredFilter>();
  for (const parameter of resource.filters) {
    const { field, kind, isSigned } = parameter;
    for (const op of pushedOperatorsOf(parameter)) {
      const spec = list.filters[field]?.[op];
      if (spec !== undefined && spec.exactness !== 'none')
        found.set(`${field} ${op}`, { field, op, spec, kind, isSigned });
    }
  }
  return [...found.values()];
}

/** A claim for each filter that the file declares. */
export function filterClaims(ask: Ask): readonly Claim[] {
  return declaredFilters(ask).map((one) => ({
    name: `filter ${one.field} ${one.op}`,
    probe: (evidence: Evidence) => probeFilter(evidence, one),
  }));
}
