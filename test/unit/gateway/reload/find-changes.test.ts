import { parseGateway } from '../../../support/gateway/parse-gateway.ts';
import { findChanges } from '../../../../src/gateway/reload/find-changes.ts';
import { configDigest } from '../../../../src/gateway/reload/snapshot.ts';

const withRoutes = (...names: readonly string[]) => {
  const passthrough = names.map((name) => ({
    ...{ name, path: `/legacy/${name}`, upstream: 'http://127.0.0.1:9', permission: null },
  }));
  return { gateway: parseGateway({ portico: 1, resources: {}, passthrough }), compiled: [] };
};

describe('what changes between two configurations', () => {
  it('is told where only the order of routes is another one: the digest changes with it', () => {
    const [before, after] = [withRoutes('orders', 'stock'), withRoutes('stock', 'orders')];
    expect(configDigest(after)).not.toBe(configDigest(before));
    expect(findChanges(before, after)).toEqual([{ path: 'passthrough', kind: 'changed' }]);
  });

  it('is one route where one is put between others', () => {
    const found = findChanges(withRoutes('orders', 'stock'), withRoutes('orders', 'prices', 'stock'));
    expect(found).toEqual([{ path: 'passthrough.prices', kind: 'added' }]);
  });
});
