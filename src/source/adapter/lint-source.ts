// Finds what is valid in a source file but probably a mistake. `portico check` and a start show these notes.

import type { ReportProblem } from '../../config/yaml/problem.ts';
import type {
  CoercionSpec,
  OutcomeKind,
  OutcomeSpec,
  SourceResourceSpec,
  SourceSpec,
} from '../../config/schema/source.ts';
import type { Contract, Resource } from '../../contract/resource.ts';
import { compileIdCodec } from './map/native-id.ts';
import { viewSpecOf } from './map/row-fields.ts';
import { escapedText } from './spec/pattern.ts';
import { orderBet } from './plan/order-bet.ts';
import { reservedIds } from './request/reserved-ids.ts';
import { CHECKED, locationIn, type SpecLocation } from './spec/spec-location.ts';

/** Outcomes that mean an error, so that no answer can be made from the reply. */
const ERRORS: ReadonlySet<OutcomeKind> = new Set([
  'unauthorized',
  'rate_limited',
  'unavailable',
  'client_bug',
  'error',
]);

/** Values that mean "nothing", such as a total of 0, which an error reply may have, too. */
const NOTHING: readonly unknown[] = [0, '', false];

/** Whether a rule fits a reply because something is absent from it. */
function fitsByAbsence({ present, equals, is }: OutcomeSpec): boolean {
  const values = [equals].flat();
  const isNothing = is === 'past_end' && values.some((value) => NOTHING.includes(value));
  return !ERRORS.has(is) && (present === false || values.includes(null) || isNothing);
}

function statusesOverlap(a: OutcomeSpec['status'], b: OutcomeSpec['status']): boolean {
  if (a === undefined || b === undefined || a === b) return true;
  return String(a)[0] === String(b)[0] && (typeof a === 'string' || typeof b === 'string');
}

/**
 * Whether one reply can fit both rules. The first one fits if something is absent, or (`isByRows`) if there is a list of rows.
 */
function canFitBoth(first: OutcomeSpec, other: OutcomeSpec, isByRows: boolean): boolean {
  if (first.on !== undefined && other.on !== undefined && first.on !== other.on) return false;
  if (!statusesOverlap(first.status, other.status)) return false;
  const [at, place] = [first.at ?? '', other.at];
  if (isByRows) return place !== undefined && place !== at;
  // What is not there cannot hold a value as well.
  const isWithin = place !== undefined && (place === at || place.startsWith(`${at}.`));
  return !isWithin || fitsByAbsence({ ...other, is: 'ok' });
}

/** Reports a rule that also fits error replies, because they lack the record, too. Rules for errors must stand above it. */
function noteHiddenErrors({ outcomes }: SourceSpec, file: SpecLocation): void {
  for (const [index, rule] of outcomes.entries()) {
    // An error may come with an empty list, too.
    const isByRows = rule.is === 'ok' && rule.present === true;
    if (!fitsByAbsence(rule) && !isByRows) continue;
    const hidden = outcomes.findIndex(
      (other, at) => at > index && ERRORS.has(other.is) && canFitBoth(rule, other, isByRows),
    );
    const other = outcomes[hidden];
    if (other === undefined) continue;
    const where = other.at === undefined ? `status ${other.status ?? 'any'}` : `at ${other.at}`;
    file
      .at('outcomes', index)
      .report(
        `a reply ${isByRows ? 'with' : 'without'} ${rule.at ?? 'a value'} is taken for ${rule.is} although it may be an error: outcomes[${hidden}] (${where}, is: ${other.is}) stands below`,
        `move outcomes[${hidden}] above this rule: the first rule that fits decides`,
      );
  }
}

/** Whether every value that fits one condition fits another one at the same place. */
function coversValue(wide: OutcomeSpec, narrow: OutcomeSpec): boolean {
  if (wide.at === undefined || wide.at !== narrow.at) return wide.at === undefined;
  const wanted = narrow.equals === undefined ? undefined : [narrow.equals].flat();
  if (wide.equals !== undefined)
    return wanted?.every((value) => [wide.equals].flat().includes(value)) === true;
  return wide.present === (narrow.present ?? true) && wanted?.includes(null) !== true;
}

/** Whether every reply that fits one rule fits another one. */
function coversRule(wide: OutcomeSpec, narrow: OutcomeSpec): boolean {
  const status = wide.status === undefined || wide.status === narrow.status;
  const isInClass = typeof wide.status === 'string' && String(narrow.status)[0] === wide.status[0];
  return (
    (wide.on === undefined || wide.on === narrow.on) && (status || isInClass) && coversValue(wide, narrow)
  );
}

/** Reports a rule that never applies, because a rule above it fits all of its replies. */
function noteUnreachable({ outcomes }: SourceSpec, file: SpecLocation): void {
  for (const [index, rule] of outcomes.entries()) {
    const above = outcomes.findIndex(
      (other, at) => at < index && other.is !== rule.is && coversRule(other, rule),
    );
    const other = outcomes[above];
    if (other === undefined) continue;
    file
      .at('outcomes', index)
      .report(
        `this rule can never apply: outcomes[${above}] (is: ${other.is}) stands above and fits all of its replies`,
        `move it above outcomes[${above}]: the first rule that fits decides`,
      );
  }
}

/** Reports outcome rules that misread replies. With these, answers are wrong and not only slow. */
export function lintOutcomes(source: SourceSpec, report: ReportProblem): void {
  noteHiddenErrors(source, locationIn(report));
  noteUnreachable(source, locationIn(report));
}

/** The line of YAML with which a call ends before the time of a scan is over. */
function timeoutBelow(budgetMs: number): string {
  const seconds = Math.ceil(budgetMs / 1_000) - 1;
  return seconds > 0 ? `timeout: ${seconds}s` : `timeout: ${Math.floor((budgetMs * 3) / 4)}ms`;
}

/** Reports a call timeout as long as the time of a scan. A shorter one leaves time for a retry if the source hangs. */
function noteLongTimeout({ net, budget }: SourceSpec, file: SpecLocation): void {
  if (net.timeout < budget.time) return;
  file
    .at('net', 'timeout')
    .report(
      `a call may take ${net.timeout} ms, but a scan only ${budget.time} ms (budget.time): a source that hangs ends the scan before its call is over`,
      `${timeoutBelow(budget.time)} under net, or a longer budget.time`,
    );
}

/** Reports ids that would make the path of another request. They are never asked for, and `id.form` should exclude them. */
function noteReservedIds(
  { name, idPrefix }: Resource,
  { id, get }: SourceResourceSpec,
  source: SourceSpec,
  here: SpecLocation,
): void {
  if (get === undefined) return;
  const codec = compileIdCodec(id, idPrefix, CHECKED);
  const passing = reservedIds(get.request.path, source).filter(({ native }) => {
    const own = codec.toPublic(native);
    // Ids with a slash are rare, so no form is asked for because of them.
    return own !== undefined && !native.includes('/') && codec.toNative(own) === native;
  });
  if (passing.length === 0) return;
  const natives = [...new Set(passing.map(({ native }) => native))];
  const places = passing.map(({ place }) => place.join('.')).join(', ');
  const form = `(?!(?:${natives.map(escapedText).join('|')})$).+`;
  here
    .at('get', 'request', 'path')
    .report(
      `with the id "${natives.join('" or "')}" this is the path of ${places}; it is never asked for such an id`,
      `id: { kind: ${id.kind}, form: '${form}' } under resources.${name}, or the form that all ids have`,
    );
}

/**
 * Reports an order that nothing in the request asks for. Any write may change it, and the reply with one page does not show that.
 */
function noteOrderBet(spec: SourceResourceSpec, here: SpecLocation): void {
  const bet = orderBet(spec);
  if (bet === undefined) return;
  here
    .at('list', 'order')
    .report(
      `bet: nothing in the request asks for order: ${bet.by}, so a write may move rows to other pages${bet.isAccepted ? ' (accepted by orderIs: observed)' : ''}`,
      bet.remedy,
    );
}

/**
 * The names of the steps that may alter or remove texts. A mapping with an enum has none, because its labels are not the source's
 * texts. `unescape` counts only if the source filters by the field, because some products escape all their texts.
 */
function alteringSteps(as: readonly CoercionSpec[], isFiltered: boolean): readonly string[] {
  if (as.some((step) => typeof step === 'object' && 'enum' in step)) return [];
  return as.flatMap((step) => {
    if (step === 'trim' || (step === 'unescape' && isFiltered)) return step;
    const words = typeof step === 'object' && 'nullIf' in step ? step.nullIf : [];
    return words.some((word) => typeof word === 'string' && word !== '') ? 'nullIf' : [];
  });
}

/** Reports a filter on a field whose texts a step alters, because callers then ask for another text than the source has. */
function noteAlteredLabels(
  { itemFields, filters }: Resource,
  { list }: SourceResourceSpec,
  here: SpecLocation,
): void {
  for (const { name: field, kind } of itemFields) {
    const { from, as } = list.map[field] ?? { from: [], as: [] };
    const steps = alteringSteps(as, list.filters[field] !== undefined);
    if (kind !== 'text' || steps.length === 0 || !filters.some((one) => one.field === field)) continue;
    here
      .at('list', 'map', field, 'as')
      .report(
        `a filter asks for ${field}, but ${steps.join(' and ')} may change what the source means by it`,
        `${field}: ${[from].flat().join(', ')}, unless the source is known to write its texts so; portico infer shows which texts a step would change`,
      );
  }
}

/** Reports fields of the contract that a mapping does not name. They may be forgotten, and are null in every record. */
function noteUnmapped(resource: Resource, spec: SourceResourceSpec, here: SpecLocation): void {
  for (const view of ['list', 'details', 'get'] as const) {
    // The details of `hydrate: get` are those of the single record.
    if (view === 'details' && spec.list.hydrate === 'get') continue;
    const found = viewSpecOf(spec, resource, view);
    if (found === undefined) continue;
    const { map } = found.spec;
    const names = found.fields.flatMap(({ name, required }) => (required || map[name] ? [] : name));
    if (names.length === 0) continue;
    const [name = ''] = names;
    here
      .at(...found.place, 'map')
      .report(
        `every record has null for what the contract has and this map has not: ${names.join(', ')}`,
        `${name}: path.in.the.record; or ${name}: null, if the source has no such value`,
      );
  }
}

/** Reports a credential that nothing verifies. A service may answer an expired one with what anonymous visitors may see. */
function noteUnprovenCredential({ auth, outcomes }: SourceSpec, file: SpecLocation): void {
  if (auth.kind === 'none' || auth.proof !== undefined) return;
  if (outcomes.some(({ is }) => is === 'unauthorized')) return;
  file
    .at('auth')
    .report(
      'nothing shows that the source still knows the credential: if it serves visitors, too, a dead one brings their rows',
      'proof: { request: { path: /me }, at: login } under auth; or, if it refuses others, - { status: 401, is: unauthorized } under outcomes',
    );
}

/** Reports everything that is valid in a source file but probably a mistake. */
export function lintSource(source: SourceSpec, { resources }: Contract, report: ReportProblem): void {
  const file = locationIn(report);
  lintOutcomes(source, report);
  noteLongTimeout(source, file);
  noteUnprovenCredential(source, file);
  for (const resource of resources.values()) {
    const spec = source.resources[resource.name];
    if (spec === undefined) continue;
    const here = file.at('resources', resource.name);
    noteReservedIds(resource, spec, source, here);
    noteOrderBet(spec, here);
    noteUnmapped(resource, spec, here);
    noteAlteredLabels(resource, spec, here);
  }
}
