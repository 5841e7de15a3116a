import { GatewayError } from '../../kernel/errors/fault.ts';

const SUMMARY_CHARS_MAX = 300;
const CAUSES_MAX = 4;

/**
 * Summarises the causes of an error for the log: name, code and message of each, outermost first. For a failure of the
 * gateway itself, it adds the place where the innermost error was thrown. Error objects are never logged themselves, because
 * an `AxiosError` contains the credential of the request. `undefined` if the error has no cause.
 */
export function summariseCause(error: GatewayError): string | undefined {
  const parts: string[] = [];
  let frame = '';
  let cause = error.cause;
  for (let depth = 0; cause !== undefined && cause !== null && depth < CAUSES_MAX; depth += 1) {
    parts.push(describe(cause));
    if (!isError(cause)) break;
    frame = topFrame(cause);
    cause = cause.cause;
  }
  // The place is useful only if the gateway itself failed, not if an upstream did.
  if (error.code === 'server_error' && frame !== '') parts.push(frame);
  return parts.length === 0 ? undefined : parts.join(' < ').slice(0, SUMMARY_CHARS_MAX);
}

function describe(cause: unknown): string {
  if (!isError(cause)) return `a thrown ${typeof cause}`;
  const code = 'code' in cause && typeof cause.code === 'string' ? ` ${cause.code}` : '';
  return `${cause.name}${code}${messageOf(cause)}`;
}

function messageOf(cause: Error): string {
  if (cause instanceof GatewayError) return cause.detail === undefined ? '' : `: ${cause.detail}`;
  // The message of JSON.parse quotes the text, which may be a value of a record.
  if (cause.name === 'SyntaxError' || cause.message === '') return '';
  return `: ${cause.message}`;
}

/** The first frame of a stack trace, without folders. */
function topFrame(cause: Error): string {
  const frame = /^ +at .*$/m.exec(cause.stack ?? '')?.[0].trim() ?? '';
  return frame.replace(/(?:file:\/\/)?\/\S*\//, '');
}

/** Whether a thrown value is an error. Its keys are checked, because errors of another realm are no instances of `Error`. */
function isError(thrown: unknown): thrown is Error {
  return (
    typeof thrown === 'object' &&
    thrown !== null &&
    'name' in thrown &&
    typeof thrown.name === 'string' &&
    'message' in thrown &&
    typeof thrown.message === 'string'
  );
}
