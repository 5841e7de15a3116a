// Guesses which requests may return one record, and which ids `infer` tries them with.

import type { RequestSpec } from '../../../config/schema/source.ts';
import { mapLeaves } from '../../../kernel/json/json-tree.ts';
import { percentDecoded } from '../../../kernel/percent-decoded.ts';
import { compileTextReader } from '../requests/list-reader.ts';
import { maskText } from '../../explain/value-shape.ts';
import { linkedPaths } from './find-record.ts';
import type { RecordContext } from './infer-context.ts';

/** The ids of the list as the gateway sends them: numbers have no leading zeros, and all have the form of the dialect's ids. */
export function listedIds({ rows, list, response: { dialect } }: RecordContext): readonly string[] {
  const idOf = compileTextReader(list.idPath, list.id.pattern);
  const known = dialect?.idForm(list.id.kind === 'number');
  const form = known === undefined ? undefined : new RegExp(`^(?:${known})$`);
  return rows.flatMap((row) => {
    const native = idOf(row);
    const id = list.id.kind === 'number' ? native.replace(/^0+(?=\d)/, '') : native;
    return id === '' || form?.test(id) === false ? [] : [id];
  });
}

/** Replaces an id in a request by the variable: the first part that is one, behind `skipped` others. */
function withVariable(
  request: RequestSpec,
  isId: (part: string) => boolean,
  skipped = 0,
): RequestSpec | undefined {
  let found = 0;
  const isWanted = (part: string) => {
    if (!isId(part)) return false;
    found += 1;
    return found === skipped + 1;
  };
  const mark = (text: string, split: RegExp, decode: (part: string) => string) =>
    text
      .split(split)
      .map((part) => (isWanted(decode(part)) ? '{id}' : part))
      .join('');
  const plain = (part: string) => part;
  const decoded = (part: string) => percentDecoded(part) ?? part;
  const inTree = (tree: unknown) =>
    mapLeaves(tree, (leaf) => {
      if (typeof leaf === 'string') return mark(leaf, /([^\w.|=+/~-]+|=eq\.)/, plain);
      return typeof leaf === 'number' && isWanted(String(leaf)) ? '{id}' : leaf;
    });
  const path = mark(request.path, /([/()',]|\.(?:json|xml|do|php|aspx?)$)/, decoded);
  const query = inTree(request.query) as RequestSpec['query'];
  const body = inTree(request.body) as RequestSpec['body'];
  return found <= skipped ? undefined : { ...request, path, query, ...(body !== undefined && { body }) };
}

/** The operator's request with the variable in the place of its id. If it has no id of the list, parts that look like one. */
function givenRequests(given: RequestSpec, { list }: RecordContext, ids: readonly string[]) {
  const known = new Set(ids);
  const exact = withVariable(given, (part) => known.has(part));
  if (exact !== undefined) return [exact];
  const shapes = new Set(ids.map((id) => maskText(id)));
  const isLike = (part: string) =>
    list.id.kind === 'number' ? /^\d+$/.test(part) : shapes.has(maskText(part));
  return [0, 1, 2].flatMap((skipped) => withVariable(given, isLike, skipped) ?? []);
}

/** The end of a path that only says that it is a list. The path of a record goes on without that end. */
const LIST_NAME = /(?<=\/[^/]+)\/(?:_\w+|all|list|search|query|find)$/i;

/** The requests to try for one record, with `{id}`, the most probable first. */
export function guessRecordRequests(context: RecordContext, ids: readonly string[]): readonly RequestSpec[] {
  const { response, given, list } = context;
  const { request, dialect } = response;
  if (given !== undefined) return givenRequests(given, context, ids);
  const known = dialect?.record(request, list.id.kind === 'number');
  if (request.body !== undefined) return known === undefined ? [] : [known];
  const path = request.path.replace(/\/$/, '');
  const below = { method: 'GET' as const, query: {}, headers: request.headers };
  const bare = path.replace(/\.(?:json|xml|do|php|aspx?)$/, '');
  // If the list's URL ends with a slash, the URLs of its records do so, too; without it comes a redirect.
  const slashed = path === request.path ? [] : [`${path}/{id}/`];
  const suffixed = bare === path ? [] : [`${bare}/{id}${path.slice(bare.length)}`];
  // `/users/_all_docs` and `/users/list` name a way to read all of `/users`.
  const beside = LIST_NAME.test(path) ? [path.replace(LIST_NAME, '/{id}')] : [];
  const linked = linkedPaths(context.rows, list);
  const paths = new Set([...linked, ...slashed, `${path}/{id}`, ...suffixed, ...beside]);
  const entries = Object.entries(request.query);
  const secrets = entries.filter(([, value]) => value.includes('${'));
  // The list's parameters may be needed (the form of the rows) or refused (filters, sorts), so they are the second try.
  const constants = entries.filter(([, value]) => !/(?<!\$)\{/.test(value));
  const queries = constants.length === secrets.length ? [secrets] : [secrets, constants];
  const usual = [...paths].flatMap((one) =>
    queries.map((query): RequestSpec => ({ ...below, path: one, query: Object.fromEntries(query) })),
  );
  // A service without addresses of records may filter its list by the id. If it ignores the filter, it sends all rows.
  const query = { ...Object.fromEntries(secrets), [list.idPath]: '{id}' };
  const filtered =
    /^\w+$/.test(list.idPath) && ids.length > 1 ? [{ ...below, path: request.path, query }] : [];
  return [...(known === undefined ? [] : [known]), ...usual, ...filtered];
}
