import type { Random } from '../../../src/cli/demo/data/random.ts';
import { REPLY_MARKER, type Mutation, plantable } from './case.ts';
import { containersOf, copyTree, Members, type Node, Raw, sitesOf, writeTree } from './tree.ts';

type TreeMutation = (root: Node, random: Random, textKeys: ReadonlySet<string>) => Node;

const canaryObject = () =>
  new Members([
    ['secret', REPLY_MARKER],
    ['id', REPLY_MARKER],
    ['name', new Members([['secret', REPLY_MARKER]])],
  ]);

/** Numbers that are none, or that no double holds. */
const NUMBERS = [
  '1e999999',
  '-1e999999',
  '123456789012345678901234567890',
  '9007199254740993',
  '-0',
  '-1',
  '0.1e-400',
  '1E+400',
  '2147483648',
  '18446744073709551616',
  '1.7976931348623157e309',
  '0.30000000000000000000000000000000001',
  'NaN',
  'Infinity',
  '01',
  '1.',
  '.5',
  '0x1F',
  '+1',
  '1_000',
  '9'.repeat(5_000),
  `0.${'3'.repeat(5_000)}`,
  `1e${'9'.repeat(400)}`,
];

/** Texts that JSON, UTF-16 or a careless reader stumbles over, as they stand in the document. */
const TEXTS = [
  String.raw`"\ud800"`,
  String.raw`"a\udc00b"`,
  String.raw`"\ud83d\ud83d\ude00"`,
  String.raw`"\u0000"`,
  String.raw`"a\u0000b"`,
  String.raw`"\u2028\u2029\ufeff\u202e"`,
  String.raw`"\x41"`,
  String.raw`"\u12"`,
  '"a\u0000b"',
  '"line\nbreak"',
  "'single'",
  '"never ends',
  String.raw`"<script>alert(1)</script>"`,
  String.raw`"{\"data\":[]}"`,
  '""',
  '" "',
  '"null"',
  '"0"',
  '"-1"',
  '"2020-02-30T25:61:61Z"',
  '"/Date(99999999999999999)/"',
  '"+275760-09-13T00:00:00.001Z"',
  '"../../../etc/passwd"',
  '"1,5,6.7"',
];

const BYTES_MANY = 500_000;

const DEPTHS = [10, 63, 64, 65, 500, 50_000];

function deep(random: Random): Raw {
  const depth = random.pick(DEPTHS);
  return random.chance(0.5)
    ? new Raw('['.repeat(depth) + ']'.repeat(depth))
    : new Raw(`${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`);
}

function change(root: Node, random: Random, put: (value: Node, keys: readonly string[]) => Node): Node {
  const sites = sitesOf(root);
  if (sites.length === 0) return put(root, []);
  const site = random.pick(sites);
  site.put(put(site.value, site.keys));
  return root;
}

const inContainer =
  (mutate: (container: Node[] | Members, random: Random) => void): TreeMutation =>
  (root, random) => {
    const containers = containersOf(root);
    if (containers.length > 0) mutate(random.pick(containers), random);
    return root;
  };

const inList =
  (mutate: (list: Node[], random: Random) => void): TreeMutation =>
  (root, random) => {
    const lists = containersOf(root).filter((one): one is Node[] => Array.isArray(one) && one.length > 0);
    if (lists.length > 0) mutate(random.pick(lists), random);
    return root;
  };

const trees: Readonly<Record<string, TreeMutation>> = {
  drop(root, random) {
    const sites = sitesOf(root);
    if (sites.length > 0) random.pick(sites).drop();
    return root;
  },
  retype: (root, random, textKeys) =>
    change(root, random, (_value, keys) => {
      const text = plantable(keys, textKeys) ? REPLY_MARKER : 'retyped';
      return random.pick<Node>([
        null,
        true,
        false,
        0,
        7,
        '',
        text,
        [],
        new Members([]),
        canaryObject(),
        [canaryObject()],
      ]);
    }),
  nest: (root, random) =>
    change(root, random, (value) =>
      random.pick<Node>([[value], new Members([['value', value]]), [[value, value]]]),
    ),
  unreadable: (root, random, textKeys) => {
    const sites = sitesOf(root).filter(
      ({ keys, value }) => plantable(keys, textKeys) && typeof value !== 'object',
    );
    if (sites.length > 0) random.pick(sites).put(REPLY_MARKER);
    return root;
  },
  number: (root, random) => change(root, random, () => new Raw(random.pick(NUMBERS))),
  text: (root, random) => change(root, random, () => new Raw(random.pick(TEXTS))),
  deep: (root, random) => change(root, random, () => deep(random)),
  long: (root, random) => change(root, random, () => 'x'.repeat(random.pick([1_000, 200_000, 400_000]))),
  twice: inContainer((container, random) => {
    if (!(container instanceof Members) || container.entries.length === 0) return;
    const [key, value] = random.pick(container.entries);
    container.entries.push([key, random.chance(0.5) ? value : canaryObject()]);
  }),
  prototype: inContainer((container, random) => {
    const key = random.pick([
      '__proto__',
      'constructor',
      'prototype',
      'toString',
      'hasOwnProperty',
      '__defineGetter__',
    ]);
    if (container instanceof Members)
      container.entries.unshift([key, random.chance(0.5) ? canaryObject() : REPLY_MARKER]);
  }),
  swap: inList((list, random) => {
    const [left, right] = [random.below(list.length), random.below(list.length)];
    [list[left], list[right]] = [list[right] ?? null, list[left] ?? null];
  }),
  again: inList((list, random) => void list.push(copyTree(random.pick(list)))),
  fewer: inList((list, random) => void list.splice(random.below(list.length))),
  many: inList((list, random) => {
    const row = random.chance(0.5) ? null : copyTree(random.pick(list));
    // Large enough to be refused, not so large that the test is about its own memory.
    const most = Math.ceil(BYTES_MANY / writeTree(row).length);
    for (let count = Math.min(most, random.pick([60, 300, 5_000])); count > 0; count -= 1) list.push(row);
  }),
  hollow: (_root, random) =>
    random.pick<Node>([
      null,
      true,
      0,
      '',
      REPLY_MARKER,
      [],
      new Members([]),
      [[]],
      [null],
      canaryObject(),
      new Raw(''),
    ]),
};

const tail = ['', ' ', ',', '}', '\u0000', '{}', ` // ${REPLY_MARKER}`, '\ufeff'];

/** What may become of a JSON document, by name. */
export const jsonMutations: Readonly<Record<string, Mutation<Node>>> = trees;

/** What stands behind a document, mostly nothing. */
export const tailOf = (random: Random) => (random.chance(0.03) ? random.pick(tail) : '');

/** Puts the secret marker into every object of a document, under a name that no source file maps. */
export function plantInTree(root: Node): Node {
  for (const container of containersOf(root))
    if (container instanceof Members) container.entries.push(['zzInternal', REPLY_MARKER]);
  return root;
}
