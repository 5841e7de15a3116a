// Reads what the operator says with `--one` or `--one-body`: how one record of the service is requested.

import type { RequestSpec } from '../../../config/schema/source.ts';
import { mapTexts } from '../../../kernel/json/json-tree.ts';
import { InferError } from '../notes/note.ts';
import { readInferTarget, type InferTarget, type TargetOptions } from './read-target.ts';

/** The operator's description of the view of one record. */
export type SingleRecordOptions = TargetOptions & {
  /** The URL or path of one record, with an id of the list in it. */
  readonly one: string | undefined;
  /** The body of the request for one record. */
  readonly oneBody: string | undefined;
};

/** The operation in a SOAP body. */
function operationOf({ body }: RequestSpec): string | undefined {
  if (body === undefined || !('xml' in body)) return undefined;
  return /<(?:[\w.-]+:)?Body(?:\s[^<>]*)?>\s*<(?:[\w.-]+:)?([\w.-]+)/.exec(body.xml)?.[1];
}

/** The list's headers for another request, with the operation in SOAPAction replaced. */
function actionFor(list: RequestSpec, other: RequestSpec): RequestSpec['headers'] {
  const [from, to] = [operationOf(list), operationOf(other)];
  if (from === undefined || to === undefined) return list.headers;
  return mapTexts(list.headers, (value, name) =>
    /^soapaction$/i.test(name) ? value.replaceAll(from, to) : value,
  );
}

/** Names of parameters that are credentials or ids. If the list is answered without the parameter, it is an id. */
const KEY_OR_ID = /^(?!.*api).*(?<![^-_.])key$|^code$/i;

/** The operator's request for one record; `undefined` if none was given. @throws InferError */
export function singleRecordRequest(
  options: SingleRecordOptions,
  target: InferTarget,
): RequestSpec | undefined {
  const { one, oneBody } = options;
  if (one === undefined && oneBody === undefined) return undefined;
  const { origin } = new URL(options.url);
  const url = one === undefined ? new URL(options.url) : new URL(one, options.url);
  if (url.origin !== origin)
    throw new InferError(
      'the view of one record is at another host than the list',
      'a source has one net.baseUrl',
    );
  const read = readInferTarget({
    ...options,
    url: url.href,
    body: oneBody,
    method: undefined,
    name: target.name,
    headers: [],
  });
  const own = oneBody !== undefined ? {} : { method: 'GET' as const };
  const listed = new URL(options.url).searchParams;
  const keys = [...url.searchParams].filter(([name]) => KEY_OR_ID.test(name) && !listed.has(name));
  const query = { ...read.request.query, ...Object.fromEntries(keys) };
  return { ...read.request, ...own, query, headers: actionFor(target.request, read.request) };
}
