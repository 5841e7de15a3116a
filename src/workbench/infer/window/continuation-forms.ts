import { compileNext } from '../../../source/adapter/read/next.ts';
import { CHECKED } from '../../../source/adapter/spec/spec-location.ts';
import type { ListSpec, RequestSpec } from '../../../config/schema/source.ts';
import type { Json } from '../../../kernel/json/json.ts';
import { isObject, scalarText } from '../../../kernel/json/values.ts';
import { fold, membersOf } from '../../../source/checks/evidence/envelope.ts';
import { readOrUndefined } from '../notes/read-or-undefined.ts';
import type { ListReply } from '../requests/list-reader.ts';

/** An object of a reply whose members are the parameters of the next window; `next` is its path. */
export type ContinuationForm = { readonly kind: 'continue'; readonly next: string };

const NAME = /^(?:continu(?:e|ation)|next|cursor|more|scroll|bookmark)/;
const DEPTH_MAX = 3;
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

/** The objects outside of the rows that may hold the parameters of the next window. */
export function continuationForms(document: Json, path = '', depth = 0): readonly ContinuationForm[] {
  if (!isObject(document) || depth > DEPTH_MAX) return [];
  return membersOf(document, path).flatMap(({ key, value, path: next }) =>
    NAME.test(fold(key)) && holdsParameters(value)
      ? [{ kind: 'continue', next } as const]
      : continuationForms(value, next, depth + 1),
  );
}

/**
 * The request for the next window, with every parameter that the reply names; `undefined` at the end. The gateway's own
 * code reads the reply, so the draft is tested by what will run.
 */
export function continuedRequest(
  { next }: ContinuationForm,
  { reply, document, rows }: ListReply,
  request: RequestSpec,
): RequestSpec | undefined {
  const list = { window: { kind: 'continue', sizeMax: 1, next }, request, filters: {} };
  const read = compileNext(list as unknown as ListSpec, { baseUrl: '' }, CHECKED);
  const parts = readOrUndefined(() => read(reply, document, rows));
  if (parts === undefined) return undefined;
  return { ...request, query: { ...request.query, ...Object.fromEntries(new URLSearchParams(parts)) } };
}
