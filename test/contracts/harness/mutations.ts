import { stringify } from 'yaml';
import type { Tree } from '../generate/contract.ts';
import type { Random } from '../generate/random.ts';

/** A contract file that somebody has changed, perhaps into a wrong one. */
export type Mutation = { readonly name: string; readonly text: string };

/** A key of a map somewhere in a file. */
type Spot = { readonly owner: Tree; readonly key: string };

function spotsIn(tree: unknown): readonly Spot[] {
  if (typeof tree !== 'object' || tree === null) return [];
  const owner = tree as Tree;
  const own = Array.isArray(tree) ? [] : Object.keys(owner).map((key) => ({ owner, key }));
  return [...own, ...Object.values(owner).flatMap((one) => spotsIn(one))];
}

/** Puts another key in the place of one, where it stood. */
function rename({ owner, key }: Spot, name: string): void {
  const entries = Object.entries(owner).map(([one, value]) => [one === key ? name : one, value] as const);
  for (const one of Object.keys(owner)) Reflect.deleteProperty(owner, one);
  for (const [one, value] of entries) owner[one] = value;
}

const ODD: readonly unknown[] = [
  ...[
    null,
    true,
    false,
    0,
    1,
    3,
    -1,
    1.5,
    1e6,
    '',
    'x',
    'text',
    'id',
    'v3',
    'users',
    'a b',
    'Ü',
    '__proto__',
  ],
  ...[
    [],
    {},
    ['id'],
    ['-id'],
    { kind: 'text' },
    { kind: 'list' },
    { prefix: 'zz' },
    ['a', 'a'],
    'open',
    'equal',
  ],
];
const NAMES = 'x name id constructor page sort kind q Upper two__lines a-b total zip9 owner'.split(' ');
const KINDS = 'text integer decimal boolean datetime date enum reference list object Text id'.split(' ');
const RELATIONS = 'equal one_of at_least at_most above below after before known has like'.split(' ');
const FIELDS = 'id name total missing more inner.x owner.name'.split(' ');

const keyed = (tree: Tree, ...keys: readonly string[]) =>
  spotsIn(tree).filter(({ key }) => keys.includes(key));

/** Changes the tree; `undefined` if it has nothing of the kind. */
type Change = (tree: Tree, random: Random) => string | undefined;

function at(spots: readonly Spot[], random: Random, act: (spot: Spot) => void): string | undefined {
  if (spots.length === 0) return undefined;
  const spot = random.of(spots);
  act(spot);
  return spot.key;
}

const set =
  (key: string, values: readonly unknown[]): Change =>
  (tree, random) =>
    at(keyed(tree, key), random, (spot) => (spot.owner[key] = random.of(values)));

const CHANGES: Readonly<Record<string, Change>> = {
  'a key removed': (tree, random) =>
    at(spotsIn(tree), random, ({ owner, key }) => Reflect.deleteProperty(owner, key)),
  'a key renamed': (tree, random) => at(spotsIn(tree), random, (spot) => rename(spot, random.of(NAMES))),
  'a letter changed': (tree, random) =>
    at(spotsIn(tree), random, (spot) => rename(spot, `${spot.key.slice(0, -1)}x`)),
  'another value': (tree, random) =>
    at(spotsIn(tree), random, ({ owner, key }) => (owner[key] = structuredClone(random.of(ODD)))),
  'a value moved': (tree, random) => {
    const from = structuredClone(random.of(spotsIn(tree)));
    return at(spotsIn(tree), random, ({ owner, key }) => (owner[key] = from.owner[from.key]));
  },
  'a key added': (tree, random) =>
    at(spotsIn(tree), random, ({ owner }) => (owner[random.of(NAMES)] = structuredClone(random.of(ODD)))),
  'another kind': set('kind', KINDS),
  'another relation': set('is', RELATIONS),
  'another field': set('field', FIELDS),
  'another target': set('to', ['users', 'orders', '', 'nobody']),
  'another prefix': set('prefix', ['o', 'site', 'user', 't7', '', 'O', 'a_b', 'zz']),
  'another singular': set('singular', ['user', 'orders', 'data', '', 'Order', 'a_one', 'items_one']),
  'another sort': set('sort', [['id'], ['missing'], ['id', 'id'], 'id', [1], []]),
  'another order': set('order', [['id'], ['-id'], ['--id'], ['missing'], [], ['id', 'id'], '-id']),
  'other sizes of pages': set('pages', [
    { default: 5 },
    { max: 1 },
    { default: 9, max: 3 },
    {},
    { max: 2000 },
    null,
  ]),
  'a list or none': (tree, random) =>
    at(
      keyed(tree, 'singular'),
      random,
      ({ owner }) => (owner['list'] = random.of([true, false, false, 'no', null])),
    ),
  'other fields': set('single', [
    true,
    false,
    {},
    { bio: { kind: 'text' } },
    'yes',
    { id: { kind: 'text' } },
  ]),
  'another requirement': set('required', [true, false, 'yes', null]),
  'a description': (tree, random) =>
    at(
      keyed(tree, 'kind'),
      random,
      ({ owner }) => (owner['description'] = random.of(['What.', 'a # b', '', 7, '# x'])),
    ),
  'an example': (tree, random) =>
    at(
      keyed(tree, 'kind'),
      random,
      ({ owner }) => (owner['example'] = random.of(['x', 5, true, '2020-05-01', '2020-05-01T00:00:00Z'])),
    ),
  'a minimum': (tree, random) =>
    at(keyed(tree, 'kind'), random, ({ owner }) => (owner['minimum'] = random.of([0, 1.5, -2, '0', 1e21]))),
  'a sunset': (tree, random) =>
    at(keyed(tree, 'kind', 'singular', 'is'), random, ({ owner }) => {
      owner['deprecated'] = random.of([true, true, 'yes']);
      owner['sunset'] = random.of(['2027-06-30', '2027-02-30', 'soon', 2027]);
    }),
  'keys in another order': (tree, random) =>
    at(spotsIn(tree), random, ({ owner }) => {
      const [first] = Object.keys(owner);
      const value = owner[first!];
      Reflect.deleteProperty(owner, first!);
      owner[first!] = value;
    }),
};

/** Changes of the text itself: what nobody writes with a program. */
const LINES: Readonly<Record<string, (lines: string[], line: number, random: Random) => void>> = {
  'a line removed': (lines, line) => void lines.splice(line, 1),
  'a line doubled': (lines, line) => void lines.splice(line, 0, lines[line]!),
  'a line moved in': (lines, line) => void (lines[line] = `  ${lines[line]!}`),
  'a line moved out': (lines, line) => void (lines[line] = lines[line]!.replace(/^ {2}/, '')),
  'a colon lost': (lines, line) => void (lines[line] = lines[line]!.replace(':', '')),
  'a comment': (lines, line) => void lines.splice(line, 0, '# what follows'),
  'the end lost': (lines, line) => void lines.splice(line),
  'a bracket': (lines, line, random) =>
    void (lines[line] = lines[line]! + random.of([' [', ' }', ' *x', ' "', ' &a', ' !t'])),
};

/** What is tried more often, because most of it can be served. */
const SOUND = [
  'a comment',
  'a description',
  'keys in another order',
  'another requirement',
  'other sizes of pages',
];
const NAMES_OF_CHANGES = [
  ...Object.keys(CHANGES),
  ...Object.keys(CHANGES),
  ...Object.keys(LINES),
  ...SOUND,
  ...SOUND,
];

/** Makes one change of a contract. */
export function mutate(contract: Tree, random: Random): Mutation {
  for (;;) {
    const name = random.of(NAMES_OF_CHANGES);
    const tree = structuredClone(contract);
    const change = CHANGES[name];
    if (change !== undefined) {
      const where = change(tree, random);
      if (where !== undefined)
        return { name: `${name}: ${where}`, text: stringify(tree, { aliasDuplicateObjects: false }) };
      continue;
    }
    const lines = stringify(tree).split('\n');
    const line = random.below(lines.length - 1);
    LINES[name]!(lines, line, random);
    return { name: `${name}: ${line + 1}`, text: lines.join('\n') };
  }
}
