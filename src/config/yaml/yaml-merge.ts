import { type Document, isAlias, isMap, isScalar, isSeq, type Pair, type YAMLMap } from 'yaml';

/** A limit for merges inside merges. */
const DEPTH_MAX = 20;

/** The target of an alias; any other node itself. */
export function followAlias(document: Document, node: unknown): unknown {
  return isAlias(node) ? node.resolve(document) : node;
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
