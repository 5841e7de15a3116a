import * as z from 'zod';

/**
 * A map with an entry for each resource; that the contract has such a resource is checked in `validate/cross-check.ts`.
 * The `id` has the schema stand once in the schema for editors, for all resources.
 */
export function perResource<T extends z.ZodType>(schema: T) {
  return z.record(z.string(), schema.meta({ id: 'resource' })).meta({ perResource: true });
}
