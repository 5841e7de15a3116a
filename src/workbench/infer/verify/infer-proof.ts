// Finds for a draft a value of a reply that only an authenticated caller gets (`auth.proof`), because some services answer a
// wrong credential with 200 and fewer records.

import { showsNobody } from '../../../source/adapter/read/credential-proof.ts';
import type { RequestSpec } from '../../../config/schema/source.ts';
import type { Json } from '../../../kernel/json/json.ts';
import { isObject, scalarText } from '../../../kernel/json/values.ts';
import type { UpstreamReply } from '../../../kernel/upstream-call.ts';
import type { DecodedReply } from '../detect/outcome-rules.ts';
import { columnsOf } from '../map/columns.ts';
import { type DraftNote, notesAt, sure } from '../notes/note.ts';
import { fold } from '../../../source/checks/evidence/document-leaves.ts';
import type { ServiceClient } from '../requests/service-client.ts';

/** The replies to requests with the credential, and the reply to a request without it (of a visitor). */
export type ProofContext = {
  readonly client: ServiceClient;
  readonly read: (reply: UpstreamReply) => Json | undefined;
  readonly request: RequestSpec;
  readonly lists: readonly DecodedReply[];
  /** The reply to a request for one record, if the service has such requests. */
  readonly record: DecodedReply | undefined;
  readonly visitor: DecodedReply;
};

/** `auth.proof` of a draft, with notes. */
export type ProofDraft = {
  readonly proof: Readonly<Record<string, unknown>>;
  readonly notes: readonly DraftNote[];
};

/** Names under which a service states the account of a request. */
const ACCOUNT =
  /user|viewer|account|login|principal|identity|actor|auth|member|whoami|client|tenant|caller|acting|subject|email/;
/** Names of values that depend on the rows or on the time of the request. */
const PASSING =
  /next|prev|cursor|link|page|token|total|count|time|date|limit|request|trace|cache|etag|length|type/;
const WRITABLE = /^[\w@.+ -]{1,64}$/;
/** Pages of the account, below the list's own parent and at the root. */
const PAGES = ['/me', '/user', '/users/me', '/whoami', '/account', '/session', '/profile', '/api/me'];
const CALLS_MAX = 8;

type Place = { readonly at?: string; readonly header?: string; readonly equals?: string };
type Found = {
  readonly place: Place;
  readonly name: string;
  readonly own: Json;
  readonly theirs: Json | undefined;
};

/** The values that are the same in all replies with the credential, but not in the visitor's reply. */
function placesIn(own: readonly DecodedReply[], visitor: DecodedReply): readonly Found[] {
  const documents = [...own, visitor].map(({ document }) => (isObject(document) ? document : {}));
  const columns = columnsOf(documents).filter(({ path }) => !path.includes('['));
  const inBody = columns.map(({ path, words, values }) => ({
    ...{ place: { at: path }, name: words.slice(-2).join(' '), values },
  }));
  const headers = Object.keys(own[0]?.reply.headers ?? {}).filter((name) =>
    /^x-|user|auth-|account/.test(name),
  );
  const inHeaders = headers.map((header) => ({
    place: { header },
    name: fold(header),
    values: [...own, visitor].map(({ reply }) => reply.header(header)),
  }));
  return [...inBody, ...inHeaders].flatMap(({ place, name, values }) => {
    const [first, theirs] = [values[0], values.at(-1)];
    const isSame = values
      .slice(0, -1)
      .every((value) => scalarText(value) === scalarText(first) && !showsNobody(value));
    const isOwn = first !== undefined && isSame && String(scalarText(theirs)) !== String(scalarText(first));
    return isOwn ? [{ place, name, own: first, theirs }] : [];
  });
}

/** The place of the account's name, if the name may stand in a file; else a place that the visitor's reply lacks. */
function choosePlace(found: readonly Found[], isPage: boolean): Place | undefined {
  const usable = found.filter(({ own, name }) => (isPage || typeof own === 'string') && !PASSING.test(name));
  for (const { place, name, own } of usable)
    if (ACCOUNT.test(name) && typeof own === 'string' && WRITABLE.test(own)) return { ...place, equals: own };
  const lacking = usable.filter(({ theirs }) => showsNobody(theirs));
  return (lacking.find(({ name }) => ACCOUNT.test(name)) ?? lacking[0])?.place;
}

/** A page that shows the account only if the credential is sent. */
async function findPage({ client, read, request }: ProofContext): Promise<ProofDraft['proof'] | undefined> {
  const parent = request.path.replace(/\/[^/]*\/?$/, '');
  const beside = PAGES.slice(0, parent === '' ? PAGES.length : 5).map((page) => parent + page);
  const paths = parent === '' ? beside : [...beside, '/api/me', '/me'];
  let calls = CALLS_MAX;
  for (const path of new Set(paths)) {
    if (calls < 2 || client.callsLeft < 2) return undefined;
    const page: RequestSpec = { method: 'GET', path, query: {}, headers: {} };
    const reply = await client.send(page);
    calls -= 1;
    const document = reply.status < 300 ? read(reply) : undefined;
    if (!isObject(document)) continue;
    const other = await client.send(page, { withoutCredential: true });
    calls -= 1;
    const visitor = { reply: other, document: other.status < 300 ? read(other) : undefined };
    const place = choosePlace(placesIn([{ reply, document }], visitor), true);
    if (place !== undefined) return { request: { path }, ...place };
  }
  return undefined;
}

/** Infers what shows that a service which also serves visitors knows the credential; `undefined` if nothing does. */
export async function inferProof(context: ProofContext): Promise<ProofDraft | undefined> {
  const { lists, record, visitor, request } = context;
  const noted = (proof: ProofDraft['proof'], text: string) => ({
    proof,
    notes: notesAt(['auth', 'proof'], sure(text)),
  });
  const everywhere = choosePlace(
    placesIn([...lists, ...(record === undefined ? [] : [record])], visitor),
    false,
  );
  if (everywhere !== undefined)
    return noted(everywhere, 'replies to a visitor lack this; every reply is checked');
  const page = await findPage(context);
  if (page !== undefined) return noted(page, 'a visitor does not get this page; it is asked once a minute');
  const inList = choosePlace(placesIn(lists, visitor), false);
  if (inList === undefined || request.method !== 'GET') return undefined;
  const { path, query } = request;
  return noted(
    { request: { path, query }, ...inList },
    "a visitor's list lacks this; it is asked once a minute",
  );
}
