import type { z } from 'zod';
import type { ResourceName } from './query.ts';
import { type Field, fieldsOf } from './fields.ts';

/** A query parameter that narrows a list. */
export type FilterParameter = {
  readonly name: string;
  readonly field: string;
  readonly op: 'eq' | 'ge' | 'le';
  readonly description: string;
};

/** What the contract promises of one resource. */
export type Resource = {
  readonly name: ResourceName;
  readonly title: string;
  readonly idPrefix: string;
  /** The permission that reading it needs. */
  readonly permission: string;
  /** The schema of its ids. */
  readonly id: z.ZodType;
  /** One item of a list. */
  readonly item: z.ZodObject;
  readonly itemFields: readonly Field[];
  /** The single-record view, where the contract has one. */
  readonly detail: z.ZodObject | null;
  readonly detailFields: readonly Field[];
  /** Fields that `sort` may name; empty where the contract has no `sort`. */
  readonly sorts: readonly string[];
  readonly filters: readonly FilterParameter[];
};

type Definition = Omit<Resource, 'id' | 'itemFields' | 'detailFields'>;

/** Completes a resource's definition with what follows from its schemas. */
export function defineResource(definition: Definition): Resource {
  return {
    ...definition,
    id: definition.item.shape['id'] as z.ZodType,
    itemFields: fieldsOf(definition.item),
    detailFields: definition.detail === null ? [] : fieldsOf(definition.detail),
  };
}
