import { filter as filterSchema } from '../../config/schema/list.ts';
import type { FilterSpec } from '../../config/schema/source.ts';
import type { CanonicalRecord } from '../../contract/response-body.ts';
import { matches } from '../../contract/order.ts';
import type { Filter } from '../../contract/query.ts';
import type { UpstreamRequest } from '../../kernel/upstream-call.ts';
import type { ProbeSession, ProbedList } from '../resource/probe-session.ts';
import { describeExchange } from '../resource/probe-session.ts';
import { chooseFilterTrials, type FilterTrial } from './filter-values.ts';
import { claimAt, counted, type Finding, type Probe } from '../resource/finding.ts';
import { judgeFilteredTotal, askTotal } from './totals.ts';
import type { Variation } from '../resource/source-variant.ts';
import { type ProbeWalk, walkRows } from '../resource/probe-walk.ts';
import { type Baseline, listPlace } from '../resource/baseline.ts';

/** What the probes of filters share. */
export type FilterDeps = {
  readonly session: ProbeSession;
  readonly baseline: Baseline;
  readonly sample: ProbeWalk;
  /** The most calls for one value. */
  readonly callsMax: number;
};

/** The result of one filter value. */
type FilterResult = {
  readonly kind: string;
  readonly request: UpstreamRequest | undefined;
  readonly found: ProbeWalk;
  /** Rows that do not match. */
  readonly extra: number;
  /** Matching rows of the sample that did not come; `undefined` where not all rows that come were read. */
  readonly missing: number | undefined;
  /** Whether the same rows came as without a filter. */
  readonly ignored: boolean;
};

function fits(record: CanonicalRecord, filters: readonly Filter[]): boolean {
  return filters.every(({ field, op, value }) => matches(record[field] ?? null, op, value));
}

/** Whether as many rows, and just the same at the start, come as without a filter. */
function isIgnored(found: ProbeWalk, sample: ProbeWalk): boolean {
  const [first, whole] = [found.steps[0]?.rows, sample.steps[0]?.rows];
  return (
    first !== undefined &&
    first.records.length > 0 &&
    first.total === whole?.total &&
    first.records.every(({ id }, index) => whole?.records[index]?.id === id) &&
    (!found.complete || found.records.length >= sample.records.length)
  );
}

async function tryFilters(
  { session, baseline, sample, callsMax }: FilterDeps,
  reader: ProbedList,
  kind: string,
  filters: readonly Filter[],
): Promise<FilterResult> {
  const found = await walkRows(session, reader, { size: baseline.change.size, callsMax });
  const ids = new Set(found.records.map(({ id }) => id));
  const wanted = sample.records.filter((record) => fits(record, filters));
  return {
    kind: session.showValues
      ? `${kind}: ${filters.map(({ value }) => JSON.stringify(value)).join(', ')}`
      : kind,
    request: found.steps[0]?.exchange.request ?? found.refusal?.request,
    found,
    extra: found.records.filter((record) => !fits(record, filters)).length,
    missing:
      found.complete && sample.repeated === 0 ? wanted.filter(({ id }) => !ids.has(id)).length : undefined,
    ignored: isIgnored(found, sample),
  };
}

/** Why a filter value contradicts the claim, with the way to correct the file; `undefined` where it does not. */
function objection(
  { found, extra, missing = 0, ignored, kind }: FilterResult,
  exactness: FilterSpec['exactness'],
) {
  if (found.steps.length === 0 && found.refusal !== undefined)
    return { what: describeExchange(found.refusal), hint: 'how the value is sent, or exactness: none' };
  const rows = found.records.length;
  if (exactness === 'exact' && ignored && extra > 0)
    return {
      what: 'the filter is ignored: the same rows as without it',
      hint: 'the name of the parameter, or exactness: none',
    };
  if (missing > 0)
    return {
      what: `${counted(missing, 'matching row')} did not come`,
      hint: 'how the value is sent (its escape, its codes), or exactness: none',
    };
  if (exactness === 'exact' && extra > 0)
    return {
      what: `${extra} of ${counted(rows, 'row')} do not match`,
      hint: kind.startsWith('in other case')
        ? 'the source does not mind the case: exactness: superset'
        : 'exactness: superset, or none',
    };
  return undefined;
}

function judge(
  tried: readonly FilterResult[],
  exactness: FilterSpec['exactness'],
  conclude: ReturnType<typeof claimAt>,
): Finding {
  for (const one of tried) {
    const against = objection(one, exactness);
    if (against === undefined) continue;
    return conclude('differs', `a value ${one.kind}: ${against.what}`, {
      hint: against.hint,
      calls: one.request === undefined ? [] : [one.request],
    });
  }
  const rows = tried.reduce((sum, { found }) => sum + found.records.length, 0);
  const read = `${counted(tried.length, 'value')} tried, ${counted(rows, 'row')} looked at`;
  if (tried.length === 0 || (rows === 0 && tried.every(({ missing }) => missing === undefined)))
    return conclude('could not tell', 'no value could be tried');
  if (exactness === 'superset' && tried.every(({ ignored, extra }) => ignored && extra > 0))
    return conclude('noted', `${read}: the filter leaves out nothing`, { hint: 'exactness: none' });
  if (exactness === 'superset' && tried.every(({ extra, missing }) => extra === 0 && missing === 0))
    return conclude('noted', `${read}: just the matching rows`, {
      hint: 'exactness: exact, if its documentation says so, too',
    });
  return conclude('agrees', read);
}

/** The total with a filter that brought some rows, but not all. */
async function probeFilteredTotal(
  { session, sample }: FilterDeps,
  reader: ProbedList,
  { found }: FilterResult,
  filters: readonly Filter[],
): Promise<Finding | undefined> {
  const first = found.steps[0]?.exchange;
  const rows = found.received;
  if (first === undefined || !found.complete || found.repeated > 0 || rows === 0 || rows === sample.received)
    return undefined;
  const all = sample.steps[0]?.rows.total ?? (sample.complete ? sample.received : undefined);
  return judgeFilteredTotal(session, await askTotal(reader, first), { rows, all }, filters);
}

async function probeFilter(
  deps: FilterDeps,
  trials: readonly FilterTrial[],
  exactness: FilterSpec['exactness'],
  conclude: ReturnType<typeof claimAt>,
): Promise<readonly Finding[]> {
  const { session, baseline } = deps;
  const tried: FilterResult[] = [];
  let total: Finding | undefined;
  for (const { filter, kind } of trials) {
    const reader = session.reader({ filters: [filter] }, baseline.change);
    // The planner does not ask for a value that no record of the source can have.
    if (reader === undefined) continue;
    const one = await tryFilters(deps, reader, kind, [filter]);
    tried.push(one);
    if (total === undefined && objection(one, exactness) === undefined)
      total = await probeFilteredTotal(deps, reader, one, [filter]);
  }
  return [judge(tried, exactness, conclude), ...(total === undefined ? [] : [total])];
}

/** All declared filters at once, with the values of one record. */
async function probeTogether(deps: FilterDeps, declared: readonly Declared[]): Promise<Finding | undefined> {
  const { session, baseline, sample } = deps;
  const pushed = declared.filter(({ spec }) => spec.exactness !== 'none');
  if (declared.some(({ field, op }) => session.failedClaims.has(`filter ${field} ${op}`))) return undefined;
  const record = sample.records.find((one) => pushed.every(({ field }) => (one[field] ?? null) !== null));
  if (pushed.length < 2 || record === undefined) return undefined;
  const filters = pushed.map(({ field, op }) => ({ field, op, value: record[field] }) as Filter);
  const reader = session.reader({ filters }, baseline.change);
  if (reader === undefined) return undefined;
  const exactness = pushed.some(({ spec }) => spec.exactness === 'superset') ? 'superset' : 'exact';
  const conclude = claimAt('filters together', 'filters narrow together', listPlace(session, 'filters'));
  return judge([await tryFilters(deps, reader, 'of each', filters)], exactness, conclude);
}

type Declared = { readonly field: string; readonly op: Filter['op']; readonly spec: FilterSpec };

/** Whether a parameter named as the field in the source filters exactly, though the file does not say so. */
async function probeUndeclared(deps: FilterDeps, field: string): Promise<Finding | undefined> {
  const { session, baseline, sample } = deps;
  const from = [session.list.map[field]?.from ?? []].flat();
  const name = /(?:^|\.)([A-Za-z_][\w-]*)$/.exec(from[0] ?? '')?.[1];
  if (name === undefined || from.length !== 1 || session.list.request.method !== 'GET') return undefined;
  const trial = chooseFilterTrials(sample.records, field, 'eq').find(({ kind }) => kind === 'plain');
  if (trial === undefined || !sample.complete) return undefined;
  const filter = filterSchema.parse({ query: { [name]: '{value}' }, exactness: 'exact' });
  const change: Variation = { ...baseline.change, filters: { [field]: { eq: filter } } };
  const reader = session.reader({ filters: [trial.filter] }, change);
  if (reader === undefined) return undefined;
  const { found, extra, missing } = await tryFilters(deps, reader, trial.kind, [trial.filter]);
  const narrows = found.records.length > 0 && found.records.length < sample.records.length;
  if (!narrows || extra > 0 || missing !== 0) return undefined;
  return claimAt(`filter ${field} eq`, 'no filter is declared', listPlace(session, 'filters'))(
    'noted',
    `the parameter ${name} leaves just the matching rows of one value`,
    { hint: `filters: { ${field}: { eq: { query: { ${name}: '{value}' }, exactness: exact } } }` },
  );
}

/** Probes every filter of the contract that the file declares, and looks for one that it does not. */
export function filterProbes(deps: FilterDeps): readonly Probe[] {
  const { session, sample } = deps;
  const declared: Declared[] = [];
  const probes = session.resource.filters.map(({ field, op }): Probe => {
    const name = `filter ${field} ${op}`;
    const spec = session.list.filters[field]?.[op];
    if (spec === undefined && op === 'eq') return { name, run: () => probeUndeclared(deps, field) };
    if (spec === undefined || spec.exactness === 'none') return { name, run: () => undefined };
    declared.push({ field, op, spec });
    const rows =
      spec.exactness === 'exact'
        ? 'it gives just the matching rows'
        : 'it gives the matching rows, and maybe more';
    const conclude = claimAt(name, rows, listPlace(session, 'filters', field, op));
    return {
      name,
      run: () => probeFilter(deps, chooseFilterTrials(sample.records, field, op), spec.exactness, conclude),
    };
  });
  return [...probes, { name: 'filters together', run: () => probeTogether(deps, declared) }];
}
