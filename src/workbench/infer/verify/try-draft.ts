// Answers one request of each kind by means of a draft, so that the operator of `infer` sees that it works.

import type { CompiledSource } from '../../../source/compile-sources.ts';
import { createAnswerQuery, parseRequest } from '../../doctor/answer-request.ts';
import { openSession, type SourceSession } from '../../doctor/session/source-session.ts';
import { publicStatus, toGatewayError } from '../../../kernel/errors/fault.ts';
import type { Resource } from '../../../contract/resource.ts';
import { type FirstPage, requestsOfKinds } from '../../recordings/requests-to-record.ts';

/** The result of one request that was answered by means of a draft. */
export type DraftTrial = {
  /** The request, with … for values of records. */
  readonly request: string;
  readonly status: number;
  /** `meta.total` of a list. */
  readonly total?: number;
  /** Why there is no answer: the error's code, and the detail of the log. */
  readonly reason?: string;
  /** How often each field became `null` because it could not be read. */
  readonly unreadable: Readonly<Record<string, number>>;
  readonly contradicted: readonly string[];
  /** The number of calls that the request took. */
  readonly calls: number;
};

/** A request, and how it may be displayed: without values of records. */
type TrialRequest = { readonly request: string; readonly shown: string };

type Records = FirstPage['records'];

/** Rows of a trial's page. */
const LIMIT = 10;

const asShown = (request: string): TrialRequest => ({ request, shown: request });

/** The request that a trial begins with. @internal */
export const plainRequest = ({ path }: Resource) => asShown(`GET ${path}?limit=${LIMIT}`);

/**
 * One request of each kind that callers make of a resource: the second page and the last, each filter with a value of
 * `records`, each sort both ways, and a single record. `total` is that of the list.
 * @internal
 */
export function trialRequests(resource: Resource, records: Records, total: number): readonly TrialRequest[] {
  const last = Math.ceil(total / LIMIT);
  const pages = [...new Set([2, last])].filter((page) => page > 1 && page <= Math.max(2, last));
  return [
    ...pages.map((page) => asShown(`${plainRequest(resource).request}&page=${page}`)),
    ...requestsOfKinds(resource, records, LIMIT).map(({ request, shown }) => ({ request, shown })),
  ];
}

type Answered = {
  readonly data: Records[number] | Records;
  readonly meta?: { readonly total: number };
};

type Tried = { readonly trial: DraftTrial; readonly records: Records };

/** Creates a function that answers requests by means of a draft. The rows of one scan serve later requests, too. */
function createTrials(compiled: CompiledSource, session: SourceSession, signal: AbortSignal) {
  let unreadable: Record<string, number> = {};
  let contradicted: string[] = [];
  const answer = createAnswerQuery(compiled, {
    session,
    onMissingField(field, reason) {
      if (reason === 'unreadable') unreadable[field] = (unreadable[field] ?? 0) + 1;
    },
    onContradicted: (capability) => void contradicted.push(capability),
  });
  return async function tryRequest({ request: asked, shown: request }: TrialRequest): Promise<Tried> {
    const before = session.callsMade;
    [unreadable, contradicted] = [{}, []];
    const tried = (
      result: Pick<DraftTrial, 'status' | 'total' | 'reason'>,
      records: Records = [],
    ): Tried => ({
      trial: { request, ...result, unreadable, contradicted, calls: session.callsMade - before },
      records,
    });
    try {
      const { query } = parseRequest(asked, [compiled]);
      const answered = await answer(query, signal);
      if (!answered.found) return tried({ status: 404 });
      const { data, meta } = JSON.parse(answered.body.toString()) as Answered;
      const total = meta === undefined ? {} : { total: meta.total };
      return tried({ status: 200, ...total }, [data].flat());
    } catch (thrown) {
      const error = toGatewayError(thrown);
      const reason = error.detail === undefined ? error.code : `${error.code}: ${error.detail}`;
      return tried({ status: publicStatus(error, 'precise'), reason });
    }
  };
}

/** Whether a request failed because its scan went over the budget. */
export const isOverBudget = ({ reason = '' }: DraftTrial) => reason.startsWith('scan_limit_exceeded');

/**
 * Answers one request of each kind by means of a draft, from the live service. Kinds that need a scan are not tried
 * again after a scan has gone over its budget.
 */
export async function tryDraft(
  compiled: CompiledSource,
  signal: AbortSignal,
): Promise<readonly DraftTrial[]> {
  const session = openSession(compiled.source.spec);
  const { resource, adapter } = compiled;
  const isScan = ({ request }: TrialRequest) => {
    const { query } = parseRequest(request, [compiled]);
    return query.kind === 'list' && adapter.list.plan(query, new Set()).kind === 'scan';
  };
  try {
    const tryRequest = createTrials(compiled, session, signal);
    const { trial: first, records } = await tryRequest(plainRequest(resource));
    const trials = [first];
    for (const request of trialRequests(resource, records, first.total ?? 0)) {
      if (trials.some(isOverBudget) && isScan(request)) continue;
      trials.push((await tryRequest(request)).trial);
    }
    return trials;
  } finally {
    session.close();
  }
}
