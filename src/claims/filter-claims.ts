import type { Filter } from '../contract/query.ts';
import type { Claim, Evidence } from './claim.ts';
import { type Ask, hidesRows, listPlace } from './evidence/ask.ts';
import { chooseFilterTrials, type FilterProbe } from './evidence/filter-values.ts';
import { type Change, concludeAt, type Conclude, type Finding } from './evidence/finding.ts';
import { plural } from '../kernel/plural.ts';
import { type DeclaredFilter, type FilterResult, objection, tryFilters } from './filter.ts';
import { judgeFilteredTotal } from './total.ts';

/** The file without a filter, or with the first of several alone. One that other parts of the file name stays, and says that it does nothing. */
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

/** The file with another exactness of some filters, and the words for it. */
function exactnessAs(ask: Ask, declared: readonly DeclaredFilter[], value: string, text: string): Change {
  const sets = declared.map(({ field, op }) => ({
    at: listPlace(ask, 'filters', field, op, 'exactness'),
    value,
  }));
  return { sets, text };
}

/** Makes findings about rows that came with filters and that the list without them lacks. */
export function concludeUnlisted(
  ask: Ask,
  declared: readonly Pick<DeclaredFilter, 'field' | 'op'>[],
): Conclude {
  const name = `rows without ${declared.map(({ field, op }) => `filter ${field} ${op}`).join(', ')}`;
  return concludeAt(name, 'the list without a filter has every row', listPlace(ask, 'window'));
}

/** Judges a filter, or several at once, by all values that were tried. */
export function judgeTried(
  ask: Ask,
  declared: readonly DeclaredFilter[],
  tried: readonly FilterResult[],
  conclude: Conclude,
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
      ...(against.of === 'extra rows' ? [to('superset', `exactness: superset (or mend it: ${look})`)] : []),
      withoutFilters(ask, declared, `${look}, or exactness: none`),
    ];
    return conclude('differs', `a value ${one.kind}: ${what}`, { tries, otherwise: look }, one.shown);
  }
  const rows = tried.reduce((sum, { found }) => sum + found.records.length, 0);
  const read = `${plural(tried.length, 'value')} tried, ${plural(rows, 'row')} looked at`;
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
 * Whether rows without a value were seen not to match. Some services let them match every value, which only a walk
 * shows that has read all rows of a filter where the list has such a row.
 */
function judgeUnset(
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

/** Tries values of filters. The total is judged by the first result for which `tells` is true. */
export async function tryEach(
  evidence: Evidence,
  trials: readonly FiltersProbe[],
  { callsMax, tells }: { readonly callsMax: number; readonly tells: (one: FilterResult) => boolean },
): Promise<{ readonly tried: readonly FilterResult[]; readonly total: Finding | undefined }> {
  const tried: FilterResult[] = [];
  let total: Finding | undefined;
  for (const { filters, kind } of trials) {
    const reader = evidence.ask.open({ filters });
    // The planner does not ask for a value that no record of the source can have.
    if (reader === undefined) continue;
    const one = await tryFilters(evidence, reader, { filters, kind, callsMax });
    tried.push(one);
    if (total === undefined && tells(one))
      total = await judgeFilteredTotal(evidence, reader, filters, one.found);
  }
  return { tried, total };
}

async function* probeFilter(evidence: Evidence, declared: DeclaredFilter): AsyncIterable<Finding> {
  const { ask, sample } = evidence;
  const { field, op, spec } = declared;
  const isExact = spec.exactness === 'exact';
  const rows = isExact ? 'it gives just the matching rows' : 'it gives the matching rows, and maybe more';
  const conclude = concludeAt(`filter ${field} ${op}`, rows, listPlace(ask, 'filters', field, op));
  const trials = chooseFilterTrials(sample.records, field, op).map(({ filter, kind }) => ({
    filters: [filter],
    kind,
  }));
  const isSome = ({ found }: FilterResult) =>
    found.received > 0 && found.received !== sample.received && found.repeated === 0;
  const { tried, total } = await tryEach(evidence, trials, {
    callsMax: Math.max(2, Math.floor(evidence.callsMax / (trials.length + 1))),
    tells: (one) => isSome(one) && one.found.complete && objection(one, isExact) === undefined,
  });
  const judged = judgeTried(ask, [declared], tried, conclude);
  yield judged;
  const unset = judged.verdict === 'agrees' ? judgeUnset(evidence, declared, tried) : undefined;
  if (unset !== undefined) yield unset;
  const isPartial = tried.some((one) => isSome(one) && !one.found.complete);
  if (total !== undefined) yield total;
  else if (isPartial && ask.list.total !== undefined && !hidesRows(ask.list))
    yield concludeAt(
      `total with ${field} ${op}`,
      'the total is that of the filter',
      listPlace(ask, 'total'),
    )('could not tell', 'of no value were all rows read');
}

/** The filters that the file declares, but for those that it says are not there. */
export function declaredFilters({ resource, list }: Ask): readonly DeclaredFilter[] {
  return resource.filters.flatMap(({ field, op }): DeclaredFilter[] => {
    const spec = list.filters[field]?.[op];
    return spec === undefined || spec.exactness === 'none' ? [] : [{ field, op, spec }];
  });
}

/** Every filter that the file declares, by itself. */
export function filterClaims(ask: Ask): readonly Claim[] {
  return declaredFilters(ask).map((one) => ({
    name: `filter ${one.field} ${one.op}`,
    probe: (evidence: Evidence) => probeFilter(evidence, one),
  }));
}
