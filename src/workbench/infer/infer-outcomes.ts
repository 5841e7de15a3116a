// Finds out for `portico infer` what the `outcomes` section of the draft says: what each reply of the service means.

import type { RequestSpec } from '../../config/schema/source.ts';
import type { Json } from '../../kernel/json/json.ts';
import { isList, isObject } from '../../kernel/json/values.ts';
import type { UpstreamReply } from '../../kernel/upstream-call.ts';
import type { ServiceClient } from './requests/service-client.ts';
import type { Dialect } from './dialects/dialect.ts';
import { type DraftNote, likely, notesAt, sure, toEdit } from './notes/note.ts';
import {
  codesIn,
  isAbsent,
  type OutcomeDraft,
  outcomeRule,
  type DecodedReply,
  successCode,
} from './detect/outcome-rules.ts';
import type { PastEnd } from './window/read-whole-list.ts';

/** The `outcomes` section of a draft, with notes. */
export type OutcomesDraft = {
  readonly outcomes: readonly OutcomeDraft[];
  /** Whether the service returns the list without a credential, too. */
  readonly servesVisitors: boolean;
  readonly notes: readonly DraftNote[];
};

/** The successes and failures that were seen. */
export type OutcomeContext = {
  readonly dialect: Dialect | undefined;
  /** The list's replies with rows. */
  readonly successes: readonly Json[];
  /** The statuses of the replies that had rows. */
  readonly statuses: readonly number[];
  readonly missing: Json | undefined;
  readonly recordRules: readonly OutcomeDraft[];
  /** The reply to a request without the credential. */
  readonly refusal: DecodedReply | undefined;
  /** Present only if a scan must find the end of the list without a total. */
  readonly pastEnd: PastEnd | undefined;
};

/** Sends a request without the credential. */
export async function probeWithoutCredential(
  client: ServiceClient,
  request: RequestSpec,
  read: (reply: UpstreamReply) => Json | undefined,
): Promise<DecodedReply | undefined> {
  if (client.callsLeft < 1) return undefined;
  const reply = await client.send(request, { withoutCredential: true });
  return { reply, document: read(reply) };
}

/** Rules of the table, with notes on them. */
type Rules = {
  readonly rules: readonly OutcomeDraft[];
  readonly notes: readonly DraftNote[];
  readonly servesVisitors?: boolean;
};

const NO_RULES: Rules = { rules: [], notes: [] };

/** The rule for a request without a credential, if the usual rules do not cover its status. */
function refusalRule({ refusal, successes }: OutcomeContext): Rules {
  if (refusal === undefined) return NO_RULES;
  const { status } = refusal.reply;
  const isUsual = status === 401 || status === 403 || status >= 500;
  if (isUsual || (status >= 300 && status < 400)) return NO_RULES;
  const rule = outcomeRule(refusal, successes[0], { is: 'unauthorized' });
  if (rule !== undefined) return { rules: [rule], notes: [] };
  const open = status < 300 && likely('the service serves a list without a credential, too');
  return { rules: [], notes: notesAt(['auth'], open), servesVisitors: status < 300 };
}

/** The rule for a window after the last row, if the service answers it with a failure. */
function pastEndRule({ pastEnd }: OutcomeContext): Rules {
  if (pastEnd === undefined || pastEnd.status < 400) return NO_RULES;
  const { status, document } = pastEnd;
  const [code] = codesIn(document);
  if (code !== undefined || status === 416)
    return { rules: [{ status, on: 'list', ...code, is: 'past_end' }], notes: [] };
  const text = `after the last row the service answers HTTP ${status}: if that has no other meaning, add { status: ${status}, on: list, is: past_end }`;
  return { rules: [], notes: notesAt(['outcomes'], toEdit(text)) };
}

function successRules({ dialect, successes, statuses, refusal, missing }: OutcomeContext): Rules {
  const withSuccess = refusal !== undefined && refusal.reply.status < 300 ? [refusal.document] : [];
  const failures = [...withSuccess, missing].filter((document) => codesIn(document).length > 0);
  const code = successCode(successes, failures);
  const known = dialect?.success === undefined ? undefined : { at: dialect.success, present: true };
  const all = [...new Set([200, ...statuses])].sort((a, b) => a - b);
  const isNew = code !== undefined && known === undefined;
  return {
    rules: all.map((status) => ({ status, ...(known ?? code), is: 'ok' })),
    notes: notesAt(
      ['outcomes'],
      isNew && sure(`${code.at} distinguishes successes from failures with the same status`),
    ),
  };
}

/** Keys under which replies report errors. */
const ERROR_KEYS = ['errors', 'error'];

/** The path of the errors under a key; `undefined` if replies without errors have a value there, too. */
function errorPlace(key: string, usual: readonly (Json | undefined)[]): string | undefined {
  const places = usual.map((document) => (isObject(document) ? document[key] : undefined));
  if (!places.every(isAbsent)) return undefined;
  return places.some((place) => place !== undefined && isList(place)) ? `${key}[0]` : key;
}

const isErrorRule = ({ at, present }: OutcomeDraft) => present === true && ERROR_KEYS.includes(String(at));

/** The rules that the dialect documents; an empty list of errors, which some services always give, is no error. */
function dialectRules({ dialect, successes }: OutcomeContext): readonly OutcomeDraft[] {
  return (dialect?.outcomes ?? []).map((rule) =>
    isErrorRule(rule) ? { ...rule, at: errorPlace(String(rule['at']), successes) ?? rule['at'] } : rule,
  );
}

/** Rules for errors in replies to a request for one record, if only its absence shows that a record is missing. */
function errorRules({ recordRules, successes, missing, dialect }: OutcomeContext): readonly OutcomeDraft[] {
  const absence = recordRules.find((rule) => rule['present'] === false);
  // A body that is a list has no keys for errors.
  if (absence === undefined || !isObject(missing)) return [];
  const known = (dialect?.outcomes ?? []).filter(isErrorRule).map(({ at }) => at);
  return ERROR_KEYS.filter((key) => !known.includes(key)).flatMap((key) => {
    const at = errorPlace(key, [...successes, missing]);
    return at === undefined
      ? []
      : [{ status: absence['status'], on: 'get', at, present: true, is: 'error' } as const];
  });
}

const USUAL: readonly OutcomeDraft[] = [
  { status: 401, is: 'unauthorized' },
  { status: 403, is: 'unauthorized' },
  { status: 429, is: 'rate_limited' },
  { status: 503, is: 'unavailable' },
  { status: '4xx', is: 'client_bug' },
  { status: '5xx', is: 'error' },
];

const sameRule = (a: OutcomeDraft, b: OutcomeDraft) => JSON.stringify(a) === JSON.stringify(b);

/** Writes the outcome table: failures that were seen, then successes, then the usual meaning of statuses. */
export function inferOutcomes(context: OutcomeContext): OutcomesDraft {
  const refusal = refusalRule(context);
  const pastEnd = pastEndRule(context);
  const success = successRules(context);
  const isAbsence = (rule: OutcomeDraft) => rule['present'] === false;
  const rules = [
    // These come first: the failure for an unknown id may also be a known failure of the dialect.
    ...context.recordRules.filter((rule) => !isAbsence(rule)),
    ...dialectRules(context),
    // A reply with an error has no record either, but that does not mean that the record does not exist.
    ...errorRules(context),
    ...refusal.rules,
    ...context.recordRules.filter(isAbsence),
    ...pastEnd.rules,
    ...success.rules,
    ...USUAL,
  ];
  const outcomes = rules.filter((rule, index) => rules.findIndex((other) => sameRule(rule, other)) === index);
  const servesVisitors = refusal.servesVisitors === true;
  return { outcomes, servesVisitors, notes: [...success.notes, ...refusal.notes, ...pastEnd.notes] };
}
