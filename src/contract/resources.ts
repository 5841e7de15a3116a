import type { ResourceContract } from './define-resource.ts';
import { products } from './products.ts';
import { users } from './users.ts';

/**
 * The resources of the contract. To add one, write its file in this folder and name it here: endpoints, permissions,
 * configuration keys and the OpenAPI document follow from this table, and the compiler asks for its words and for
 * the columns of its fields in drafts.
 */
const table = { users, products };

/** What paths (`/v1/users`), operations, permissions and configuration keys are named by. */
export type ResourceName = keyof typeof table;

/** A resource of the contract. */
export type Resource = ResourceContract<ResourceName>;

/** The fields of a resource after its id, such as `profile.bio`. */
export type FieldName<Name extends ResourceName> = (typeof table)[Name]['fieldNames'][number];

/** Every resource of the contract by its name. */
export const resources: { readonly [Name in ResourceName]: ResourceContract<Name> } = table;

/** The names of all resources, in the order of the contract. */
export const resourceNames = Object.keys(table) as readonly ResourceName[];
