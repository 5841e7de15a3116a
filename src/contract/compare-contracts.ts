// Compares two contract files for `portico check --against`: what breaks clients of the old one, and what is only new.

import {
  type ContractSpec,
  type FieldSpecs,
  type FilterSpecOfContract,
  isLeafSpec,
  type LeafSpec,
  type ResourceSpec,
} from './contract-schema.ts';
import type { PageRules } from './resource.ts';

/** One change from an old contract to a new one, and whether it breaks clients of the old one. */
export type ContractChange = {
  /** The path of the changed key in the new file; for a removed key, the path that it had. */
  readonly path: readonly string[];
  readonly message: string;
  readonly hint?: string;
  /** Whether clients may fail because of the change; otherwise it only adds something. */
  readonly breaks: boolean;
};

const KEEP = 'keep it as long as clients use it; deprecated: true tells them that it goes';

/** The changes that were found, in the order of the old file. */
class Changes {
  readonly all: ContractChange[] = [];

  breaks(path: readonly string[], message: string, hint: string): void {
    this.all.push({ path, message, hint, breaks: true });
  }

  widens(path: readonly string[], message: string): void {
    this.all.push({ path, message, breaks: false });
  }

  /** Compares a value that must not change, because clients rely on it. */
  same(path: readonly string[], before: string | number, now: string | number): void {
    if (before === now) return;
    const key = path.at(-1) ?? '';
    const shown = (value: string | number) => (value === '' ? "''" : value);
    this.breaks(path, `${key} was ${shown(before)}, and is ${shown(now)}`, `${key}: ${shown(before)}`);
  }

  /** Compares two sets of names. A removed name breaks clients, a new one does not. Returns the names that both have. */
  names(
    path: readonly string[],
    what: string,
    before: Iterable<string>,
    now: Iterable<string>,
    hint = KEEP,
  ): readonly string[] {
    const [old, all] = [new Set(before), new Set(now)];
    for (const name of old)
      if (!all.has(name)) this.breaks([...path, ...name.split('.')], `the ${what} ${name} is gone`, hint);
    for (const name of all)
      if (!old.has(name)) this.widens([...path, ...name.split('.')], `the ${what} ${name} is new`);
    return [...old].filter((name) => all.has(name));
  }
}

/** The fields that have a value, by their dotted names. */
function leavesOf(specs: FieldSpecs, prefix = ''): ReadonlyMap<string, LeafSpec> {
  return new Map(
    Object.entries(specs).flatMap(([key, spec]) =>
      isLeafSpec(spec) ? [[prefix + key, spec] as const] : [...leavesOf(spec, `${prefix}${key}.`)],
    ),
  );
}

const valuesOf = (spec: LeafSpec) => ('values' in spec ? spec.values : []);
const minimumOf = (spec: LeafSpec) => ('minimum' in spec ? (spec.minimum ?? 'none') : 'none');
const targetOf = (spec: LeafSpec) => ('to' in spec ? spec.to : '');

function compareValues(at: readonly string[], before: LeafSpec, now: LeafSpec, changes: Changes): void {
  const [old, all] = [valuesOf(before), valuesOf(now)];
  for (const value of old)
    if (!all.includes(value))
      changes.breaks(at, `the value ${value} is gone`, 'keep it; a source need not have it');
  for (const value of all)
    if (!old.includes(value))
      changes.widens(
        at,
        `the value ${value} is new: a client that knows the old ones alone may not expect it`,
      );
  const inOrder = (values: readonly string[], others: readonly string[]) =>
    values.filter((value) => others.includes(value)).join(', ');
  if (inOrder(old, all) !== inOrder(all, old))
    changes.breaks(
      at,
      'the values have another order, which sorts by it follow',
      `the order: ${inOrder(old, all)}`,
    );
}

type ListSpec = Extract<LeafSpec, { kind: 'list' }>;

/** Compares the lengths and elements of two lists. An element that is a value is never null, whatever `required` says. */
function compareList(at: readonly string[], before: ListSpec, now: ListSpec, changes: Changes): void {
  // A list that is too long becomes `null`. If the field is required, the record is invalid instead.
  if (now.max < before.max && !now.required)
    changes.widens([...at, 'max'], `max was ${before.max}, and is ${now.max}: longer lists are null now`);
  else changes.same([...at, 'max'], before.max, now.max);
  const path = [...at, 'of'];
  const [old, own] = [before.of, now.of];
  if (isLeafSpec(old) && isLeafSpec(own))
    compareField(path, { ...old, required: true }, { ...own, required: true }, changes);
  else if (isLeafSpec(old) || isLeafSpec(own))
    changes.breaks(
      path,
      isLeafSpec(own)
        ? 'its elements were objects, and are values'
        : 'its elements were values, and are objects',
      'a field with another name, and the old one as long as clients use it',
    );
  else compareFields(path, old, own, changes);
}

function compareField(at: readonly string[], before: LeafSpec, now: LeafSpec, changes: Changes): void {
  changes.same([...at, 'kind'], before.kind, now.kind);
  if (before.kind !== now.kind) return;
  changes.same([...at, 'to'], targetOf(before), targetOf(now));
  changes.same([...at, 'minimum'], minimumOf(before), minimumOf(now));
  compareValues([...at, 'values'], before, now, changes);
  if (before.kind === 'list' && now.kind === 'list') compareList(at, before, now, changes);
  if (before.required && !now.required)
    changes.breaks([...at, 'required'], 'it was never null, and may be null now', 'required: true');
  if (!before.required && now.required) changes.widens([...at, 'required'], 'it is never null any more');
}

/** Compares fields; in the new file, some of them may stand `elsewhere` (those of a single record in those of the list). */
function compareFields(
  at: readonly string[],
  before: FieldSpecs,
  now: FieldSpecs,
  changes: Changes,
  elsewhere: FieldSpecs = {},
): void {
  const [old, own, others] = [leavesOf(before), leavesOf(now), leavesOf(elsewhere)];
  const moved = [...old.keys()].filter((name) => others.has(name));
  const names = changes.names(at, 'field', old.keys(), [...own.keys(), ...moved]);
  for (const name of names) {
    const [one, other] = [old.get(name), own.get(name) ?? others.get(name)];
    if (one !== undefined && other !== undefined)
      compareField([...at, ...name.split('.')], one, other, changes);
  }
}

function compareFilter(
  at: readonly string[],
  before: FilterSpecOfContract | undefined,
  now: FilterSpecOfContract | undefined,
  changes: Changes,
): void {
  if (before === undefined || now === undefined) return;
  changes.same([...at, 'field'], before.field, now.field);
  changes.same([...at, 'is'], before.is, now.is);
}

const ownFields = ({ single }: ResourceSpec): FieldSpecs => (typeof single === 'object' ? single : {});

function compareSingle(
  at: readonly string[],
  before: ResourceSpec,
  now: ResourceSpec,
  changes: Changes,
): void {
  const path = [...at, 'single'];
  if (before.single === false) {
    if (now.single !== false) changes.widens(path, 'the view of a single record is new');
    return;
  }
  if (now.single === false) changes.breaks(path, 'the view of a single record is gone', 'single: true');
  else compareFields(path, ownFields(before), ownFields(now), changes, now.fields);
}

const pagesOf = ({ pages }: ContractSpec, { pages: own }: ResourceSpec): PageRules => ({
  default: own.default ?? pages.default,
  max: own.max ?? pages.max,
});

function comparePages(at: readonly string[], before: PageRules, now: PageRules, changes: Changes): void {
  const path = [...at, 'pages'];
  changes.same([...path, 'default'], before.default, now.default);
  if (now.max > before.max) changes.widens([...path, 'max'], `max was ${before.max}, and is ${now.max}`);
  else changes.same([...path, 'max'], before.max, now.max);
}

type Sides = { readonly before: ContractSpec; readonly now: ContractSpec };

function compareResource(name: string, { before: old, now: all }: Sides, changes: Changes): void {
  const [before, now] = [old.resources[name], all.resources[name]];
  if (before === undefined || now === undefined) return;
  const at = ['resources', name];
  if (before.singular !== now.singular)
    changes.widens(
      [...at, 'singular'],
      `generated clients name the type ${now.singular}, not ${before.singular}`,
    );
  changes.same([...at, 'id', 'prefix'], before.id.prefix, now.id.prefix);
  compareFields([...at, 'fields'], before.fields, now.fields, changes);
  compareSingle(at, before, now, changes);
  if (before.list && now.list) compareLists(at, { before: old, now: all }, [before, now], changes);
  else if (before.list) changes.breaks([...at, 'list'], 'the list is gone', 'list: true');
  else if (now.list) changes.widens([...at, 'list'], 'the list is new');
}

/** Compares the orders, filters and pages of two lists. */
function compareLists(
  at: readonly string[],
  { before: old, now: all }: Sides,
  [before, now]: readonly [ResourceSpec, ResourceSpec],
  changes: Changes,
): void {
  changes.names([...at, 'sort'], 'sort', before.sort, now.sort, 'keep it as long as clients use it');
  changes.same([...at, 'order'], before.order?.[0] ?? 'id', now.order?.[0] ?? 'id');
  const filters = [...at, 'filters'];
  const shared = changes.names(filters, 'filter', Object.keys(before.filters), Object.keys(now.filters));
  for (const filter of shared)
    compareFilter([...filters, filter], before.filters[filter], now.filters[filter], changes);
  comparePages(at, pagesOf(old, before), pagesOf(all, now), changes);
}

/** Finds every change between two contracts, in the order of the old one. */
export function compareContracts(before: ContractSpec, now: ContractSpec): readonly ContractChange[] {
  const changes = new Changes();
  changes.same(['version'], before.version, now.version);
  const [old, overflow] = [before.pages.overflow ?? 'reject', now.pages.overflow ?? 'reject'];
  const path = ['pages', 'overflow'];
  if (overflow === 'clamp' && old === 'reject')
    changes.widens(path, 'a `limit` above the largest is no error any more');
  else changes.same(path, old, overflow);
  const [names, all] = [Object.keys(before.resources), Object.keys(now.resources)];
  for (const name of changes.names(['resources'], 'resource', names, all))
    compareResource(name, { before, now }, changes);
  return changes.all;
}

/**
 * Finds what changes for clients if resources need other permissions or are not served any more. The maps have the
 * permission by resource, `null` if everybody may read it. The paths of the changes are those of the gateway file.
 */
export function comparePermissions(
  before: ReadonlyMap<string, string | null>,
  now: ReadonlyMap<string, string | null>,
): readonly ContractChange[] {
  const changes = new Changes();
  for (const [name, old] of before) {
    const [at, own] = [['resources', name], now.get(name)];
    if (own === old) continue;
    if (own === undefined) changes.breaks(at, `${name} is not served any more`, 'serve it under resources');
    else if (own === null) changes.widens([...at, 'public'], 'everybody may read it now');
    else if (old === null)
      changes.breaks([...at, 'public'], `everybody could read it, and it needs ${own} now`, 'public: true');
    else changes.same([...at, 'permission'], old, own);
  }
  return changes.all;
}
