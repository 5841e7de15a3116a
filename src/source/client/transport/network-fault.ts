// Converts the network errors of an exchange to GatewayErrors, which hold no secret, for the log and the answer.

import { fault, type GatewayError, invalidReply } from '../../../kernel/errors/fault.ts';

const UNREACHABLE = new Set([
  'ECONNREFUSED',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ETIMEDOUT',
  'EHOSTDOWN',
]);

const CUT_OFF = new Set(['ECONNRESET', 'EPIPE']);

/** Whether a reply had begun when the exchange failed. */
function hasAnswered(error: unknown): boolean {
  return error instanceof Error && 'response' in error && error.response !== undefined;
}

/** The code of a network error or of its causes, such as `ECONNRESET`; `UNKNOWN` if there is none. */
export function codeOf(error: unknown): string {
  for (let depth = 0, at = error; depth < 5; depth += 1) {
    if (typeof at !== 'object' || at === null) break;
    if ('code' in at && typeof at.code === 'string' && at.code !== '') return at.code;
    at = 'cause' in at ? at.cause : undefined;
  }
  return 'UNKNOWN';
}

/**
 * The GatewayError for a failed exchange. The original error is dropped on purpose, because an AxiosError holds several copies of
 * the credential and the body, so only its code is kept.
 */
export function networkFault(error: unknown): GatewayError {
  const code = codeOf(error);
  const message = error instanceof Error ? error.message : '';
  if (/maxContentLength/.test(message)) {
    return invalidReply('too_large', 'the body is larger than net.bytesMax');
  }
  const detail = `the exchange with the source failed: ${code}`;
  const isRepeatable = UNREACHABLE.has(code) || (CUT_OFF.has(code) && !hasAnswered(error));
  return fault(UNREACHABLE.has(code) ? 'upstream_unavailable' : 'upstream_error', {
    detail,
    ...(isRepeatable && { sourceHealth: { isRetryable: isRepeatable } }),
  });
}
