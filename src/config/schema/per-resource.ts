import * as z from 'zod';
import { type ResourceName, resourceNames } from '../../contract/resources.ts';

/** A map with one optional key for each resource of the contract. */
export function perResource<T extends z.ZodType>(schema: T) {
  const entries = resourceNames.map((name) => [name, schema.optional()]);
  return z.strictObject(Object.fromEntries(entries) as Record<ResourceName, z.ZodOptional<T>>);
}
