// Reads a value of a YAML file with its digits as written, for recorded cases and for reports, which show secrets as `***`.

import { type Document, isAlias, isMap, isScalar, isSeq } from 'yaml';
import { type Json, NumberText } from '../../kernel/json/json.ts';
import { maskReferences } from './substitute.ts';
import { followAlias, pairsOf } from './yaml-merge.ts';

/**
 * The value at a path of a document. Numbers keep the digits of the text, because 19.90 and 19.9 differ if bytes are
 * compared. An absent value is `null`, like an empty one in YAML. If `isMasked`, each reference such as `${NAME}` is `***`.
 */
export function exactValue(document: Document, path: readonly unknown[], isMasked = false): Json {
  function exact(node: unknown): Json {
    if (isAlias(node)) return exact(followAlias(document, node));
    if (isSeq(node)) return node.items.map(exact);
    if (isMap(node)) {
      const object = Object.create(null) as Record<string, Json>;
      // Merges may repeat a key; its first value counts.
      for (const { key, value } of pairsOf(document, node)) {
        if (!(String(key) in object)) object[String(key)] = exact(value);
      }
      return object;
    }
    if (!isScalar(node)) return null;
    const { value, source } = node;
    if (typeof value === 'number') return new NumberText(source ?? String(value));
    if (typeof value === 'string') return isMasked ? maskReferences(source ?? '') : value;
    return typeof value === 'boolean' ? value : null;
  }
  let node: unknown = document.contents;
  for (const key of path) {
    const container = followAlias(document, node);
    if (isSeq(container)) node = container.get(key, true);
    else if (isMap(container))
      node = pairsOf(document, container).find((pair) => String(pair.key) === String(key))?.value;
    else return null;
  }
  return exact(node);
}
