// Finds out for `portico infer` in which format (JSON, XML, CSV) and character set a service replies.

import { MIMEType } from 'node:util';
import { compileDecoder } from '../../../source/adapter/read/decode.ts';
import { contentTypesOf, decode as decodeSchema } from '../../../config/schema/net/connection.ts';
import type { DecodeSpec } from '../../../config/schema/source.ts';
import { GatewayError } from '../../../kernel/errors/fault.ts';
import type { Json } from '../../../kernel/json/json.ts';
import type { UpstreamReply } from '../../../kernel/upstream-call.ts';
import { isList, isObject } from '../../../kernel/json/values.ts';
import { type DraftNote, likely, notesAt, type Remark, toEdit, InferError } from '../notes/note.ts';

type DecodeDraft = Partial<DecodeSpec>;

/** The format of a service's replies. */
export type BodyFormat = {
  /** The `decode` section without defaults. */
  readonly decode: DecodeDraft;
  readonly read: (reply: UpstreamReply) => Json | undefined;
  readonly document: Json;
  readonly notes: readonly DraftNote[];
};

/** Prefixes that some services put before JSON, so that it cannot run as a script. */
const PREFIXES = [")]}',\n", ")]}'\n", ")]}'", 'while(1);', 'for(;;);', '{}&&'];
const DELIMITERS = [';', ',', '\t', '|', ':'];

function contentTypeOf(reply: UpstreamReply): { mediaType: string; charset: string | undefined } {
  try {
    const { essence, params } = new MIMEType(reply.header('content-type') ?? '');
    return { mediaType: essence, charset: params.get('charset') ?? undefined };
  } catch {
    return { mediaType: '', charset: undefined };
  }
}

function decodesAs(body: Buffer, charset: string): boolean {
  try {
    new TextDecoder(charset, { fatal: true }).decode(body);
    return true;
  } catch {
    return false;
  }
}

/** The character set to declare, if the bytes are not in the stated one or in UTF-8. */
function findCharset(body: Buffer, stated: string | undefined): { charset?: string; remark?: Remark } {
  const declared =
    stated ?? /^<\?xml\s[^>]*?encoding\s*=\s*["']([\w.-]+)["']/.exec(body.toString('latin1', 0, 200))?.[1];
  if (decodesAs(body, declared ?? 'utf-8')) return {};
  if (declared !== undefined && decodesAs(body, 'utf-8'))
    return {
      charset: 'utf-8',
      remark: likely('the bytes are UTF-8, although the reply states another character set'),
    };
  const [first, second] = body;
  const isBigEndian = first === 0 || first === 0xfe;
  if (body.length % 2 === 0 && (isBigEndian || second === 0 || first === 0xff))
    return {
      charset: isBigEndian ? 'utf-16be' : 'utf-16le',
      remark: likely('each character has two bytes'),
    };
  return {
    charset: 'windows-1252',
    remark: toEdit(
      'the bytes are not UTF-8, and the reply states no character set; windows-1252 reads any bytes',
    ),
  };
}

/** Reads a reply by the gateway's own code; `undefined` if that code throws a fault. */
export function readOrUndefined<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof GatewayError) return undefined;
    throw error;
  }
}

function csvDrafts(text: string): readonly DecodeDraft[] {
  const header = text.split(/\r?\n/, 1)[0] ?? '';
  return DELIMITERS.filter((delimiter) => header.includes(delimiter))
    .sort((a, b) => header.split(b).length - header.split(a).length)
    .flatMap((delimiter): readonly DecodeDraft[] => [
      { format: 'csv', delimiter },
      { format: 'csv', delimiter, quote: '' },
    ]);
}

/** The possible formats of a text, the most probable first. */
function draftsFor(text: string, mediaType: string): readonly DecodeDraft[] {
  const start = text.trimStart();
  const prefix = PREFIXES.find((one) => text.startsWith(one));
  if (prefix !== undefined) return [{ stripPrefix: prefix }];
  if (start.startsWith('<')) return [{ format: 'xml' }];
  const json: readonly DecodeDraft[] = [{}, { format: 'ndjson' }];
  if (/^[[{"\d\-tfn]/.test(start) && !mediaType.includes('csv')) return [...json, ...csvDrafts(text)];
  return [...csvDrafts(text), ...json];
}

function isUsable(document: Json, { format }: DecodeDraft): boolean {
  return format === 'csv' || format === 'ndjson' ? isList(document) && isObject(document[0]) : true;
}

/** The error about a reply in no format that can be read. */
function refusalOf(reply: UpstreamReply, text: string): InferError {
  const start = text.trimStart().slice(0, 200).toLowerCase();
  if (reply.body.length === 0)
    return new InferError(
      `the reply (HTTP ${reply.status}) has no body`,
      'give the address of the list itself',
    );
  if (start.startsWith('<!doctype') || start.startsWith('<html'))
    return new InferError(
      `the reply (HTTP ${reply.status}) is a web page`,
      'give the address of the service behind it, and the credential with --header',
    );
  return new InferError(
    `the reply (HTTP ${reply.status}) is neither JSON, XML, CSV nor lines of JSON`,
    'save it to a file and look at it, or give the address of another view',
  );
}

/** The `decode` section for a body, without the defaults of the format. */
function declared(mediaType: string, found: DecodeDraft, charset: string | undefined): DecodeDraft {
  const usual = contentTypesOf(decodeSchema.parse(found));
  const own = usual.includes(mediaType) ? {} : { contentTypes: [...new Set([mediaType, usual[0] ?? ''])] };
  return { ...found, ...(charset !== undefined && { charset }), ...own };
}

function compileRead(draft: DecodeDraft): BodyFormat['read'] {
  const decode = compileDecoder(decodeSchema.parse(draft));
  return (reply) => readOrUndefined(() => decode(reply));
}

/** Detects the format of a reply from its bytes, or says why it has none that can be read. */
export function detectFormat(reply: UpstreamReply): BodyFormat | InferError {
  const { mediaType, charset: stated } = contentTypeOf(reply);
  const { charset, remark } = findCharset(reply.body, stated);
  const label = charset ?? (stated !== undefined && decodesAs(reply.body, stated) ? stated : 'utf-8');
  const text = new TextDecoder(label).decode(reply.body);
  for (const draft of draftsFor(text, mediaType)) {
    const format = { ...draft, ...(charset !== undefined && { charset }), contentTypes: [mediaType] };
    const document = compileRead(format)(reply);
    if (document === undefined || !isUsable(document, draft)) continue;
    const decode = declared(mediaType, draft, charset);
    const isUnusual = decode.contentTypes !== undefined && /^(?:|text\/(?:html|plain))$/.test(mediaType);
    const notes = [
      ...notesAt(['decode', 'charset'], remark),
      ...notesAt(
        ['decode', 'contentTypes'],
        isUnusual && likely('the service sends its data with this media type'),
      ),
    ];
    return { decode, read: compileRead(decode), document, notes };
  }
  return refusalOf(reply, text);
}

/** The document in a reply of any format; `undefined` if it cannot be read. */
export function documentIn(reply: UpstreamReply): Json | undefined {
  const format = detectFormat(reply);
  return format instanceof InferError ? undefined : format.document;
}

/** The same format with XML elements that are always lists. */
export function withArrays(format: BodyFormat, arrays: readonly string[]): BodyFormat {
  const decode = { ...format.decode, arrays: [...arrays] };
  return { ...format, decode, read: compileRead(decode) };
}
