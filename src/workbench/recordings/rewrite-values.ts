// Replaces values in the text of a recorded reply, so that a recorded case holds no real data. The format stays (JSON, XML,
// CSV), and everything else in the text.

import { unescapeHtml } from '../../source/adapter/map/coercion/html-text.ts';
import { escapeXml } from '../../kernel/escape-xml.ts';
import { escapedText } from '../../source/adapter/spec/pattern.ts';
import type { DecodeSpec } from '../../config/schema/source.ts';
import { tryParseJson } from '../../kernel/json/try-parse-json.ts';
import { MASK } from '../../kernel/secret.ts';
import { isPlainNumber } from './move-times.ts';

/** The replacement of a value, or of a key that the source's file does not name; `undefined` keeps the original. */
export type Replacements = {
  readonly value: (text: string) => string | undefined;
  readonly key: (text: string) => string | undefined;
};

/** A text, a key with its colon, or a number. */
const JSON_TOKEN = /"(?:[^"\\]|\\.)*"(\s*:)?|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

/** Replaces keys, texts and numbers of JSON. The replacement of a number is a text, unless it is a number, too. */
function rewriteJson(body: string, { value, key }: Replacements): string {
  return body.replaceAll(JSON_TOKEN, (token: string, ending: string | undefined) => {
    const colon = ending ?? '';
    const text = token.startsWith('"')
      ? (tryParseJson(token.slice(0, token.length - colon.length)) as string | undefined)
      : token;
    // A text that cannot be read is masked as a whole; one before a colon is a key.
    const made = text === undefined ? MASK : colon === '' ? value(text) : key(text);
    if (made === undefined) return token;
    return token.startsWith('"') || !isPlainNumber(made) ? JSON.stringify(made) + colon : made;
  });
}

const XML_PART = /<!--[\s\S]*?-->|<!\[CDATA\[([\s\S]*?)\]\]>|<[^>]*>|[^<]+/g;
const XML_TAG = /^<(\/?)([\w:.-]+)([\s\S]*?)(\/?)>$/;
const ATTRIBUTE = /([\w:.-]+)(\s*=\s*)("[^"]*"|'[^']*')/g;

/** The replacement of an XML name. `***` becomes another text, because no XML name can begin with it. */
function xmlName(name: string, { key }: Replacements): string {
  return key(name)?.replace(MASK, 'masked-') ?? name;
}

function rewriteTag(tag: string, replacements: Replacements): string {
  // Comments and instructions may hold anything, so only the XML declaration is kept.
  if (/^<[?!]/.test(tag)) return tag.startsWith('<?xml ') ? tag : '';
  const [, slash = '', name = '', attributes = '', end = ''] = XML_TAG.exec(tag) ?? [];
  const rewritten = attributes.replaceAll(
    ATTRIBUTE,
    (whole, attribute: string, equals: string, quoted: string) => {
      if (/^xmlns(?::|$)|^xsi:/.test(attribute)) return whole;
      const text = unescapeHtml(quoted.slice(1, -1));
      return `${xmlName(attribute, replacements)}${equals}"${escapeXml(replacements.value(text) ?? text)}"`;
    },
  );
  return `<${slash}${xmlName(name, replacements)}${rewritten}${end}>`;
}

/** Replaces names, texts and attributes of XML; comments and instructions are left out. */
function rewriteXml(body: string, replacements: Replacements): string {
  return body.replaceAll(XML_PART, (part: string, cdata: string | undefined) => {
    if (part.startsWith('<!--')) return '';
    if (cdata === undefined && part.startsWith('<')) return rewriteTag(part, replacements);
    const text = cdata ?? unescapeHtml(part);
    const [, before = '', core = '', after = ''] = /^(\s*)([\s\S]*?)(\s*)$/.exec(text) ?? [];
    const made = replacements.value(core);
    return made === undefined ? part : `${before}${escapeXml(made)}${after}`;
  });
}

/** Replaces columns and values of CSV. */
function rewriteCsv(
  body: string,
  { delimiter, quote }: DecodeSpec,
  { value: replace, key }: Replacements,
): string {
  const [cut, mark] = [escapedText(delimiter), escapedText(quote)];
  const quoted = quote === '' ? '' : `${mark}(?:[^${mark}]|${mark}${mark})*${mark}|`;
  const cell = new RegExp(`(^|${cut}|\\r?\\n)(${quoted}[^${cut}\\r\\n]*)`, 'g');
  let isHeader = true;
  return body.replaceAll(cell, (whole, before: string, value: string, offset: number) => {
    if (before.includes('\n') && offset > 0) isHeader = false;
    const isQuoted = quote !== '' && value.startsWith(quote) && value.length > 1;
    const made = (isHeader ? key : replace)(
      isQuoted ? value.slice(1, -1).replaceAll(quote + quote, quote) : value,
    );
    if (made === undefined) return whole;
    return before + (isQuoted ? quote + made.replaceAll(quote, quote + quote) + quote : made);
  });
}

/** Replaces values and the names of fields in the text of a body. Its format and everything else stay. */
export function rewriteValues(body: string, spec: DecodeSpec, replacements: Replacements): string {
  if (spec.format === 'csv') return rewriteCsv(body, spec, replacements);
  return spec.format === 'xml' ? rewriteXml(body, replacements) : rewriteJson(body, replacements);
}

/** Makes the encoder of a character set. `encode` returns `undefined` if the set lacks a character of the text. */
export function compileEncoder(charset: string) {
  const isUtf8 = /^utf-?8$/i.test(charset);
  const decoder = new TextDecoder(charset);
  const bytes = new Map<string, number>();
  if (!isUtf8)
    for (let byte = 255; byte >= 0; byte -= 1) bytes.set(decoder.decode(Uint8Array.of(byte)), byte);
  return {
    canWrite: (character: string): boolean => isUtf8 || bytes.has(character),
    encode(text: string): Buffer | undefined {
      if (isUtf8) return Buffer.from(text, 'utf8');
      const written = Array.from(text).map((character) => bytes.get(character));
      return written.every((byte) => byte !== undefined) ? Buffer.from(written) : undefined;
    },
  };
}
