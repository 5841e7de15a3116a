// The errors of scans that are too large or too slow.

import { fault, GatewayError } from '../../../kernel/errors/fault.ts';

/** The error for a scan that would cost more than the source's budget allows. */
export function overBudget(what: string): GatewayError {
  return fault('scan_limit_exceeded', {
    detail: `a scan would need more ${what} than the source's budget allows`,
  });
}

/** The error for a list with more rows than the source lets be reached. */
export function outOfReach(): GatewayError {
  return fault('scan_limit_exceeded', { detail: 'there are more rows than the source lets be reached' });
}

/** The error for a scan whose time is over because one reply was slow, so that a larger budget would not help. */
export function tooSlow(): GatewayError {
  return fault('upstream_timeout', { detail: "one reply took most of the source's budget.time" });
}

const NOT_SCANNED = 'the answer takes a scan, which this call may not cause';

/** The error for a call that may not cause a scan, if no scan cache has the rows. */
export function notScanned(): GatewayError {
  return fault('scan_limit_exceeded', { detail: NOT_SCANNED });
}

/** Whether an error means that nobody can get this answer, because it exceeds the budget or the reach of the source. */
export function isBeyondBounds(error: unknown): boolean {
  return (
    error instanceof GatewayError && error.code === 'scan_limit_exceeded' && error.detail !== NOT_SCANNED
  );
}
