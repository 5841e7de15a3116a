import { entryOf, errorCodes, type ErrorCode } from '../../../src/kernel/errors/catalogue.ts';

/** The table "Errors" of the contract's decisions. */
const rows: readonly (readonly [number, ErrorCode])[] = [
  [400, 'invalid_parameter'],
  [400, 'bad_request'],
  [401, 'authentication_required'],
  [403, 'insufficient_permissions'],
  [404, 'not_found'],
  [405, 'method_not_allowed'],
  [429, 'rate_limit_exceeded'],
  [500, 'server_error'],
  [502, 'upstream_error'],
  [502, 'upstream_invalid_response'],
  [503, 'upstream_unavailable'],
  [503, 'overloaded'],
  [503, 'limiter_unavailable'],
  [503, 'scan_limit_exceeded'],
  [504, 'upstream_timeout'],
];

describe('Errors', () => {
  it.each(rows)('%i %s', (status, code) => expect(entryOf(code).status).toBe(status));

  it('are these, and no others', () =>
    expect([...errorCodes].sort()).toEqual(rows.map(([, code]) => code).sort()));
});
