import type { DecodeSpec } from '../config/source-schema.ts';

/** Puts something in the place of a value; `undefined` leaves it. */
export type Replace = (text: string) => string | undefined;

const JSON_TOKEN = /"(?:[^"\\]|\\.)*"(\s*:)?|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

function unquoted(token: string): string | undefined {
  try {
    return JSON.parse(token) as string;
  } catch {
    return undefined;
  }
}

/** Texts and numbers of JSON, keys left as they are. */
function rewriteJson(body: string, replace: Replace): string {
  return body.replaceAll(JSON_TOKEN, (token: string, colon: string | undefined) => {
    if (colon !== undefined) return token;
    if (!token.startsWith('"')) return replace(token) ?? token;
    const text = unquoted(token);
    const made = text === undefined ? undefined : replace(text);
    return made === undefined ? token : JSON.stringify(made);
  });
}

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

function fromXml(text: string): string {
  return text.replaceAll(/&(?:(\w+)|#(\d+)|#x([\da-fA-F]+));/g, (whole, name, tens, hex) => {
    if (typeof name === 'string') return ENTITIES[name] ?? whole;
    return String.fromCodePoint(typeof tens === 'string' ? Number(tens) : Number.parseInt(hex as string, 16));
  });
}

function toXml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}

const XML_PART = /<!--[\s\S]*?-->|<!\[CDATA\[([\s\S]*?)\]\]>|<[^>]*>|[^<]+/g;
const ATTRIBUTE = /([\w:.-]+)(\s*=\s*)("[^"]*"|'[^']*')/g;

function rewriteAttributes(tag: string, replace: Replace): string {
  if (/^<[?!]/.test(tag)) return tag;
  return tag.replaceAll(ATTRIBUTE, (whole, name: string, equals: string, quoted: string) => {
    const made = name.startsWith('xmlns') ? undefined : replace(fromXml(quoted.slice(1, -1)));
    return made === undefined ? whole : `${name}${equals}"${toXml(made)}"`;
  });
}

/** Texts and attributes of XML; comments, which nobody reads, are left out. */
function rewriteXml(body: string, replace: Replace): string {
  return body.replaceAll(XML_PART, (part: string, cdata: string | undefined) => {
    if (part.startsWith('<!--')) return '';
    if (cdata === undefined && part.startsWith('<')) return rewriteAttributes(part, replace);
    const text = cdata ?? fromXml(part);
    const [, before = '', core = '', after = ''] = /^(\s*)([\s\S]*?)(\s*)$/.exec(text) ?? [];
    const made = replace(text) ?? replace(core);
    return made === undefined ? part : `${before}${toXml(made.trim())}${after}`;
  });
}

/** Values of CSV behind its header row. */
function rewriteCsv(body: string, { delimiter, quote }: DecodeSpec, replace: Replace): string {
  const special = (text: string) => text.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`);
  const [cut, mark] = [special(delimiter), special(quote)];
  const quoted = quote === '' ? '' : `${mark}(?:[^${mark}]|${mark}${mark})*${mark}|`;
  const cell = new RegExp(`(^|${cut}|\\r?\\n)(${quoted}[^${cut}\\r\\n]*)`, 'g');
  let isHeader = true;
  return body.replaceAll(cell, (whole, before: string, value: string, offset: number) => {
    if (before.includes('\n') && offset > 0) isHeader = false;
    if (isHeader) return whole;
    const isQuoted = quote !== '' && value.startsWith(quote) && value.length > 1;
    const made = replace(isQuoted ? value.slice(1, -1).replaceAll(quote + quote, quote) : value);
    if (made === undefined) return whole;
    return before + (isQuoted ? quote + made.replaceAll(quote, quote + quote) + quote : made);
  });
}

/** Replaces values in the text of a body, and nothing else of it. */
export function rewriteValues(body: string, spec: DecodeSpec, replace: Replace): string {
  if (spec.format === 'csv') return rewriteCsv(body, spec, replace);
  return spec.format === 'xml' ? rewriteXml(body, replace) : rewriteJson(body, replace);
}

/** The bytes of a text; `undefined` where its character set cannot be written. */
export function encodeText(text: string, charset: string): Buffer | undefined {
  if (/^utf-?8$/i.test(charset)) return Buffer.from(text, 'utf8');
  const decoder = new TextDecoder(charset);
  const bytes = new Map<string, number>();
  for (let byte = 255; byte >= 0; byte -= 1) bytes.set(decoder.decode(Uint8Array.of(byte)), byte);
  const written = Array.from(text).map((character) => bytes.get(character));
  return written.every((byte) => byte !== undefined) ? Buffer.from(written) : undefined;
}
