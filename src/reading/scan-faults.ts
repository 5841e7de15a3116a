import { fault, type GatewayError } from '../errors/fault.ts';
import { Moved } from './source-runtime.ts';

/** The error of a scan that would cost more than the source's budget allows. */
export function overBudget(what: string): GatewayError {
  return fault('scan_limit_exceeded', {
    detail: `a scan would need more ${what} than the source's budget allows`,
  });
}

/** The error of a scan that cannot see the end. */
export function outOfReach(): GatewayError {
  return fault('scan_limit_exceeded', { detail: 'there are more rows than the source lets be reached' });
}

/** Rows that came before: they moved, or the source does not keep to the windows asked for. */
export function cameTwice(): Moved {
  return new Moved('a record came twice in one walk');
}
