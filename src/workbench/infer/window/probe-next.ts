import { CHECKED } from '../../../source/adapter/spec/spec-location.ts';
import { addressInHeader, compileNext } from '../../../source/adapter/read/next.ts';
import type { ListSpec, RequestSpec } from '../../../config/schema/source.ts';
import { scalarText } from '../../../kernel/json/values.ts';
import type { ListReader, ListReply } from '../requests/list-reader.ts';
import { envelopeOf, lastName, type Leaf } from '../../../source/checks/evidence/envelope.ts';
import { readOrUndefined } from '../notes/read-or-undefined.ts';
import { type Parameter, withValue } from '../requests/request-parameters.ts';
import type { ParameterCandidate } from './parameter-names.ts';
import { type ContinuationForm, continuationForms, continuedRequest } from './continuation-forms.ts';

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

/** Paths outside the rows, and outside what counts them, whose names and values say that more rows follow. */
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

/** Headers that hold an address, those that may name the next window first. A link of RFC 8288 says itself whether it does. */
function headersWithAddress({ reply }: ListReply): readonly string[] {
  const named = Object.entries(reply.headers ?? { link: reply.header('link') }).flatMap(([name, value]) => {
    const address = typeof value === 'string' ? readOrUndefined(() => addressInHeader(value)) : undefined;
    return address === undefined ? [] : [name.replaceAll(/(?<=^|-)[a-z]/g, (letter) => letter.toUpperCase())];
  });
  return named.sort((a, b) => Number(/^link$|next/i.test(b)) - Number(/^link$|next/i.test(a)));
}

/** The places that may hold a link to the next window. */
function linkForms(listing: ListReply): readonly LinkForm[] {
  const inHeader = headersWithAddress(listing).map((header) => ({ header }));
  const inBody = envelopeOf(listing.document)
    .filter((leaf) => isLink(leaf) && LINK_NAME.test(lastName(leaf)) && leaf.name.includes('next'))
    .map(({ path }) => ({ at: path }));
  return [...inHeader, ...inBody].map((next): LinkForm => ({ kind: 'link', next }));
}

/** Whether a link may be followed to see where it leads: an address of no such name may do anything but list. */
function isHarmless({ next }: LinkForm, target: string, path: string): boolean {
  return 'at' in next || /^link$|next/i.test(next.header) || target.startsWith(`${path}?`);
}

/** The target of the next window. The gateway's own code reads it, so the draft is tested by what will run. */
export function nextTarget(
  form: LinkForm,
  listing: ListReply,
  path: string,
  baseUrl: string,
): string | undefined {
  const window = { ...form, sizeMax: 1 };
  const read = compileNext({ window, request: { path } } as unknown as ListSpec, { baseUrl }, CHECKED);
  return readOrUndefined(() => read(listing.reply, listing.document, listing.rows));
}

/** The request for a target from a reply. */
export function requestOfTarget(request: RequestSpec, target: string): RequestSpec {
  const [path = '', ...query] = target.split('?');
  const parameters = [...new URLSearchParams(query.join('?'))];
  return { ...request, path, query: Object.fromEntries(parameters) };
}

function isBehind(first: ListReply, next: ListReply | undefined): boolean {
  if (next === undefined || next.rows.length === 0) return false;
  return !next.ids.some((id) => first.ids.includes(id));
}

async function findLink(
  reader: ListReader,
  request: RequestSpec,
  listing: ListReply,
  baseUrl: string,
): Promise<NextForm | undefined> {
  const targetOf = (form: LinkForm, of: ListReply) => nextTarget(form, of, request.path, baseUrl);
  for (const own of linkForms(listing)) {
    const form: LinkForm = targetOf(own, listing) === undefined ? { ...own, origin: 'any' } : own;
    const target = targetOf(form, listing);
    if (target === undefined || !isHarmless(form, target, request.path)) continue;
    if (reader.client.callsLeft < 1) return undefined;
    const { listing: next } = await reader.read(requestOfTarget(request, target));
    // A link that stays the same leads to the last rows, not to the next.
    if (next !== undefined && isBehind(listing, next) && targetOf(form, next) !== target) return form;
  }
  return undefined;
}

async function findContinuation(
  reader: ListReader,
  request: RequestSpec,
  listing: ListReply,
): Promise<NextForm | undefined> {
  for (const form of continuationForms(listing.document)) {
    const continued = continuedRequest(form, listing, request);
    if (continued === undefined || reader.client.callsLeft < 1) continue;
    const { listing: next } = await reader.read(continued);
    if (isBehind(listing, next)) return form;
  }
  return undefined;
}

const CURSORS_TRIED = 12;

/** Parameters named as the cursor in the reply: `next` may be sent back as `_next`. */
function namesakes({ body }: RequestSpec, path: string): readonly ParameterCandidate[] {
  const name = /([A-Za-z][\w-]*)$/.exec(path)?.[1];
  if (body !== undefined || name === undefined) return [];
  return [name, `_${name}`].map((one) => ({ place: { in: 'query', name: one }, name: one }));
}

async function findCursor(
  reader: ListReader,
  request: RequestSpec,
  listing: ListReply,
  candidates: readonly ParameterCandidate[],
): Promise<NextForm | undefined> {
  const leaves = envelopeOf(listing.document);
  const cursors = leaves.filter(
    (leaf) => CURSOR_NAME.test(lastName(leaf)) && (scalarText(leaf.value) ?? '') !== '' && !isLink(leaf),
  );
  const more = leaves.find((leaf) => MORE_NAME.test(lastName(leaf)) && typeof leaf.value === 'boolean');
  for (const { path, value } of cursors) {
    for (const { place } of [...namesakes(request, path), ...candidates].slice(0, CURSORS_TRIED)) {
      if (reader.client.callsLeft < 1) return undefined;
      const { listing: next } = await reader.read(withValue(request, place, scalarText(value) ?? ''));
      if (isBehind(listing, next)) return { kind: 'cursor', next: path, more: more?.path, place };
    }
  }
  return undefined;
}

/** Finds how a reply names the next window, by requesting that window once. */
export async function findNext(
  reader: ListReader,
  request: RequestSpec,
  listing: ListReply,
  { baseUrl, cursors }: { readonly baseUrl: string; readonly cursors: readonly ParameterCandidate[] },
): Promise<NextForm | undefined> {
  return (
    (await findLink(reader, request, listing, baseUrl)) ??
    (await findContinuation(reader, request, listing)) ??
    (await findCursor(reader, request, listing, cursors))
  );
}
