// Says in a few words why calls fail, for the cause of an incident.

import { GatewayError } from '../../kernel/errors/fault.ts';

/** The words for network errors, by their codes. */
const BY_CODE: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'connection reset',
  EPIPE: 'connection reset',
  EHOSTUNREACH: 'host unreachable',
  ENETUNREACH: 'network unreachable',
  ENOTFOUND: 'host name not found',
  EAI_AGAIN: 'host name not found',
  ETIMEDOUT: 'no connection in time',
};

/** How the words for a call that is not answered in time begin. */
export const NO_ANSWER = 'no answer';

/** The words for a refusal of Portico's own credential. */
export const CREDENTIAL_REFUSED = "refuses Portico's credential";

/** The words for the other failures of calls. */
const BY_FAILURE: Readonly<Record<string, string>> = {
  unreachable: 'cannot be reached',
  error: 'answers with errors',
  limited: 'limits Portico',
  credential: CREDENTIAL_REFUSED,
  shape: 'replies of another shape',
  outcome: 'replies that no outcome rule fits',
};

/** How the words begin by which causes of a failing upstream differ; it is not reached if they begin otherwise. */
const CAUSE_KINDS = /^(?:no answer|answers|refuses|replies|limits)/;

/** Whether two causes are of one kind, such as two network errors, or two statuses. */
export const isSameCause = (one: string, other: string): boolean =>
  CAUSE_KINDS.exec(one)?.[0] === CAUSE_KINDS.exec(other)?.[0];

/**
 * Why a call failed, in words. `failure` and `outcome` are labels of the metrics; `error` is used only for a status or a network
 * code in it. `undefined` for a call that was not sent.
 */
export function failureWords(
  failure: string,
  outcome: string,
  seconds = 0,
  error?: unknown,
): string | undefined {
  if (failure === 'not_asked') return undefined;
  if (failure === 'timeout')
    return `${NO_ANSWER} ${seconds < 1 ? 'in time' : `within ${Math.round(seconds)} s`}`;
  const detail = error instanceof GatewayError ? (error.detail ?? '') : '';
  const status = /\bHTTP (\d{3})\b/.exec(detail)?.[1];
  const code = /failed: (E[A-Z_]+)$/.exec(detail)?.[1] ?? '';
  if (BY_CODE[code] !== undefined) return BY_CODE[code];
  if (failure === 'error' && (status !== undefined || outcome === '5xx'))
    return `answers ${status ?? outcome}`;
  if (failure === 'outcome' && outcome === '2xx') return 'replies of another shape (no outcome rule fits)';
  const words = BY_FAILURE[failure] ?? 'brings no usable answer';
  return failure !== 'shape' && status !== undefined ? `${words} (${status})` : words;
}

/** Why the key set of the token issuer could not be read, in words. */
export function issuerFailureText(problem: string): string {
  const code = /: (E[A-Z_]+)$/.exec(problem)?.[1] ?? '';
  if (/abort|timeout/i.test(problem)) return 'its key set is not answered in time';
  return BY_CODE[code] ?? problem.replace('the key set', 'its key set');
}
