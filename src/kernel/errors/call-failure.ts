// Sorts the failed calls to sources by their reason, for the metrics and the incidents that are found by them.

import { GatewayError } from './fault.ts';

/** Every reason why a call to a source brought no usable answer; the values of a label of metrics. */
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
 * `unreachable`: there is no connection. `timeout`: nothing came in time. `error`: the source replied that it fails, or broke off
 * its reply. `limited`: it takes no more calls from Portico now. `credential`: it refused Portico's own credential. `shape`: the
 * reply cannot be read as the source file says. `outcome`: no rule of the file says what the reply means. `not_asked`: the call
 * was not made, because the breaker of the source is open or calls to it are paused.
 */
export type CallFailure = (typeof callFailures)[number];

/**
 * The one definition of a failed call: the call brought no usable answer, whatever its HTTP status was. `undefined`: the error
 * says nothing about the source, for example because the caller went away.
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
