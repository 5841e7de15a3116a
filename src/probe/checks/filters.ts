import { filter as filterSchema } from '../../config/schema/list.ts';
import type { FilterSpec } from '../../config/schema/source.ts';
import type { CanonicalRecord } from '../../contract/document.ts';
import { matches } from '../../contract/order.ts';
import type { Filter } from '../../contract/query.ts';
import type { UpstreamRequest } from '../../kernel/upstream-call.ts';
import type { Examination, Lister } from '../session/probe-session.ts';
import { heardText } from '../session/probe-session.ts';
import { chooseTrials, type Trial } from './filter-values.ts';
import { claimed, counted, type Finding, type Probe } from '../session/finding.ts';
import { judgeFilteredTotal, toldTotal } from './totals.ts';
import type { Change } from '../session/source-variant.ts';
import { type Walk, walk } from '../session/walk.ts';
import { type Footing, listPlace } from '../session/windows.ts';

/** What the probes of filters share. */
export type FilterDeps = {
  readonly examination: Examination;
  readonly footing: Footing;
  readonly sample: Walk;
  /** The most calls for one value. */
  readonly callsMax: number;
};

/** What a trial brought. */
type Tried = {
  readonly kind: string;
  readonly request: UpstreamRequest | undefined;
  readonly found: Walk;
  /** Rows that do not match. */
  readonly extra: number;
  /** Matching rows of the sample that did not come; `undefined` where not all rows that come were read. */
  readonly missing: number | undefined;
  /** Whether the very rows came that come without a filter. */
  readonly ignored: boolean;
};

function fits(record: CanonicalRecord, filters: readonly Filter[]): boolean {
  return filters.every(({ field, op, value }) => matches(record[field] ?? null, op, value));
}

/** Whether as many rows, and just the same at the start, come as without a filter. */
function isIgnored(found: Walk, sample: Walk): boolean {
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
  { examination, footing, sample, callsMax }: FilterDeps,
  lister: Lister,
  kind: string,
  filters: readonly Filter[],
): Promise<Tried> {
  const found = await walk(examination, lister, { size: footing.change.size, callsMax });
  const ids = new Set(found.records.map(({ id }) => id));
  const wanted = sample.records.filter((record) => fits(record, filters));
  return {
    kind: examination.showValues
      ? `${kind}: ${filters.map(({ value }) => JSON.stringify(value)).join(', ')}`
      : kind,
    request: found.steps[0]?.heard.request ?? found.refusal?.request,
    found,
    extra: found.records.filter((record) => !fits(record, filters)).length,
    missing:
      found.complete && sample.repeated === 0 ? wanted.filter(({ id }) => !ids.has(id)).length : undefined,
    ignored: isIgnored(found, sample),
  };
}

/** Why a trial contradicts the claim, with the way to mend it; `undefined` where it does not. */
function objection({ found, extra, missing = 0, ignored, kind }: Tried, exactness: FilterSpec['exactness']) {
  if (found.steps.length === 0 && found.refusal !== undefined)
    return { what: heardText(found.refusal), hint: 'how the value is sent, or exactness: none' };
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
  tried: readonly Tried[],
  exactness: FilterSpec['exactness'],
  tell: ReturnType<typeof claimed>,
): Finding {
  for (const one of tried) {
    const against = objection(one, exactness);
    if (against === undefined) continue;
    return tell('differs', `a value ${one.kind}: ${against.what}`, {
      hint: against.hint,
      calls: one.request === undefined ? [] : [one.request],
    });
  }
  const rows = tried.reduce((sum, { found }) => sum + found.records.length, 0);
  const read = `${counted(tried.length, 'value')} tried, ${counted(rows, 'row')} looked at`;
  if (tried.length === 0 || (rows === 0 && tried.every(({ missing }) => missing === undefined)))
    return tell('could not tell', 'no value could be tried');
  if (exactness === 'superset' && tried.every(({ ignored, extra }) => ignored && extra > 0))
    return tell('noted', `${read}: the filter leaves out nothing`, { hint: 'exactness: none' });
  if (exactness === 'superset' && tried.every(({ extra, missing }) => extra === 0 && missing === 0))
    return tell('noted', `${read}: just the matching rows`, {
      hint: 'exactness: exact, if its documentation says so, too',
    });
  return tell('agrees', read);
}

/** The total of a trial that brought some rows, but not all. */
async function probeFilteredTotal(
  { examination, sample }: FilterDeps,
  lister: Lister,
  { found }: Tried,
  filters: readonly Filter[],
): Promise<Finding | undefined> {
  const first = found.steps[0]?.heard;
  const rows = found.received;
  if (first === undefined || !found.complete || found.repeated > 0 || rows === 0 || rows === sample.received)
    return undefined;
  const all = sample.steps[0]?.rows.total ?? (sample.complete ? sample.received : undefined);
  return judgeFilteredTotal(examination, await toldTotal(lister, first), { rows, all }, filters);
}

async function probeFilter(
  deps: FilterDeps,
  trials: readonly Trial[],
  exactness: FilterSpec['exactness'],
  tell: ReturnType<typeof claimed>,
): Promise<readonly Finding[]> {
  const { examination, footing } = deps;
  const tried: Tried[] = [];
  let total: Finding | undefined;
  for (const { filter, kind } of trials) {
    const lister = examination.lister({ filters: [filter] }, footing.change);
    // A value that no record of the source can have is never asked for.
    if (lister === undefined) continue;
    const one = await tryFilters(deps, lister, kind, [filter]);
    tried.push(one);
    if (total === undefined && objection(one, exactness) === undefined)
      total = await probeFilteredTotal(deps, lister, one, [filter]);
  }
  return [judge(tried, exactness, tell), ...(total === undefined ? [] : [total])];
}

/** All declared filters at once, with the values of one record. */
async function probeTogether(deps: FilterDeps, declared: readonly Declared[]): Promise<Finding | undefined> {
  const { examination, footing, sample } = deps;
  const pushed = declared.filter(({ spec }) => spec.exactness !== 'none');
  if (declared.some(({ field, op }) => examination.doubts.has(`filter ${field} ${op}`))) return undefined;
  const record = sample.records.find((one) => pushed.every(({ field }) => (one[field] ?? null) !== null));
  if (pushed.length < 2 || record === undefined) return undefined;
  const filters = pushed.map(({ field, op }) => ({ field, op, value: record[field] }) as Filter);
  const lister = examination.lister({ filters }, footing.change);
  if (lister === undefined) return undefined;
  const exactness = pushed.some(({ spec }) => spec.exactness === 'superset') ? 'superset' : 'exact';
  const tell = claimed('filters together', 'filters narrow together', listPlace(examination, 'filters'));
  return judge([await tryFilters(deps, lister, 'of each', filters)], exactness, tell);
}

type Declared = { readonly field: string; readonly op: Filter['op']; readonly spec: FilterSpec };

/** Whether a parameter named as the field in the source filters exactly, though the file does not say so. */
async function probeUndeclared(deps: FilterDeps, field: string): Promise<Finding | undefined> {
  const { examination, footing, sample } = deps;
  const from = [examination.list.map[field]?.from ?? []].flat();
  const name = /(?:^|\.)([A-Za-z_][\w-]*)$/.exec(from[0] ?? '')?.[1];
  if (name === undefined || from.length !== 1 || examination.list.request.method !== 'GET') return undefined;
  const trial = chooseTrials(sample.records, field, 'eq').find(({ kind }) => kind === 'plain');
  if (trial === undefined || !sample.complete) return undefined;
  const filter = filterSchema.parse({ query: { [name]: '{value}' }, exactness: 'exact' });
  const change: Change = { ...footing.change, filters: { [field]: { eq: filter } } };
  const lister = examination.lister({ filters: [trial.filter] }, change);
  if (lister === undefined) return undefined;
  const { found, extra, missing } = await tryFilters(deps, lister, trial.kind, [trial.filter]);
  const narrows = found.records.length > 0 && found.records.length < sample.records.length;
  if (!narrows || extra > 0 || missing !== 0) return undefined;
  return claimed(`filter ${field} eq`, 'no filter is declared', listPlace(examination, 'filters'))(
    'noted',
    `the parameter ${name} leaves just the matching rows of one value`,
    { hint: `filters: { ${field}: { eq: { query: { ${name}: '{value}' }, exactness: exact } } }` },
  );
}

/** Probes every filter of the contract that the file declares, and looks for one that it does not. */
export function filterProbes(deps: FilterDeps): readonly Probe[] {
  const { examination, sample } = deps;
  const declared: Declared[] = [];
  const probes = examination.resource.filters.map(({ field, op }): Probe => {
    const name = `filter ${field} ${op}`;
    const spec = examination.list.filters[field]?.[op];
    if (spec === undefined && op === 'eq') return { name, run: () => probeUndeclared(deps, field) };
    if (spec === undefined || spec.exactness === 'none') return { name, run: () => undefined };
    declared.push({ field, op, spec });
    const rows =
      spec.exactness === 'exact'
        ? 'it gives just the matching rows'
        : 'it gives the matching rows, and maybe more';
    const tell = claimed(name, rows, listPlace(examination, 'filters', field, op));
    return {
      name,
      run: () => probeFilter(deps, chooseTrials(sample.records, field, op), spec.exactness, tell),
    };
  });
  return [...probes, { name: 'filters together', run: () => probeTogether(deps, declared) }];
}
