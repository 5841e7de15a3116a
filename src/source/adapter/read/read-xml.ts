// Reads the bodies of sources that answer with XML as documents like those of JSON, so that paths and mappings read both
// alike.

import { parseXml, XmlElement, XmlText } from '@rgrove/parse-xml';
import { invalidReply } from '../../../kernel/errors/fault.ts';
import type { Json } from '../../../kernel/json/json.ts';

/** Deeper XML could exhaust the stack. */
const DEPTH_MAX = 64;

/** A name without its namespace prefix. */
function localName(name: string): string {
  return name.slice(name.indexOf(':') + 1);
}

/** Adds an element by its name. Several elements with one name become a list, and so does a single one if `isList`. */
function addTo(object: Record<string, Json>, name: string, value: Json, isList: boolean): void {
  const earlier = object[name];
  if (Array.isArray(earlier)) (earlier as Json[]).push(value);
  else if (earlier === undefined) object[name] = isList ? [value] : value;
  else object[name] = [earlier, value];
}

/** `xsi:nil` says that an element has no value (XML Schema 1.0, section 2.6.2). */
function isNil({ attributes }: XmlElement): boolean {
  return Object.entries(attributes).some(
    ([name, value]) => name.endsWith(':nil') && (value === 'true' || value === '1'),
  );
}

function readElement(element: XmlElement, path: string, lists: ReadonlySet<string>, depth: number): Json {
  if (depth > DEPTH_MAX) throw invalidReply('syntax', `the XML is nested deeper than ${DEPTH_MAX}`);
  if (isNil(element)) return null;
  const object = Object.create(null) as Record<string, Json>;
  let text = '';
  for (const [name, value] of Object.entries(element.attributes)) {
    if (!name.startsWith('xmlns')) object[`@${localName(name)}`] = value;
  }
  for (const child of element.children) {
    if (child instanceof XmlText) text += child.text;
    if (!(child instanceof XmlElement)) continue;
    const name = localName(child.name);
    const below = path === '' ? name : `${path}.${name}`;
    addTo(object, name, readElement(child, below, lists, depth + 1), lists.has(below));
  }
  if (Object.keys(object).length === 0) return text.trim();
  if (text.trim() !== '') object['#text'] = text.trim();
  return object;
}

/**
 * Compiles a parser of XML 1.0. Every value stays text. An element with only text becomes that text; others become
 * objects by local name, with @ before attributes and mixed text as #text; xsi:nil is null. An element named in
 * `arrays` (dotted paths from the root element) is always a list, also with one row. Document types are refused: they
 * allow entity bombs and access to local files.
 */
export function compileXmlReader(arrays: readonly string[]): (text: string) => Json {
  const lists = new Set(arrays);
  return function readXml(text) {
    if (/<!DOCTYPE/i.test(text)) throw invalidReply('syntax', 'the XML has a document type');
    let root: XmlElement | null;
    try {
      ({ root } = parseXml(text));
    } catch {
      // The parser's message quotes the body, which may hold a record's value.
      throw invalidReply('syntax', 'the body is not XML');
    }
    const document = Object.create(null) as Record<string, Json>;
    if (root === null) return document;
    const name = localName(root.name);
    addTo(document, name, readElement(root, name, lists, 1), lists.has(name));
    return document;
  };
}
