import fc from 'fast-check';
import { compileRoutes } from '../../../../src/http/listener/routes.ts';

describe('the routes', () => {
  const find = compileRoutes([
    { path: '/v1/users', target: 'list' },
    { path: '/v1/users/:id', target: 'one' },
    { path: '/legacy', subpaths: true, target: 'legacy' },
    { path: '/legacy/orders', subpaths: true, target: 'orders' },
    { path: '/legacy/plain', target: 'plain' },
  ]);

  it('pass the id segment on as it came', () => {
    fc.assert(
      fc.property(
        fc.stringMatching(/^[!-~]{1,20}$/).filter((text) => !text.includes('/')),
        (rawId) => {
          expect(find(`/v1/users/${rawId}`)).toEqual({ target: 'one', rawId });
          expect(find(`/v1/users/${rawId}/`)).toEqual({ target: 'one', rawId });
        },
      ),
    );
  });

  it.each([
    ['/v1/users', { target: 'list', rawId: undefined }],
    ['/v1/users/', { target: 'list', rawId: undefined }],
    ['/v1/users//', undefined],
    ['/v1/users/a/b', undefined],
    ['/v1/users/a//', undefined],
    ['/v1/Users', undefined],
    ['/v1', undefined],
    ['/', undefined],
    ['', undefined],
    ['/legacy/', { target: 'legacy', rawId: undefined }],
    ['/legacy/plain/', { target: 'plain', rawId: undefined }],
    ['/legacy/plain/more', { target: 'legacy', rawId: undefined }],
    ['/legacy/orders/7', { target: 'orders', rawId: undefined }],
    ['/legacy/ordersx', { target: 'legacy', rawId: undefined }],
    ['/legacyx', undefined],
  ])('of %s', (path, expected) => {
    expect(find(path)).toEqual(expected);
  });
});
