// Gets the first reply with records from a service. All else in the draft of `portico infer` follows from it.

import type { RequestSpec } from '../../../config/schema/source.ts';
import type { Resource } from '../../../contract/resource.ts';
import { exampleName } from '../dialects/example-names.ts';
import { contentTypesOf, decode as decodeSchema } from '../../../config/schema/net/connection.ts';
import type { UpstreamReply } from '../../../kernel/upstream-call.ts';
import { type BodyFormat, detectFormat, documentIn, withArrays } from './detect-format.ts';
import type { Dialect, DialectClues } from '../dialects/dialect.ts';
import { findRows, largerTable, type RowLocation, namelessTableError, noRowsError } from './find-rows.ts';
import { type DraftNote, likely, notesAt, toEdit, InferError } from '../notes/note.ts';

/** The first readable list: its request, its format, and the place of its rows. */
export type FirstResponse = {
  readonly request: RequestSpec;
  readonly reply: UpstreamReply;
  readonly format: BodyFormat;
  readonly place: RowLocation;
  readonly dialect: Dialect | undefined;
  readonly notes: readonly DraftNote[];
};

/** How many parameters of an address are left out, one at a time, to find the one that is refused. */
const PARAMETERS_TRIED = 5;

/** Sends a request to the service. */
export type AskService = (request: RequestSpec) => Promise<UpstreamReply>;

function redirectHint(reply: UpstreamReply): string {
  const location = reply.header('location') ?? '';
  const isAddress = /^[\x21-\x7e]{1,200}$/.test(location);
  return isAddress ? `it names ${location}` : 'give the address that it names';
}

const NEEDS_CREDENTIAL = [
  'it needs a credential, or a different one',
  "--header 'Authorization: Bearer …', or user:password@ in the address",
] as const;

/** What a status means, and what to do about it. */
const FAILURES: Readonly<Record<number, readonly [string, string]>> = {
  401: NEEDS_CREDENTIAL,
  403: ['the credential may not read this list, or the service wants a different one', NEEDS_CREDENTIAL[1]],
  404: ['this address does not exist', 'give the address of the list itself'],
  405: ['it needs another method', '--method POST --body <file>'],
  429: ['it limits the rate of calls', 'try again later, with fewer --calls-max'],
};

function failureOf(reply: UpstreamReply): InferError | undefined {
  const { status } = reply;
  const answer = `the service answers HTTP ${status}`;
  const [reason, hint] = FAILURES[status] ?? [];
  if (reason !== undefined) return new InferError(`${answer}: ${reason}`, hint);
  if (status >= 400)
    return new InferError(answer, 'give the address with the parameters that the list needs');
  if (status < 300) return undefined;
  return new InferError(`${answer}: it redirects, and redirects are not followed`, redirectHint(reply));
}

/** Reads the list in a reply, or returns the error if there is none. */
function readList(
  resource: Resource,
  request: RequestSpec,
  reply: UpstreamReply,
  dialect: Dialect | undefined,
): FirstResponse | InferError {
  const failure = failureOf(reply);
  if (failure !== undefined) return failure;
  const format = detectFormat(reply);
  if (format instanceof InferError) return format;
  const isXml = format.decode.format === 'xml';
  const [place, next] = findRows(format.document, resource, isXml);
  if (place === undefined) return noRowsError(format.document);
  const table = isXml ? undefined : largerTable(format.document, place.rows.length);
  if (table !== undefined) return namelessTableError(table);
  return {
    request,
    reply,
    format: isXml ? withArrays(format, [place.keys.join('.')]) : format,
    place,
    dialect,
    notes: [
      ...format.notes,
      ...notesAt(
        ['decode', 'arrays'],
        place.single && toEdit('only one record was seen: check that this is the repeated element'),
      ),
      ...notesAt(
        ['resources', resource.name, 'list', 'items'],
        next && likely(`there is another list, at ${next.path}`),
      ),
    ],
  };
}

function cluesOf(resource: Resource, request: RequestSpec, reply: UpstreamReply): DialectClues {
  const document = documentIn(reply);
  const [place] = document === undefined ? [] : findRows(document, resource, false);
  return { resource: exampleName(resource), request, reply, document, row: place?.rows[0] };
}

const same = (a: RequestSpec, b: RequestSpec) => JSON.stringify(a) === JSON.stringify(b);

/** Sends the requests of a dialect, and returns the first readable reply, if it confirms the dialect. */
async function readAs(
  dialect: Dialect,
  resource: Resource,
  clues: DialectClues,
  ask: AskService | undefined,
): Promise<FirstResponse | undefined> {
  const plain = clues.request;
  const rewritten = dialect.rewrite(clues);
  const requests = [dialect.extend(rewritten), rewritten].filter((request) => !same(request, plain));
  const isConfirmed = ({ format: { document }, reply }: FirstResponse) =>
    dialect.confirms({ ...clues, document, reply });
  for (const request of requests) {
    if (ask === undefined) break;
    const reply = await ask(request);
    const response = readList(resource, request, reply, dialect);
    if (response instanceof InferError) continue;
    return isConfirmed(response) ? response : undefined;
  }
  const response = readList(resource, plain, clues.reply, dialect);
  return response instanceof InferError || !isConfirmed(response) ? undefined : response;
}

/** The `Accept` header for a known format. */
export function acceptOf({ decode }: BodyFormat): string {
  return contentTypesOf(decodeSchema.parse(decode)).join(', ');
}

/** The parameter that makes the service refuse a request: without it, the service answers. */
async function refusedParameter(request: RequestSpec, ask: AskService): Promise<string | undefined> {
  for (const name of Object.keys(request.query).slice(0, PARAMETERS_TRIED)) {
    const { [name]: _left, ...query } = request.query;
    if ((await ask({ ...request, query })).status < 300) return name;
  }
  return undefined;
}

/** Throws if the service answers 401 or 403 because of a parameter, and not because of the credential. */
async function refuseParameters(
  { status }: UpstreamReply,
  request: RequestSpec,
  ask: AskService | undefined,
): Promise<void> {
  if (ask === undefined || (status !== 401 && status !== 403)) return;
  const name = await refusedParameter(request, ask);
  if (name === undefined) return;
  throw new InferError(
    `the service answers HTTP ${status} because of the parameter ${name}; the credential is good`,
    `give the address without ${name}`,
  );
}

/**
 * Finds the list for a first reply. It also tries the requests of the dialects that the reply matches.
 * @throws InferError if there is no list
 */
export async function readFirstResponse(
  resource: Resource,
  request: RequestSpec,
  reply: UpstreamReply,
  dialects: readonly Dialect[],
  ask?: AskService,
): Promise<FirstResponse> {
  await refuseParameters(reply, request, ask);
  const clues = cluesOf(resource, request, reply);
  for (const dialect of dialects.filter((one) => one.matches(clues))) {
    const response = await readAs(dialect, resource, clues, ask);
    if (response !== undefined) return response;
  }
  const response = readList(resource, request, reply, undefined);
  if (response instanceof InferError) throw response;
  return response;
}
