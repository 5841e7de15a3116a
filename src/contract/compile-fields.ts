// Compiles the fields of a resource for `compile-contract.ts`, and reports those that no answer could have.

import {
  type ContractSpec,
  type FieldSpecs,
  isLeafSpec,
  type LeafSpec,
  type ReportContractProblem,
  type ResourceSpec,
} from './contract-schema.ts';
import { deprecationMarks } from './deprecation.ts';
import { compileAccepts, type Field, fieldSchema, idPatternOf, idStartOf, type ListShape } from './fields.ts';

const FIELDS_MAX = 200;
const DEPTH_MAX = 3;
/** The names that every JavaScript object has. A look-up by one of them finds a value even if nobody wrote one. */
export const objectNames: readonly string[] = Object.getOwnPropertyNames(Object.prototype);

const RESERVED: ReadonlySet<string> = new Set(['id', ...objectNames]);

/** Kinds whose values count as personal data unless the contract says otherwise. */
const PERSONAL: ReadonlySet<string> = new Set(['text', 'date', 'integer']);

/** What all fields of one resource are compiled with. */
type Scope = {
  readonly contract: ContractSpec;
  /** The names of fields that a filter compares with an exact text. */
  readonly labels: ReadonlySet<string>;
  readonly report: ReportContractProblem;
};

/** The id of a resource, the first field of each record. */
function idField(prefix: string): Field {
  const idPattern = idPatternOf(prefix);
  const start = idStartOf(prefix);
  const description = `Identifier, ${start === '' ? 'the id of the record' : `\`${start}\` and the id of the record`}.`;
  const settings = { kind: 'id', required: true, idPattern, description, example: `${start}42` } as const;
  return {
    ...{ path: ['id'], name: 'id', kind: 'id', required: true, aliases: [], isLabel: false, personal: false },
    idStart: start.length,
    accepts: compileAccepts(settings),
    schema: fieldSchema(settings),
  };
}

/** Reports a reserved name. Returns whether it is one. */
function reportReserved(key: string, at: readonly string[], { report }: Scope): boolean {
  const isReserved = RESERVED.has(key);
  if (isReserved) report(at, `the name "${key}" is reserved`, 'choose another name');
  return isReserved;
}

/** Compiles the elements of a list. An element that is a value is never null. */
function compileList(
  { of, max, unordered }: Extract<LeafSpec, { kind: 'list' }>,
  { name, at, scope }: { readonly name: string; readonly at: readonly string[]; readonly scope: Scope },
): ListShape {
  if (isLeafSpec(of))
    return { max, unordered, of: compileLeaf({ ...of, required: true }, [name], at, scope) };
  if (Object.keys(of).length === 0) scope.report(at, 'an object without fields', 'give it fields');
  for (const key of Object.keys(of)) reportReserved(key, [...at, key], scope);
  // Filters cannot ask for fields of objects in a list, so none of these fields is a label.
  const inside = { ...scope, labels: new Set<string>() };
  const fields = Object.entries(of).map(([key, spec]) => compileLeaf(spec, [key], [...at, key], inside));
  return { max, unordered, of: fields };
}

function compileLeaf(spec: LeafSpec, path: readonly string[], at: readonly string[], scope: Scope): Field {
  const { kind, required, aliases } = spec;
  const { contract, labels, report } = scope;
  const values = 'values' in spec ? spec.values : undefined;
  const to = 'to' in spec ? spec.to : undefined;
  const target = to === undefined ? undefined : contract.resources[to];
  if (to !== undefined && target === undefined)
    report(
      [...at, 'to'],
      `the contract has no resource ${to}`,
      `resources: ${Object.keys(contract.resources).join(', ')}`,
    );
  if (values !== undefined && new Set(values).size < values.length)
    report([...at, 'values'], 'a value stands there twice', 'keep one of them');
  const idPattern = target && idPatternOf(target.id.prefix);
  const name = path.join('.');
  const list = spec.kind === 'list' ? compileList(spec, { name, at: [...at, 'of'], scope }) : undefined;
  const settings = { ...spec, idPattern, list };
  const accepts = compileAccepts(settings);
  const example = 'example' in spec ? spec.example : undefined;
  if (typeof example === 'string' && !accepts(example))
    report(
      [...at, 'example'],
      `the example is no ${kind} as the contract writes it`,
      'times are YYYY-MM-DDTHH:mm:ssZ, dates YYYY-MM-DD',
    );
  const minimum = 'minimum' in spec ? spec.minimum : undefined;
  return {
    ...{ path, name, kind, required, values, to, minimum, list, aliases, accepts },
    idStart: target && idStartOf(target.id.prefix).length,
    means: 'means' in spec ? spec.means : undefined,
    personal: spec.personal ?? (list && 'kind' in list.of ? list.of.personal : PERSONAL.has(kind)),
    schema: { ...fieldSchema(settings), ...deprecationMarks(spec) },
    isLabel: labels.has(name),
  };
}

/** Compiles the fields of a map, nested ones included, in the order of an answer. */
function compileLeaves(
  specs: FieldSpecs,
  prefix: readonly string[],
  at: readonly string[],
  scope: Scope,
): readonly Field[] {
  return Object.entries(specs).flatMap(([key, spec]) => {
    const path = [...prefix, key];
    const here = [...at, key];
    if (reportReserved(key, here, scope)) return [];
    if (isLeafSpec(spec)) return [compileLeaf(spec, path, here, scope)];
    if (path.length > DEPTH_MAX)
      scope.report(here, `an object stands more than ${DEPTH_MAX} levels deep`, 'move its fields up');
    if (Object.keys(spec).length === 0)
      scope.report(here, 'an object without fields', 'give it fields, or remove it');
    return path.length > DEPTH_MAX ? [] : compileLeaves(spec, path, here, scope);
  });
}

/** Compiles the fields of a resource: those of an item of its list, and those of a single record. */
export function compileFields(
  contract: ContractSpec,
  name: string,
  { fields, single, id, filters }: ResourceSpec,
  report: ReportContractProblem,
): { readonly itemFields: readonly Field[]; readonly detailFields: readonly Field[] } {
  const labels = new Set(
    Object.values(filters).flatMap(({ field, is }) => (is === 'equal' || is === 'has' ? [field] : [])),
  );
  const scope: Scope = { contract, labels, report };
  const at = ['resources', name];
  const own = compileLeaves(fields, [], [...at, 'fields'], scope);
  if (own.length === 0) report([...at, 'fields'], 'a resource has at least one field beside its id');
  const more = typeof single === 'object' ? compileLeaves(single, [], [...at, 'single'], scope) : [];
  for (const key of Object.keys(typeof single === 'object' ? single : {}))
    if (Object.hasOwn(fields, key))
      report([...at, 'single', key], 'the fields of the list have it already', 'remove it here');
  if (own.length + more.length > FIELDS_MAX)
    report([...at, 'fields'], `a resource has at most ${FIELDS_MAX} fields`, 'leave some out');
  const itemFields = [idField(id.prefix), ...own];
  return { itemFields, detailFields: single === false ? [] : [...itemFields, ...more] };
}
