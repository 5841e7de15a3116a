import * as z from 'zod';

/** A map with an entry for each resource; that the contract has such a resource is checked in `validate/cross-check.ts`. */
export function perResource<T extends z.ZodType>(schema: T) {
  return z.record(z.string(), schema).meta({ perResource: true });
}
