import { catalogue, entryOf, errorCodes } from '../../../../src/kernel/errors/catalogue.ts';
import { fault, publicStatus } from '../../../../src/kernel/errors/fault.ts';

describe('the catalogue of errors', () => {
  it.each(errorCodes)('%s has a sentence fit for strangers', (code) => {
    const { sentence } = entryOf(code);
    expect(sentence).toMatch(/^[A-Z][^\n]*\.$/);
    expect(sentence).not.toMatch(/redis|axios|upstream|stack|https?:/i);
  });

  it('blames the client for 4xx only', () => {
    for (const { status, owner } of Object.values(catalogue)) expect(owner === 'client').toBe(status < 500);
  });

  it('marks no error as retryable that only a changed request can avoid', () => {
    for (const { status, retryable } of Object.values(catalogue))
      if (status < 500) expect(retryable).toBe(status === 429);
  });

  it.each(errorCodes)('%s is returned as itself, or as 500 where servers may only fail with 500', (code) => {
    const error = fault(code);
    const { status } = entryOf(code);
    expect(publicStatus(error, 'precise')).toBe(status);
    expect(publicStatus(error, 'contract')).toBe(Math.min(status, 500));
    expect([400, 401, 403, 404, 405, 429, 500]).toContain(publicStatus(error, 'contract'));
  });
});
