// Decodes the bodies of replies (JSON, XML, CSV, NDJSON) to documents, as the `decode` section of the source file says.

import { contentTypesOf } from '../../../config/schema/net/connection.ts';
import type { DecodeSpec } from '../../../config/schema/source.ts';
import { GatewayError, invalidReply } from '../../../kernel/errors/fault.ts';
import { type Json, JsonError, readJson } from '../../../kernel/json/json.ts';
import { readPlainJson } from '../../../kernel/json/plain-json.ts';
import type { UpstreamReply } from '../../../kernel/upstream-call.ts';
import { compileCsvReader } from './read-csv.ts';
import { compileXmlReader } from './read-xml.ts';

/** The media type and character set of a `Content-Type` header, in lower case. */
type ContentType = { readonly mediaType: string; readonly charset: string | undefined };

function readContentType(header: string | undefined): ContentType {
  const [mediaType = '', ...parameters] = (header ?? '').split(';').map((part) => part.trim());
  const charset = parameters
    .map((parameter) => /^charset="?([^"]+)"?$/i.exec(parameter)?.[1])
    .find((found) => found !== undefined);
  return { mediaType: mediaType.toLowerCase(), charset: charset?.toLowerCase() };
}

/** `readContentType` with a cache of one entry, because nearly all replies of a source have the same header. */
function createContentTypes(): (header: string | undefined) => ContentType {
  let latest: { readonly header: string | undefined; readonly read: ContentType } | undefined;
  return (header) => {
    if (latest === undefined || latest.header !== header) latest = { header, read: readContentType(header) };
    return latest.read;
  };
}

/** The encoding that an XML declaration names (XML 1.0, section 2.8). */
function xmlEncoding(body: Buffer): string | undefined {
  const start = body.toString('latin1', 0, 200);
  return /^<\?xml\s[^>]*?encoding\s*=\s*["']([\w.-]+)["']/.exec(start)?.[1];
}

/** Media types that may be logged. Any other text of a reply could be a secret. */
const LOGGABLE = new Set(
  `application/atom+xml application/csv application/graphql-response+json application/hal+json application/json
  application/ld+json application/octet-stream application/pdf application/problem+json application/scim+json
  application/soap+xml application/vnd.api+json application/x-ndjson application/xml application/zip
  text/csv text/html text/javascript text/plain text/xml`.split(/\s+/),
);

function typeName(mediaType: string): string {
  return mediaType === '' || LOGGABLE.has(mediaType)
    ? `content type "${mediaType}"`
    : 'an unknown content type';
}

/** The standard's name of a character set. An unknown label is not logged, because it comes from the reply. */
function charsetName(label: string): string {
  try {
    return `"${new TextDecoder(label).encoding}"`;
  } catch {
    return 'text in any known character set';
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

function decodeText(body: Buffer, charset: string): string {
  try {
    return (charset === 'utf-8' ? utf8 : new TextDecoder(charset, { fatal: true })).decode(body);
  } catch {
    throw invalidReply('encoding', `the body is not valid ${charsetName(charset)}`);
  }
}

function readJsonText(text: string): Json {
  try {
    return readJson(text);
  } catch (cause) {
    if (!(cause instanceof JsonError)) throw cause;
    throw invalidReply('syntax', `the body is not JSON: ${cause.message}`, cause);
  }
}

/** Compiles the parser of a source's format. */
function compileFormat(spec: DecodeSpec): (text: string) => Json {
  const { stripPrefix } = spec;
  switch (spec.format) {
    case 'json':
      return (text) => readJsonText(text.startsWith(stripPrefix) ? text.slice(stripPrefix.length) : text);
    case 'xml':
      return compileXmlReader(spec.arrays);
    case 'csv':
      return compileCsvReader(spec);
    case 'ndjson':
      return (text) => text.split('\n').flatMap((line) => (line.trim() === '' ? [] : [readJsonText(line)]));
  }
}

/** The character set of a body: the source file's, the header's, the XML declaration's, or else UTF-8. */
export function charsetOf(
  { charset, format }: DecodeSpec,
  reply: UpstreamReply,
  contentType = readContentType(reply.header('content-type')),
): string {
  const declared = charset ?? contentType.charset;
  return declared ?? (format === 'xml' ? xmlEncoding(reply.body) : undefined) ?? 'utf-8';
}

/** Compiles the reader of a reply's character set. It throws `upstream_invalid_response` for undeclared media types. */
function compileCharset(spec: DecodeSpec): (reply: UpstreamReply) => string {
  const contentTypes = contentTypesOf(spec);
  const contentTypeOf = createContentTypes();
  return (reply) => {
    const contentType = contentTypeOf(reply.header('content-type'));
    const { mediaType } = contentType;
    if (!contentTypes.includes(mediaType)) {
      throw invalidReply('content_type', `${typeName(mediaType)} is not one the source declares`);
    }
    return charsetOf(spec, reply, contentType);
  };
}

/**
 * Compiles the decoder of a source's bodies. The character set is that of the source file, the header or the XML
 * declaration, in this order, or else UTF-8. Invalid bytes are an error, never replaced. It throws
 * `upstream_invalid_response` for a body that it cannot read.
 */
export function compileDecoder(spec: DecodeSpec): (reply: UpstreamReply) => Json {
  const charsetIn = compileCharset(spec);
  const readText = compileFormat(spec);
  const readPlain = spec.format === 'json' && spec.stripPrefix === '' ? readPlainJson : undefined;
  return function decodeBody(reply) {
    const charset = charsetIn(reply);
    const text = decodeText(reply.body, charset);
    return (charset === 'utf-8' ? readPlain?.(reply.body, text) : undefined) ?? readText(text);
  };
}

const BYTE_ORDER_MARK = Buffer.from('\ufeff');

/**
 * Compiles the function that returns a JSON body as UTF-8 without a byte order mark, or `undefined` if the decoder refuses the
 * body. `undefined` for other formats. Whether a body is valid UTF-8 is not checked here.
 */
export function compileUtf8Body(
  spec: DecodeSpec,
): ((reply: UpstreamReply) => Buffer | undefined) | undefined {
  if (spec.format !== 'json' || spec.stripPrefix !== '') return undefined;
  const charsetIn = compileCharset(spec);
  return function utf8Of(reply) {
    const { body } = reply;
    try {
      const charset = charsetIn(reply);
      if (charset !== 'utf-8') return Buffer.from(decodeText(body, charset));
    } catch (error) {
      if (error instanceof GatewayError) return undefined;
      throw error;
    }
    const isMarked = body.length >= 3 && body.compare(BYTE_ORDER_MARK, 0, 3, 0, 3) === 0;
    return isMarked ? body.subarray(3) : body;
  };
}
