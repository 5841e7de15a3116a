import fc from 'fast-check';
import { errorBody, fault, GatewayError, toGatewayError } from '../../../../src/kernel/errors/fault.ts';
import { entryOf, errorCodes } from '../../../../src/kernel/errors/catalogue.ts';

const canary = 'canary-51c2';

describe('a fault', () => {
  it.each(errorCodes)('%s never shows its detail, cause or stack to the client', (code) => {
    const error = fault(code, { detail: canary, cause: new Error(canary), headers: { Allow: canary } });
    const body = errorBody(error, 'req_1');
    expect(body).not.toContain(canary);
    expect(JSON.parse(body)).toEqual({
      error: { code, message: entryOf(code).sentence, request_id: 'req_1' },
    });
    expect(error.detail).toBe(canary);
  });

  it.each(errorCodes)(
    '%s takes a sentence of its own only where the catalogue says it may name something',
    (code) => {
      const own = fault(code, { message: 'Mine.' }).message;
      const named = code === 'invalid_parameter' || code === 'insufficient_permissions';
      expect(own).toBe(named ? 'Mine.' : entryOf(code).sentence);
    },
  );

  it('says when to retry a 503, in whole seconds', () => {
    expect(fault('upstream_unavailable').retryAfterSeconds).toBe(1);
    expect(fault('upstream_unavailable', { retryAfterSeconds: 30 }).retryAfterSeconds).toBe(30);
    expect(fault('upstream_timeout').retryAfterSeconds).toBeUndefined();
  });

  it('keeps an error of the gateway as it is', () => {
    const error = fault('not_found');
    expect(toGatewayError(error)).toBe(error);
  });

  it('converts every other thrown value to server_error, with the cause for the log', () => {
    fc.assert(
      fc.property(fc.anything(), (thrown) => {
        const error = toGatewayError(thrown);
        expect(error).toBeInstanceOf(GatewayError);
        expect(error.code).toBe('server_error');
        expect(error.cause).toBe(thrown);
      }),
    );
  });
});
