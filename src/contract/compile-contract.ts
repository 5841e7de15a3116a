// Compiles a contract file, whose shape was checked, to what all other layers use: resources, fields, filters, orders and
// operations. Reports what a schema cannot find, such as names that clash.

import { contentDigest } from '../kernel/secret.ts';
import { compileFields, objectNames } from './compile-fields.ts';
import { compileFilterParameters, compileOrderings } from './compile-parameters.ts';
import type { ContractSpec, ReportContractProblem, ResourceSpec } from './contract-schema.ts';
import { type Field, idPatternOf, idStartOf } from './fields.ts';
import type { Contract, Operation, Resource, ResourceName } from './resource.ts';
import { checkWorstPage } from './worst-page.ts';

const capitalised = (word: string) => word.charAt(0).toUpperCase() + word.slice(1);

/** The endpoints of a resource. In the path of a single record, `:id` is the variable segment. */
function operationsOf(resource: Resource): readonly Operation[] {
  const { name, hasList, hasSingle, path } = resource;
  const list: Operation = { name: `${name}.list`, kind: 'list', resource, path };
  const get: Operation = { name: `${name}.get`, kind: 'get', resource, path: `${path}/:id` };
  return [...(hasList ? [list] : []), ...(hasSingle ? [get] : [])];
}

/** Reports keys that have no effect if a resource has no list, and a resource that has no view at all. */
function checkListless(name: ResourceName, spec: ResourceSpec, report: ReportContractProblem): void {
  if (spec.list) return;
  const at = ['resources', name];
  if (spec.single === false)
    report([...at, 'list'], 'a resource without a list has the view of a single record', 'single: true');
  const { sort, order, filters, pages } = spec;
  for (const [key, value] of Object.entries({ sort, order, filters, pages }))
    if (value !== undefined && Object.keys(value).length > 0)
      report([...at, key], `${name} has no list, which \`${key}\` is for`, `remove ${key}, or list: false`);
}

/** Keys of a contract file that change no answer. */
const FOR_READERS: ReadonlySet<string> = new Set([
  ...['description', 'example', 'aliases', 'means', 'title'],
  ...['deprecated', 'sunset', 'personal', 'unordered'],
]);

/** The parts of the contract that an answer of a resource depends on, for its digest. Texts for readers are left out. */
function answerPartsOf(
  contract: ContractSpec,
  name: string,
  resource: ResourceSpec,
  fields: readonly Field[],
): unknown {
  // A field or a filter can have the name of such a key, too. Then its value is a map, and it counts.
  const isNamedField = (value: unknown) =>
    typeof value === 'object' && value !== null && !Array.isArray(value);
  // References hold public ids, so an answer depends on the prefixes of other resources, too.
  const prefixes = fields
    .flatMap(({ to, list }) => [to, ...[list?.of ?? []].flat().map((inner) => inner.to)])
    .map((to) => to && contract.resources[to]?.id.prefix);
  const { bytes: _, ...pages } = contract.pages;
  return [
    name,
    contract.version,
    pages,
    prefixes,
    JSON.stringify(resource, (key, value: unknown) =>
      FOR_READERS.has(key) && !isNamedField(value) ? undefined : value,
    ),
  ];
}

function compileResource(
  contract: ContractSpec,
  name: ResourceName,
  spec: ResourceSpec,
  report: ReportContractProblem,
): Resource {
  checkListless(name, spec, report);
  const fields = compileFields(contract, name, spec, report);
  const { itemFields, detailFields } = fields;
  const all = detailFields.length > 0 ? detailFields : itemFields;
  const digest = contentDigest(answerPartsOf(contract, name, spec, all));
  const pages = {
    default: spec.pages.default ?? contract.pages.default,
    max: spec.pages.max ?? contract.pages.max,
  };
  if (pages.default > pages.max)
    report(
      spec.pages.default === undefined && spec.pages.max === undefined
        ? ['pages']
        : ['resources', name, 'pages'],
      `a page has ${pages.default} records by default, but at most ${pages.max}`,
      `default: ${pages.max}`,
    );
  const resource: Resource = {
    name,
    singular: spec.singular,
    schemaName: capitalised(spec.singular),
    aliases: spec.aliases,
    means: spec.means,
    idPrefix: spec.id.prefix,
    idStart: idStartOf(spec.id.prefix),
    idPattern: idPatternOf(spec.id.prefix),
    path: `/${contract.version}/${name}`,
    permission: `${name}:read`,
    ...fields,
    hasList: spec.list,
    hasSingle: spec.single !== false,
    fieldNames: all.flatMap((field) => (field.kind === 'id' ? [] : [field.name])),
    ...compileOrderings(name, spec, itemFields, report),
    filters: compileFilterParameters(contract, name, spec, itemFields, report),
    pages,
    operations: [],
    deprecation: { deprecated: spec.deprecated, sunset: spec.sunset },
    digest,
    spec: contract,
    toJSON: () => `${name} ${digest}`,
  };
  checkWorstPage(resource, report);
  return Object.assign(resource, { operations: operationsOf(resource) });
}

/** Reports names that two resources share, because then they would share an answer, an id or a schema. */
function reportClashes({ resources }: ContractSpec, report: ReportContractProblem): void {
  const entries = Object.entries(resources);
  // These names are taken by the OpenAPI document, by pass-through routes, and by every JavaScript object.
  const takers = new Map([
    ['the name Meta', 'every answer'],
    ['the name Error', 'every answer'],
    ['the path passthrough', 'the routes that pass through'],
    ...objectNames.map((name) => [`the path ${name}`, 'what every object has'] as const),
  ]);
  const take = (kind: string, text: string, at: readonly string[], hint: string) => {
    const earlier = takers.get(`${kind} ${text}`);
    takers.set(`${kind} ${text}`, at[1] ?? '');
    if (earlier !== undefined) report(at, `${kind} "${text}" is taken by ${earlier}`, hint);
  };
  for (const [name, { singular, id }] of entries) {
    const at = ['resources', name];
    if (id.prefix !== '')
      take('the prefix of ids', id.prefix, [...at, 'id', 'prefix'], 'give each resource a prefix of its own');
    if (id.prefix !== name && Object.hasOwn(resources, id.prefix))
      report(
        [...at, 'id', 'prefix'],
        `"${id.prefix}" is a resource, so the purge of \`${id.prefix}:42\` would be that of two records`,
        'another prefix',
      );
    take('the name', capitalised(singular), [...at, 'singular'], 'give each resource a singular of its own');
    take('the name', `${capitalised(singular)}Detail`, [...at, 'singular'], 'choose another singular');
    take('the path', name, at, 'give each resource a name of its own');
  }
}

/** Compiles a contract file whose shape was checked. If it reports a problem, its result must not be used. */
export function compileContract(
  given: ContractSpec,
  report: ReportContractProblem,
  isBuiltIn = false,
): Contract {
  // The map has no prototype, so a reference to `constructor` does not find the function that every object has.
  const noNames = Object.create(null) as ContractSpec['resources'];
  const spec: ContractSpec = { ...given, resources: Object.assign(noNames, given.resources) };
  reportClashes(spec, report);
  const resources = new Map(
    Object.entries(spec.resources).map(([name, resource]) => [
      name,
      compileResource(spec, name, resource, report),
    ]),
  );
  return {
    version: spec.version,
    title: spec.title,
    limitOverflow: spec.pages.overflow ?? 'reject',
    saysOverflow: spec.pages.overflow !== undefined,
    resources,
    operations: [...resources.values()].flatMap(({ operations }) => operations),
    isBuiltIn,
    spec,
    toJSON: () => spec,
  };
}
