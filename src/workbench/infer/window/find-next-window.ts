// Finds for `infer` how a reply names the next window: by a link, a cursor or several parameters.

import { CHECKED } from '../../../source/adapter/spec/spec-location.ts';
import { addressInHeader, compileNext } from '../../../source/adapter/read/next.ts';
import { compilePath } from '../../../source/adapter/spec/path.ts';
import type { ListSpec, RequestSpec } from '../../../config/schema/source.ts';
import type { Json } from '../../../kernel/json/json.ts';
import { isObject, scalarText } from '../../../kernel/json/values.ts';
import type { ListReader, ListReply } from '../requests/list-reader.ts';
import {
  envelopeOf,
  fold,
  lastName,
  type Leaf,
  type PlacedValue,
  valuesIn,
} from '../../../source/checks/evidence/document-leaves.ts';
import { readOrUndefined } from '../detect/detect-format.ts';
import { type Parameter, withValue } from '../requests/request-parameters.ts';
import type { ParameterCandidate } from './parameter-names.ts';

/** An object of a reply whose members are the parameters of the next window; `next` is its path. */
type ContinuationForm = { readonly kind: 'continue'; readonly next: string };

/** How a reply names the next window: by a link, by a cursor, or by several parameters. */
export type NextForm =
  | ContinuationForm
  | {
      readonly kind: 'link';
      readonly next: { readonly at: string } | { readonly header: string };
      /** The service names itself by another origin. */
      readonly origin?: 'any';
    }
  | {
      readonly kind: 'cursor';
      readonly next: string;
      readonly more: string | undefined;
      readonly place: Parameter;
    };

type LinkForm = NextForm & { readonly kind: 'link' };

const IS_LINK = /^(?:https?:\/\/|\/)[^\s]+$/;
const LINK_NAME =
  /^(?:next|nextlink|odatanextlink|nexturl|nexthref|nextpage|nextpageurl|nextrecordsurl|href|url)$/;
const CURSOR_NAME =
  /^(?:(?:next|end|after|continuation|scroll|paged?results?)?(?:cursor|token|cookie|pagetoken|id|marker|bookmark)|after|next)$/;
const MORE_NAME = /^(?:hasnext(?:page)?|hasmore|more|moreresults|ismore|morepages)$/;

const CONTINUATION = /^(?:continue|continuation|next|cursor|more|hasmore|hasnext|after|scroll|bookmark)/;

/** The paths outside the rows whose names and values say that more rows follow. */
export function continuationsIn(listing: ListReply): readonly string[] {
  return envelopeOf(listing.document)
    .filter(({ name, value }) => {
      const isNamed = name.split('.').some((part) => CONTINUATION.test(part));
      return (
        isNamed && value !== null && value !== false && scalarText(value) !== '' && scalarText(value) !== '0'
      );
    })
    .map(({ path }) => path);
}

const isLink = ({ value }: Leaf) => IS_LINK.test(scalarText(value) ?? '');

/** The headers that hold an address, first those whose names suggest the next window. A link of RFC 8288 names it itself. */
function headersWithAddress({ reply }: ListReply): readonly string[] {
  const named = Object.entries(reply.headers ?? { link: reply.header('link') }).flatMap(([name, value]) => {
    const address = typeof value === 'string' ? readOrUndefined(() => addressInHeader(value)) : undefined;
    return address === undefined ? [] : [name.replaceAll(/(?<=^|-)[a-z]/g, (letter) => letter.toUpperCase())];
  });
  return named.sort((a, b) => Number(/^link$|next/i.test(b)) - Number(/^link$|next/i.test(a)));
}

/** The link or parameters of the next window, read by the gateway's own code, so that the draft is tested by what will run. */
function nextName(
  form: LinkForm | ContinuationForm,
  listing: ListReply,
  request: RequestSpec,
  baseUrl: string,
): string | undefined {
  const list = { window: { ...form, sizeMax: 1 }, request, filters: {} };
  const read = compileNext(list as unknown as ListSpec, { baseUrl }, CHECKED);
  return readOrUndefined(() => read?.(listing.reply, listing.document, listing.rows));
}

/** The links that may lead to the next window; a link to another origin is marked. */
function linkForms(listing: ListReply, request: RequestSpec, baseUrl: string): readonly LinkForm[] {
  const inHeader = headersWithAddress(listing).map((header) => ({ header }));
  const inBody = envelopeOf(listing.document)
    .filter((leaf) => isLink(leaf) && LINK_NAME.test(lastName(leaf)) && leaf.name.includes('next'))
    .map((leaf) => ({ at: leaf.path }));
  return [...inHeader, ...inBody].flatMap((next) => {
    const own: LinkForm = { kind: 'link', next };
    const isOwn = nextName(own, listing, request, baseUrl) !== undefined;
    const form: LinkForm = isOwn ? own : { ...own, origin: 'any' };
    // An address under another name counts only if it has the path of the list, because other addresses may do anything.
    const isNamed = 'at' in next || /^link$|next/i.test(next.header);
    const isList = () => nextName(form, listing, request, baseUrl)?.startsWith(`${request.path}?`) === true;
    return isNamed || isList() ? [form] : [];
  });
}

const OBJECT_NAME = /^(?:continu(?:e|ation)|next|cursor|more|scroll|bookmark)/;
const OBJECT_DEPTH_MAX = 3;
const MEMBERS_MAX = 20;

/** Whether all members of an object can be sent as parameters. */
function holdsParameters(value: Json): boolean {
  const members = isObject(value) ? Object.values(value) : [];
  return (
    members.length > 0 &&
    members.length <= MEMBERS_MAX &&
    members.every((one) => scalarText(one) !== undefined)
  );
}

/**
 * The objects outside of the rows that may hold the parameters of the next window.
 * @internal
 */
export function continuationForms(document: Json): readonly ContinuationForm[] {
  const isForm = ({ value, keys }: PlacedValue) =>
    OBJECT_NAME.test(fold(keys.at(-1) ?? '')) && holdsParameters(value);
  const isEntered = (one: PlacedValue) =>
    isObject(one.value) && one.keys.length <= OBJECT_DEPTH_MAX && !isForm(one);
  return valuesIn(document, isEntered)
    .filter(isForm)
    .map(({ path }) => ({ kind: 'continue', next: path }));
}

const CURSORS_TRIED = 12;

/** Parameters with the name that the cursor has in the reply: `next` may be sent back as `next` or `_next`. */
function namesakes({ body }: RequestSpec, path: string): readonly ParameterCandidate[] {
  const name = /([A-Za-z][\w-]*)$/.exec(path)?.[1];
  if (body !== undefined || name === undefined) return [];
  return [name, `_${name}`].map((one) => ({ place: { in: 'query', name: one }, name: one }));
}

/** The cursors of a reply, each with the parameters that may take it. */
function cursorForms(
  { document }: ListReply,
  request: RequestSpec,
  candidates: readonly ParameterCandidate[],
): readonly NextForm[] {
  const leaves = envelopeOf(document);
  // A parameter that the operator names without a value takes any text that the reply has.
  const given = Object.keys(request.query).filter((name) => request.query[name] === '');
  const isCursor = (leaf: Leaf) =>
    !isLink(leaf) &&
    (CURSOR_NAME.test(lastName(leaf)) || (given.length > 0 && typeof leaf.value === 'string'));
  const more = leaves.find((leaf) => MORE_NAME.test(lastName(leaf)) && typeof leaf.value === 'boolean');
  return leaves.filter(isCursor).flatMap(({ path: next }) => {
    const named = given.map((name) => ({ place: { in: 'query' as const, name } }));
    const places = [...named, ...namesakes(request, next), ...candidates].slice(0, CURSORS_TRIED);
    return places.map(({ place }) => ({ kind: 'cursor' as const, next, more: more?.path, place }));
  });
}

/** The request for the window that a reply names; `undefined` at the end. `request` is that of the first window. */
export function requestAfter(
  form: NextForm,
  last: ListReply,
  request: RequestSpec,
  baseUrl: string,
): RequestSpec | undefined {
  if (form.kind !== 'cursor') {
    const name = nextName(form, last, request, baseUrl);
    if (name === undefined) return undefined;
    const [path = '', ...query] = form.kind === 'link' ? name.split('?') : [request.path, name];
    const named = Object.fromEntries(new URLSearchParams(query.join('?')));
    return { ...request, path, query: form.kind === 'link' ? named : { ...request.query, ...named } };
  }
  if (form.more !== undefined && compilePath(form.more)(last.document) === false) return undefined;
  const cursor = scalarText(compilePath(form.next)(last.document)) ?? '';
  return cursor === '' ? undefined : withValue(request, form.place, cursor);
}

/** Whether the second of two windows has rows, none of which the first has. */
function isBehind(first: ListReply, next: ListReply): boolean {
  return next.rows.length > 0 && !next.ids.some((id) => first.ids.includes(id));
}

/** Finds how a reply names the next window, by requesting that window once. */
export async function findNextWindow(
  reader: ListReader,
  request: RequestSpec,
  listing: ListReply,
  cursors: readonly ParameterCandidate[],
): Promise<NextForm | undefined> {
  const { baseUrl } = reader.client;
  const targetIn = (form: LinkForm, of: ListReply) => nextName(form, of, request, baseUrl);
  const forms = [
    ...linkForms(listing, request, baseUrl),
    ...continuationForms(listing.document),
    ...cursorForms(listing, request, cursors),
  ];
  for (const form of forms) {
    const wanted = requestAfter(form, listing, request, baseUrl);
    if (wanted === undefined) continue;
    if (reader.client.callsLeft < 1) return undefined;
    const { listing: next } = await reader.read(wanted);
    if (next === undefined || !isBehind(listing, next)) continue;
    // A link that stays the same leads to the last rows, not to the next.
    if (form.kind !== 'link' || targetIn(form, next) !== targetIn(form, listing)) return form;
  }
  return undefined;
}
