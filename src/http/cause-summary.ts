import { GatewayError } from '../errors/fault.ts';

const SUMMARY_CHARS_MAX = 300;
const CAUSES_MAX = 4;

/**
 * What the log says of an error's causes: name, code and message of each, outermost first, and where the innermost
 * was thrown. Never the error object itself: an `AxiosError` holds the request, and with it the credential.
 */
export function summariseCause(error: GatewayError): string | undefined {
  const told: string[] = [];
  let place = '';
  let cause = error.cause;
  for (let depth = 0; cause !== undefined && cause !== null && depth < CAUSES_MAX; depth += 1) {
    told.push(tell(cause));
    if (!isError(cause)) break;
    place = placeOf(cause);
    cause = cause.cause;
  }
  // Where an upstream's failure was noticed helps nobody; where we failed ourselves does.
  if (error.code === 'server_error' && place !== '') told.push(place);
  return told.length === 0 ? undefined : told.join(' < ').slice(0, SUMMARY_CHARS_MAX);
}

function tell(cause: unknown): string {
  if (!isError(cause)) return `a thrown ${typeof cause}`;
  const code = 'code' in cause && typeof cause.code === 'string' ? ` ${cause.code}` : '';
  return `${cause.name}${code}${messageOf(cause)}`;
}

function messageOf(cause: Error): string {
  if (cause instanceof GatewayError) return cause.detail === undefined ? '' : `: ${cause.detail}`;
  // JSON.parse quotes what it stumbled over, and that may be a record's value.
  if (cause.name === 'SyntaxError' || cause.message === '') return '';
  return `: ${cause.message}`;
}

/** The first frame of a stack, without the folders. */
function placeOf(cause: Error): string {
  const frame = /^ +at .*$/m.exec(cause.stack ?? '')?.[0].trim() ?? '';
  return frame.replace(/(?:file:\/\/)?\/\S*\//, '');
}

/** Told by its shape: what was thrown in another realm is no instance of our `Error`. */
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
