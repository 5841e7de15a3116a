// Drafts the rules that say what a reply means (`outcomes`): `portico infer` compares replies that succeeded and failed.

import type { Json } from '../../../kernel/json/json.ts';
import type { UpstreamReply } from '../../../kernel/upstream-call.ts';
import { isList, isObject, scalarText } from '../../../kernel/json/values.ts';
import { fold, membersOf, valuesIn } from '../../../source/checks/evidence/document-leaves.ts';

/** A reply, and its document if it can be read. */
export type DecodedReply = { readonly reply: UpstreamReply; readonly document: Json | undefined };

/** A rule of the outcome table in a draft. */
export type OutcomeDraft = Readonly<Record<string, unknown>>;

/** A code in a body that distinguishes outcomes. */
export type BodyCode = { readonly at: string; readonly equals: string | number | boolean };

const CODE_NAME =
  /^(?:rc|code|errorcode|errcode|err|fault|faultcode|returncode|retcode|resultcode|statuscode|status|state|success|ok|error|type|reason|message|rctext)$/;
const CODE_TEXT = /^[A-Za-z][\w .:-]{0,59}$/;

/** Names of texts that are probably sentences. Sentences may contain the requested id, so they are no codes. */
const SENTENCE_NAME = /message|reason|text|status/i;

/** Whether a value is a code: a short word or a number. */
function isCode(name: string, value: Json): value is string | number | boolean {
  if (typeof value === 'boolean' || typeof value === 'number') return true;
  return (
    typeof value === 'string' && CODE_TEXT.test(value) && !(SENTENCE_NAME.test(name) && /\d/.test(value))
  );
}

/** The codes of a document outside its records, outermost first. */
export function codesIn(document: Json | undefined): readonly BodyCode[] {
  return valuesIn(document, () => true).flatMap(({ value: object, path }) =>
    (isObject(object) ? membersOf(object, path) : []).flatMap(({ key, value, path: at }) =>
      CODE_NAME.test(fold(key)) && isCode(fold(key), value) ? [{ at, equals: value }] : [],
    ),
  );
}

const sameCode = (a: BodyCode, b: BodyCode) => a.at === b.at && a.equals === b.equals;

const isPlainCode = ({ at }: BodyCode) => !SENTENCE_NAME.test(at);

/** The codes that one reply has and another has not: names of codes first, sentences last. */
function distinctCodes(document: Json | undefined, other: Json | undefined): readonly BodyCode[] {
  const others = codesIn(other);
  // `faultcode` is the same in most failures of SOAP, so a code of the service itself comes before it.
  const rank = (code: BodyCode) => (!isPlainCode(code) ? 2 : /faultcode/i.test(code.at) ? 1 : 0);
  return codesIn(document)
    .filter((code) => !others.some((one) => sameCode(code, one)))
    .sort((a, b) => rank(a) - rank(b));
}

/**
 * The rule for a failure: by its status, and by a code in its body if it has one. An ambiguous status (a success, a
 * refusal, a server error) needs the code. `undefined` if nothing distinguishes the reply.
 */
export function outcomeRule(
  { reply, document }: DecodedReply,
  success: Json | undefined,
  { on, is }: { readonly on?: 'list' | 'get'; readonly is: string },
): OutcomeDraft | undefined {
  const { status } = reply;
  const [code] = distinctCodes(document, success);
  const scope = on === undefined ? {} : { on };
  const isPlain = status >= 300 && status < 500 && status !== 401 && status !== 403;
  if (code !== undefined && (!isPlain || isPlainCode(code))) return { status, ...code, ...scope, is };
  return isPlain ? { status, ...scope, is } : undefined;
}

/**
 * The code that all successes have and no failure has; a success is then recognised by it. `undefined` if the status is enough.
 */
export function successCode(
  successes: readonly (Json | undefined)[],
  failures: readonly (Json | undefined)[],
): BodyCode | undefined {
  const [first, ...others] = successes.map((document) => codesIn(document));
  const common = (first ?? []).filter((code) =>
    others.every((codes) => codes.some((one) => sameCode(one, code))),
  );
  return common.find(
    ({ at, equals }) =>
      failures.length > 0 &&
      failures.every((document) => codesIn(document).some((one) => one.at === at && one.equals !== equals)),
  );
}

/** Whether the place of the record is empty. */
export function isAbsent(found: Json | undefined): boolean {
  return (
    found === undefined || found === null || scalarText(found) === '' || (isList(found) && found.length === 0)
  );
}
