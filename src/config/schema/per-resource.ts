import * as z from 'zod';

/**
 * Makes the schema of a map with an entry for each resource. `validate/cross-check.ts` checks that the contract has these
 * resources. Because of the `id`, the generated schema for editors has the schema of an entry only once.
 */
export function perResource<T extends z.ZodType>(schema: T) {
  return z.record(z.string(), schema.meta({ id: 'resource' })).meta({ perResource: true });
}
