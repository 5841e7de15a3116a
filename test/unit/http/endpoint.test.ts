import fc from 'fast-check';
import { compileRoutes, type Endpoint } from '../../../src/http/listener/endpoint.ts';

const endpoint = (operation: string): Endpoint => ({ operation, methods: ['GET'], serve: () => undefined });

describe('the routes', () => {
  const list = endpoint('users.list');
  const one = endpoint('users.get');
  const find = compileRoutes([
    { path: '/v1/users', endpoint: list },
    { path: '/v1/users/:id', endpoint: one },
  ]);

  it('hand the id segment over as it came', () => {
    fc.assert(
      fc.property(
        fc.stringMatching(/^[!-~]{1,20}$/).filter((text) => !text.includes('/')),
        (rawId) => {
          expect(find(`/v1/users/${rawId}`)).toEqual({ endpoint: one, rawId });
          expect(find(`/v1/users/${rawId}/`)).toEqual({ endpoint: one, rawId });
        },
      ),
    );
  });

  it.each([
    ['/v1/users', { endpoint: list, rawId: undefined }],
    ['/v1/users/', { endpoint: list, rawId: undefined }],
    ['/v1/users//', undefined],
    ['/v1/users/a/b', undefined],
    ['/v1/users/a//', undefined],
    ['/v1/Users', undefined],
    ['/v1', undefined],
    ['/', undefined],
    ['', undefined],
  ])('of %s', (path, expected) => {
    expect(find(path)).toEqual(expected);
  });
});
