import { builtInContract } from '../../src/contract/reference-contract.ts';
import type { Resource } from '../../src/contract/resource.ts';

/** The built-in contract, which most tests are about. */
export const referenceContract = builtInContract();

/** The names of the resources of the reference contract, which most tests are about. */
export type ResourceName = 'users' | 'products';

function named(name: ResourceName): Resource {
  const resource = referenceContract.resources.get(name);
  if (resource === undefined) throw new Error(`the reference contract has ${name}`);
  return resource;
}

/** The resources of the reference contract, by name. */
export const resources: Readonly<Record<ResourceName, Resource>> = {
  users: named('users'),
  products: named('products'),
};

/** Their names, in the order of the contract. */
export const resourceNames: readonly ResourceName[] = ['users', 'products'];

/** Every endpoint of the reference contract. */
export const { operations } = referenceContract;
