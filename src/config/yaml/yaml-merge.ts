import {
  type Alias,
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  type Node,
  type Pair,
  visit,
  type YAMLMap,
} from 'yaml';

/** A limit for merges inside merges. */
const DEPTH_MAX = 20;

const targets = new WeakMap<Document, ReadonlyMap<Alias, Node | undefined>>();

/** What the aliases of a document stand for, found in one pass: `Alias.resolve` reads the whole document for each. */
function targetsOf(document: Document): ReadonlyMap<Alias, Node | undefined> {
  const known = targets.get(document);
  if (known !== undefined) return known;
  const found = new Map<Alias, Node | undefined>();
  const anchors = new Map<string, Node>();
  visit(document, {
    Node(_key, node) {
      if (isAlias(node)) found.set(node, anchors.get(node.source));
      else if (node.anchor !== undefined) anchors.set(node.anchor, node);
    },
  });
  targets.set(document, found);
  return found;
}

/** The target of an alias; any other node itself. An alias without a target is `undefined`. */
export function followAlias(document: Document, node: unknown): unknown {
  return isAlias(node) ? targetsOf(document).get(node) : node;
}

/** Whether a pair is a merge (`<<: *anchor`): the parser marks its key. */
export function isMerge({ key }: Pair): boolean {
  return isScalar(key) && typeof key.value === 'symbol';
}

/** The maps that a merge takes its keys from, in order; `undefined` if one of them is not a map. */
export function mergeSources(document: Document, { value }: Pair): readonly YAMLMap[] | undefined {
  const node = followAlias(document, value);
  const sources = (isSeq(node) ? node.items : [node]).map((one) => followAlias(document, one));
  const maps = sources.filter((one) => isMap(one));
  return maps.length === sources.length ? maps : undefined;
}

/** The pairs of a map, then those that it merges: the first pair with a key counts. */
export function pairsOf(document: Document, map: YAMLMap, depth = 0): readonly Pair[] {
  const own = map.items.filter((pair) => !isMerge(pair));
  if (own.length === map.items.length || depth > DEPTH_MAX) return own;
  const merged = map.items
    .filter(isMerge)
    .flatMap((pair) => mergeSources(document, pair) ?? [])
    .flatMap((source) => pairsOf(document, source, depth + 1));
  return [...own, ...merged];
}
