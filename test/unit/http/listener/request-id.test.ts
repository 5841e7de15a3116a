import { newRequestId } from '../../../../src/http/listener/request-context.ts';

describe('a request id', () => {
  it('is req_ and 128 random bits as base64url, never the same twice', () => {
    const ids = Array.from({ length: 5_000 }, newRequestId);
    expect(new Set(ids).size).toBe(ids.length);
    for (const id of ids) expect(id).toMatch(/^req_[A-Za-z0-9_-]{22}$/);
  });
});
