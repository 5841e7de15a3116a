import { type Document, isAlias, isMap, isScalar, isSeq } from 'yaml';
import { type Json, NumberText } from '../kernel/json.ts';

/**
 * What stands at a path of a document, numbers with the digits they are written with: 19.90 is not 19.9 where bytes
 * are compared. Nothing at all is `null`, as an empty value is in YAML.
 */
export function exactValue(document: Document, path: readonly unknown[]): Json {
  function exact(node: unknown): Json {
    if (isAlias(node)) return exact(node.resolve(document));
    if (isSeq(node)) return node.items.map(exact);
    if (isMap(node)) {
      const object = Object.create(null) as Record<string, Json>;
      for (const { key, value } of node.items) object[String(key)] = exact(value);
      return object;
    }
    if (!isScalar(node)) return null;
    const { value, source } = node;
    if (typeof value === 'number') return new NumberText(source ?? String(value));
    return typeof value === 'string' || typeof value === 'boolean' ? value : null;
  }
  return exact(document.getIn(path, true));
}
