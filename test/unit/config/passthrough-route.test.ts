import { passthroughRoute } from '../../../src/config/schema/passthrough.ts';

const minimal = { name: 'orders', path: '/orders', upstream: 'http://a:1/base', permission: null };
const problemsOf = (more: object) =>
  passthroughRoute.safeParse({ ...minimal, ...more }).error?.issues.map(({ path }) => path.join('.')) ?? [];

describe('a pass-through route', () => {
  it.each(['Authorization', 'x-api-key', 'Cookie', 'Host', 'TE', 'X-Forwarded-For', 'Proxy-X', 'X_User'])(
    'cannot let %s of callers pass',
    (name) => {
      expect(problemsOf({ callerHeaders: ['X-User-Id', name] })).toEqual(['callerHeaders.1']);
    },
  );

  it('has hosts that differ only in their address', () => {
    expect(problemsOf({ otherUpstreams: ['http://b:1/base', 'http://b:1/other'] })).toEqual([
      'otherUpstreams.1',
    ]);
  });

  it('looks after the health of several hosts only', () => {
    const health = { path: '/health' };
    expect(problemsOf({ health })).toEqual(['health']);
    expect(problemsOf({ health, otherUpstreams: ['http://b:1/base'] })).toEqual([]);
  });
});
