import type { Random } from './random.ts';

/** A part of a file, before it is written. */
export type Tree = { [key: string]: unknown };

const SCALARS: Readonly<Record<string, readonly string[]>> = {
  text: ['equal', 'known'],
  integer: ['equal', 'one_of', 'at_least', 'at_most', 'above', 'below', 'known'],
  decimal: ['equal', 'one_of', 'at_least', 'at_most', 'above', 'below', 'known'],
  boolean: ['equal', 'known'],
  datetime: ['equal', 'at_least', 'at_most', 'after', 'before', 'known'],
  date: ['equal', 'at_least', 'at_most', 'after', 'before', 'known'],
  enum: ['equal', 'one_of', 'known'],
  reference: ['equal', 'one_of', 'known'],
};
const ELEMENTS = Object.keys(SCALARS);
const OBJECTS = 'list of objects';
const LISTS = [...ELEMENTS.map((kind) => `list of ${kind}`), OBJECTS];

/** What a filter can ask of each kind, as the guide to contracts has it. Lists are told apart by what they have. */
export const RELATIONS: Readonly<Record<string, readonly string[]>> = {
  id: ['one_of'],
  ...SCALARS,
  ...Object.fromEntries(LISTS.map((kind) => [kind, kind === OBJECTS ? ['known'] : ['has', 'known']])),
};

const KINDS = [...ELEMENTS, ...ELEMENTS, ...LISTS];
/** Whether a kind is that of lists, which have no order. */
export const isList = (kind: string) => kind.startsWith('list ');
const NAMES =
  'name total at due_by isOpen zip2 state owner number type value data key meta order filters'.split(' ');
const RESOURCES = 'orders tickets sites order_lines invoices2 a data items'.split(' ');
const LABELS = 'open shipped Lost ü a&b x+y 7 true null 100% "q" é z{value} 😀 A-1'.split(' ');

/** A list of values of a kind, or of objects. */
function listOf(random: Random, targets: readonly string[], kind: string): Tree {
  const inside = random.shuffled(ELEMENTS).slice(0, 1 + random.below(3));
  const names = random.shuffled(NAMES);
  const of =
    kind === OBJECTS
      ? Object.fromEntries(inside.map((one, at) => [names[at]!, fieldOf(random, targets, one)]))
      : fieldOf(random, targets, kind.slice('list of '.length));
  const max = random.of([undefined, 1, 2, 3, 4]);
  return { kind: 'list', of, ...(max && { max }), ...(random.is(0.3) && { unordered: true }) };
}

function fieldOf(random: Random, targets: readonly string[], kind: string): Tree {
  const field: Tree = isList(kind) ? listOf(random, targets, kind) : { kind };
  if (random.is(0.3)) field['description'] = random.of(['What it is.', 'a: b # c', 'Ünïcode']);
  if (random.is(0.15)) field['required'] = true;
  if (random.is(0.1)) field['aliases'] = ['other', 'a.b'];
  if (random.is(0.1)) field['deprecated'] = true;
  if (kind === 'enum') field['values'] = random.shuffled(LABELS).slice(0, 1 + random.below(6));
  if (kind === 'reference') field['to'] = random.of(targets);
  if ((kind === 'integer' || kind === 'decimal') && random.is(0.3)) field['minimum'] = random.of([0, -3, 2]);
  return field;
}

/** Fields by name, some of them within objects. `kinds` are those of the first ones. */
function fieldsOf(random: Random, targets: readonly string[], kinds: readonly string[], depth = 0): Tree {
  const fields: Tree = {};
  const names = random.shuffled(NAMES).slice(0, kinds.length);
  for (const [index, name] of names.entries()) {
    const isObject = depth < 3 && random.is(depth === 0 ? 0.15 : 0.3);
    const inside = [kinds[index]!, ...random.some(KINDS, 0.06)].slice(0, 4);
    fields[name] = isObject
      ? fieldsOf(random, targets, inside, depth + 1)
      : fieldOf(random, targets, kinds[index]!);
  }
  return fields;
}

/** The kinds of the fields by their names with points. */
function kindsIn(fields: Tree, above = ''): readonly (readonly [string, string])[] {
  return Object.entries(fields).flatMap(([key, value]) => {
    const spec = value as Tree;
    const name = above === '' ? key : `${above}.${key}`;
    return typeof spec['kind'] === 'string' ? [[name, kindOf(spec)] as const] : kindsIn(spec, name);
  });
}

function kindOf({ kind, of }: Tree): string {
  return kind === 'list'
    ? `list of ${((of as Tree)['kind'] as string | undefined) ?? 'objects'}`
    : String(kind);
}

function filtersOf(random: Random, kinds: readonly (readonly [string, string])[]): Tree {
  const filters: Tree = {};
  for (const [field, kind] of kinds)
    for (const is of random.some(RELATIONS[kind]!, 0.6)) {
      const base = field.replaceAll('.', '_');
      const name = is === 'equal' && !['order', 'filters'].includes(base) ? `${base}_is` : `${is}_${base}`;
      filters[name] = random.is(0.1) ? { field, is, description: 'Narrows.' } : { field, is };
    }
  return filters;
}

function resourceOf(random: Random, name: string, targets: readonly string[], prefix: string): Tree {
  const kinds = random.shuffled(KINDS).slice(0, 5 + random.below(7));
  const fields = fieldsOf(random, targets, kinds);
  const all = [['id', 'id'] as const, ...kindsIn(fields)];
  const sortable = all.filter(([, kind]) => !isList(kind)).map(([field]) => field);
  const resource: Tree = { singular: `${name}_one`, id: { prefix }, fields };
  const detail = { [random.of(['more', 'extra'])]: fieldOf(random, targets, random.of(KINDS)) };
  const nested = {
    inner: fieldsOf(random, targets, random.shuffled(KINDS).slice(0, random.below(4)).concat('text'), 1),
  };
  const single = random.of([undefined, false, true, true, detail, nested, { ...detail, ...nested }]);
  if (single !== undefined) resource['single'] = single;
  if (single !== undefined && single !== false && random.is(0.2)) return { ...resource, list: false };
  if (random.is(0.95)) resource['sort'] = random.some(sortable, 0.8);
  if (random.is(0.4)) resource['order'] = [(random.is(0.5) ? '-' : '') + random.of(sortable)];
  if (random.is(0.95)) resource['filters'] = filtersOf(random, all);
  if (random.is(0.3)) resource['pages'] = random.of([{ default: 2 }, { max: 100 }, { default: 3, max: 3 }]);
  return resource;
}

/** A contract of one to three resources that is valid. */
export function randomContract(random: Random): Tree {
  const names = random.shuffled(RESOURCES).slice(0, 1 + random.below(3));
  const prefixes = random.shuffled(['o', 't7', 'site', 'user', 'abcdefghijklmnop']);
  const resources = names.map((name, index) => [
    name,
    resourceOf(random, name, names, random.is(0.25) ? '' : prefixes[index]!),
  ]);
  const overflow = random.of([undefined, 'reject', 'clamp']);
  return {
    contract: 1,
    ...(random.is(0.8) && { version: random.of(['v1', 'v2', 'v10', 'v99']) }),
    title: random.of(['Shop', 'A: b', 'Über API']),
    pages: {
      ...{ default: 1 + random.below(7), max: 7 + random.below(20), ...(overflow && { overflow }) },
      // Lists of a thousand objects are more than 16 MiB.
      bytes: 2 ** 30,
    },
    resources: Object.fromEntries(resources) as Tree,
  };
}
