import { GatewayError } from '../../kernel/errors/fault.ts';

const SUMMARY_CHARS_MAX = 300;
const CAUSES_MAX = 4;

/**
 * Summarises the causes of an error for the log: the name, code and message of each, outermost first. For a failure of the
 * gateway, it adds the place where the innermost was thrown. It never logs an error object, because an `AxiosError` holds the
 * request's credential.
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
  // The frame helps only if the gateway itself failed, and not if it noticed an upstream's failure.
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
  // JSON.parse quotes the text that it cannot read, which may be a record's value.
  if (cause.name === 'SyntaxError' || cause.message === '') return '';
  return `: ${cause.message}`;
}

/** The first frame of a stack, without folders. */
function topFrame(cause: Error): string {
  const frame = /^ +at .*$/m.exec(cause.stack ?? '')?.[0].trim() ?? '';
  return frame.replace(/(?:file:\/\/)?\/\S*\//, '');
}

/** Recognised by its shape: an error of another realm is no instance of our `Error`. */
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
