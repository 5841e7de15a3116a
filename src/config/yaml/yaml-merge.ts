// Follows aliases and merges in a YAML document, for look-ups that need the position of a key.

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

/** The targets of all aliases, found in one pass, because `Alias.resolve` reads the whole document for each. */
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

/** Returns the target of an alias, or any other node itself; `undefined` for an alias without a target. */
export function followAlias(document: Document, node: unknown): unknown {
  return isAlias(node) ? targetsOf(document).get(node) : node;
}

/** Whether a pair is a merge (`<<: *anchor`). The parser marks its key with a symbol. */
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

/** The pairs of a map, followed by those that it merges. If a key is repeated, the first pair counts. */
export function pairsOf(document: Document, map: YAMLMap, depth = 0): readonly Pair[] {
  const own = map.items.filter((pair) => !isMerge(pair));
  if (own.length === map.items.length || depth > DEPTH_MAX) return own;
  const merged = map.items
    .filter(isMerge)
    .flatMap((pair) => mergeSources(document, pair) ?? [])
    .flatMap((source) => pairsOf(document, source, depth + 1));
  return [...own, ...merged];
}
