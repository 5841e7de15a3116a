import { products } from './products.ts';
import type { ResourceName } from './query.ts';
import type { Resource } from './resource.ts';
import { users } from './users.ts';

/** Every resource of the contract. */
export const resources: Readonly<Record<ResourceName, Resource>> = { users, products };

/** The public endpoints. */
export type OperationName = 'users.list' | 'users.get' | 'products.list';

export type Operation = {
  readonly name: OperationName;
  readonly kind: 'list' | 'get';
  readonly resource: Resource;
  /** The route; `:id` is the one variable segment. */
  readonly path: string;
};

/** Every endpoint of the contract; each answers GET and HEAD. */
export const operations: readonly Operation[] = [
  { name: 'users.list', kind: 'list', resource: users, path: '/v1/users' },
  { name: 'users.get', kind: 'get', resource: users, path: '/v1/users/:id' },
  { name: 'products.list', kind: 'list', resource: products, path: '/v1/products' },
];
