import { fault, GatewayError } from '../../../kernel/errors/fault.ts';

/** The error of a scan that would cost more than the source's budget allows. */
export function overBudget(what: string): GatewayError {
  return fault('scan_limit_exceeded', {
    detail: `a scan would need more ${what} than the source's budget allows`,
  });
}

/** The error of a scan that cannot reach the last row. */
export function outOfReach(): GatewayError {
  return fault('scan_limit_exceeded', { detail: 'there are more rows than the source lets be reached' });
}

/** The error of a scan whose time is over because the source does not answer: a larger budget would not help. */
export function tooSlow(): GatewayError {
  return fault('upstream_timeout', { detail: "one reply took most of the source's budget.time" });
}

const NOT_SCANNED = 'the answer takes a scan, which this call may not cause';

/** The error of a call that may not scan, if no rows of a scan are there. */
export function notScanned(): GatewayError {
  return fault('scan_limit_exceeded', { detail: NOT_SCANNED });
}

/** Whether a source refuses an answer to everybody, because it lies beyond the source's bounds. */
export function isBeyondBounds(error: unknown): boolean {
  return (
    error instanceof GatewayError && error.code === 'scan_limit_exceeded' && error.detail !== NOT_SCANNED
  );
}
