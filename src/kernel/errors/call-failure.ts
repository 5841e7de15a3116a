import { GatewayError } from './fault.ts';

/** Why a call to a source brought no usable answer; a label of metrics. */
export const callFailures = [
  'unreachable',
  'timeout',
  'error',
  'limited',
  'credential',
  'shape',
  'outcome',
  'not_asked',
] as const;

/**
 * `unreachable`: there is no connection. `timeout`: nothing came in time. `error`: the source says that it fails, or broke
 * off. `limited`: it takes no more calls of Portico. `credential`: it refused Portico's own. `shape`: the reply cannot be
 * read as its file says. `outcome`: no rule of the file says what the reply means. `not_asked`: the call was not made, because
 * the breaker of the source is open or calls to it are paused.
 */
export type CallFailure = (typeof callFailures)[number];

/**
 * The one definition of a failed call: it brought no usable answer, whatever its status was. `undefined`: it did not fail,
 * or says nothing of the source, because its caller went away or it was not sent.
 */
export function callFailureOf(error: unknown): CallFailure | undefined {
  if (!(error instanceof GatewayError)) return undefined;
  const { code, credentialRefused, reason, sourceHealth } = error;
  if (credentialRefused) return 'credential';
  switch (code) {
    case 'upstream_timeout':
      return 'timeout';
    case 'upstream_invalid_response':
      return reason === 'outcome' ? 'outcome' : 'shape';
    case 'upstream_unavailable':
      if (sourceHealth?.isHealthy === true) return 'limited';
      return sourceHealth?.hasReplied === true ? 'error' : 'unreachable';
    case 'upstream_error':
      return sourceHealth?.isHealthy === true ? 'outcome' : 'error';
    default:
      return undefined;
  }
}
