// Masks personal values in what `portico test --record` has recorded, so that it can be committed as a test case.

import { explainReplies } from '../../source/adapter/read/explain-reply.ts';
import { charsetOf } from '../../source/adapter/read/decode.ts';
import { UNOBSERVED } from '../../source/adapter/map/reply-observer.ts';
import type { RecordedExchange } from '../../config/fixture/fixture-schema.ts';
import type { SourceResourceSpec, SourceSpec } from '../../config/schema/source.ts';
import type { Value } from '../../contract/fields.ts';
import { isScalar, ListValue } from '../../contract/list-value.ts';
import type { Query } from '../../contract/query.ts';
import { mapTexts } from '../../kernel/json/json-tree.ts';
import type { UpstreamReply } from '../../kernel/upstream-call.ts';
import type { CompiledSource } from '../../source/compile-sources.ts';
import { MASK } from '../../kernel/secret.ts';
import type { Translation } from '../doctor/session/pair-requests.ts';
import { replyOf } from '../doctor/session/replay.ts';
import { keptBody, type ViewedExchange } from './recorded-exchanges.ts';
import { maskNumbers, maskTexts } from './mask-texts.ts';
import { daysToMove, moveTime } from './move-times.ts';
import {
  collectValues,
  isPersonal,
  namesRead,
  type ReadReply,
  type RecordedValues,
} from './personal-values.ts';
import { missingId } from './requests-to-record.ts';
import { compileEncoder, type Replacements, rewriteValues } from './rewrite-values.ts';

/** A recording without personal values, with the way back to the real requests. */
export type MaskedRecording = {
  /** The exchanges with their real requests and masked replies. */
  readonly exchanges: readonly RecordedExchange[];
  /** The v1 value that stands for a real one of a field. */
  readonly valueOf: (field: string, value: string) => string;
  /** Translates masked ids and windows, and the masked query, into the real ones. */
  readonly toReal: Translation;
};

/** The address of the next window with other values in its query; numbers, such as those of pages, stay. */
function maskLink(target: string, listPath: string, canWrite: (character: string) => boolean): string {
  const masked = target.replaceAll(/=([^&#]*)/g, (whole, value: string) =>
    /^\d*$/.test(value) ? whole : `=${maskTexts([value], canWrite).get(value) ?? MASK}`,
  );
  // The link is relative to the list, so that it does not name the host.
  return masked.startsWith(`${listPath}?`) ? masked.slice(listPath.length) : masked;
}

/** The name of the next window in a reply to a list. */
function nextOf({ adapter }: CompiledSource, reply: UpstreamReply): string | undefined {
  try {
    return adapter.list.read(reply, UNOBSERVED).next;
  } catch {
    return undefined;
  }
}

/** The texts by which filters ask for a value, or for the elements of a list. */
function textsOf(value: Value | undefined): readonly string[] {
  if (value === null || value === undefined) return [];
  return value instanceof ListValue ? value.elements.filter(isScalar).map(String) : [String(value)];
}

/** Maps the real values of v1 fields to the masked ones, and the masked ids and windows to the real ones. */
function compareReplies(
  compiled: CompiledSource,
  replies: readonly (ReadReply & { readonly masked: UpstreamReply })[],
) {
  const values = new Map<string, string>();
  const ids = new Map<string, string>();
  const windows = new Map<string, string>();
  for (const { explainer, reply, masked, view } of replies) {
    const after = explainer.rows(masked).map((row) => explainer.explain(row));
    for (const [index, row] of explainer.rows(reply).entries())
      for (const [place, { field, value }] of explainer.explain(row).entries()) {
        const made = textsOf(after[index]?.[place]?.value);
        for (const [at, text] of textsOf(value).entries()) {
          const other = made[at];
          if (other === undefined) continue;
          values.set(`${field} ${text}`, other);
          if (field === 'id') ids.set(other, text);
        }
      }
    const [real, next] = view === 'list' ? [nextOf(compiled, reply), nextOf(compiled, masked)] : [];
    if (real !== undefined && next !== undefined) windows.set(next, real);
  }
  return { values, ids, windows };
}

/** Translates the requests of the masked recording into those of the real source. */
function translationOf(
  query: Query,
  { ids, windows }: { ids: ReadonlyMap<string, string>; windows: ReadonlyMap<string, string> },
): Translation {
  return {
    query: (asked) => (query.kind === 'list' ? query : asked),
    id: (asked) => (query.kind === 'get' ? query.id : (ids.get(asked) ?? asked)),
    window: (call) => ({
      ...call,
      variables: mapTexts(call.variables, (value) => windows.get(value) ?? value),
      ...(call.query !== undefined && { query: windows.get(call.query.join('&'))?.split('&') ?? call.query }),
      ...(call.target !== undefined && { target: windows.get(call.target) ?? call.target }),
    }),
  };
}

/** Makes the function that replaces a value in any place. A value that is neither kept nor personal becomes `***`. */
function createReplacer(
  { kept, personal, numbers, times, links }: RecordedValues,
  listPath: string,
  canWrite: (character: string) => boolean,
) {
  const days = daysToMove();
  const masked = new Map([
    ...[...times].map(([text, steps]) => [text, moveTime(text, steps, days) ?? MASK] as const),
    ...maskNumbers([...numbers].filter((text) => !kept.has(text))),
    ...maskTexts(
      [...personal].filter((text) => !kept.has(text)),
      canWrite,
      days,
    ),
  ]);
  const maskedLinks = new Map([...links].map((link) => [link, maskLink(link, listPath, canWrite)]));
  return function replace(text: string): string | undefined {
    if (text === '' || kept.has(text)) return undefined;
    const link = [...links].find((one) => text.includes(one));
    return (link === undefined ? masked.get(text) : maskedLinks.get(link)) ?? MASK;
  };
}

/** The header of a total with its letters masked, unless the pattern of the file needs the letters to read the number. */
function maskTotal(text: string, pattern: string | undefined): string {
  const masked = text.replaceAll(/\p{L}/gu, 'x');
  if (pattern === undefined) return masked;
  const read = (from: string) => new RegExp(pattern).exec(from)?.[1];
  return read(masked) === read(text) ? masked : text;
}

/** Keeps the headers that are read, with only what is read from them: of a `Link` header, the next window. */
function maskHeaders(
  headers: RecordedExchange['reply']['headers'],
  { window, total }: SourceResourceSpec['list'],
  value: (text: string) => string | undefined,
): RecordedExchange['reply']['headers'] {
  const linkHeader = window.kind === 'link' && 'header' in window.next ? window.next.header : undefined;
  return mapTexts(headers, (text, name) => {
    if (name === linkHeader?.toLowerCase()) return `<${value(text) ?? MASK}>; rel="next"`;
    if (name === total?.header?.toLowerCase()) return maskTotal(text, total.pattern);
    if (name !== 'content-type') return text;
    const [type = '', ...parameters] = text.split(';');
    return [type, ...parameters.filter((one) => /^\s*charset=/i.test(one))].join(';');
  });
}

/** The exchanges with masked replies, or the name of a character set that cannot be written. */
function maskReplies(
  recorded: readonly ViewedExchange[],
  { decode }: SourceSpec,
  { list }: SourceResourceSpec,
  replacements: Replacements,
): readonly RecordedExchange[] | string {
  const exchanges: RecordedExchange[] = [];
  for (const { exchange } of recorded) {
    const reply = replyOf(exchange);
    const charset = charsetOf(decode, reply);
    const text = new TextDecoder(charset).decode(reply.body);
    const body = compileEncoder(charset).encode(rewriteValues(text, decode, replacements));
    if (body === undefined) return charset;
    const { status } = reply;
    const headers = maskHeaders(exchange.reply.headers, list, replacements.value);
    exchanges.push({ ...exchange, reply: { status, headers, ...keptBody(body) } });
  }
  return exchanges;
}

/**
 * Masks the replies of one recording. Values that the source's file does not read become `***`. Of the others, free texts
 * and text ids are replaced in shape, equal ones by equal ones; numbers, times, codes and totals stay. A text says why
 * that is impossible.
 */
export function maskRecording(
  recorded: readonly ViewedExchange[],
  compiled: CompiledSource,
  query: Query,
): MaskedRecording | string {
  const { spec } = compiled.source;
  const { name, idStart } = compiled.resource;
  const own = spec.resources[name];
  if (own === undefined) throw new Error('the source does not have this resource');
  const found = recorded.flatMap(({ exchange, view }): ReadReply[] => {
    const explainer = explainReplies(spec, compiled.resource, view);
    return explainer === undefined ? [] : [{ view, explainer, reply: replyOf(exchange) }];
  });
  const charset = found[0] === undefined ? 'utf-8' : charsetOf(spec.decode, found[0].reply);
  const values = collectValues(compiled, own, found, query);
  const value = createReplacer(values, own.list.request.path, compileEncoder(charset).canWrite);
  const read = namesRead(compiled);
  // A field name that the file does not read may be private, or may itself be a value, such as the key of a map by address.
  const keys = new Map<string, string>();
  const key = (text: string) => {
    const isRead = read.has(text) || read.has(text.replace(/^[\w.-]+:/, ''));
    if (!isRead && !keys.has(text)) keys.set(text, `${MASK}${keys.size}`);
    return keys.get(text);
  };
  const exchanges = maskReplies(recorded, spec, own, { value, key });
  if (typeof exchanges === 'string')
    return `bodies in ${exchanges} cannot be masked; --whole keeps them as they are`;
  const masked = exchanges.map(replyOf);
  const compared = compareReplies(
    compiled,
    found.map((one, index) => ({ ...one, masked: masked[index] ?? one.reply })),
  );
  return {
    exchanges,
    toReal: translationOf(query, compared),
    valueOf(field, real) {
      const made = compared.values.get(`${field} ${real}`);
      if (made !== undefined || !isPersonal(compiled, own, 'list', field)) return made ?? real;
      return field === 'id' ? missingId(real, idStart) : (value(real) ?? real);
    },
  };
}
