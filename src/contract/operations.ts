import { type Resource, type ResourceName, resources } from './resources.ts';

/** A public endpoint, such as `users.list`. */
export type OperationName = `${ResourceName}.${Operation['kind']}`;

/**
 * One endpoint of one resource, as data: the parser of its parameters and its part of the OpenAPI document are made from
 * it.
 */
export type Operation = {
  readonly name: OperationName;
  readonly kind: 'list' | 'get';
  readonly resource: Resource;
  /** The route; `:id` is the one variable segment. */
  readonly path: string;
};

function operationsOf(resource: Resource): readonly Operation[] {
  const { name, detail } = resource;
  const list: Operation = { name: `${name}.list`, kind: 'list', resource, path: `/v1/${name}` };
  if (detail === null) return [list];
  return [list, { name: `${name}.get`, kind: 'get', resource, path: `/v1/${name}/:id` }];
}

/** Every endpoint of the contract: a list per resource, and single records if it has them. All answer GET and HEAD. */
export const operations: readonly Operation[] = Object.values<Resource>(resources).flatMap(operationsOf);
