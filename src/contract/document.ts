import { invalidReply } from '../errors/fault.ts';
import type { Field, Value } from './fields.ts';
import type { Resource } from './resource.ts';

/** A v1 record: canonical values by field name (`profile.bio` for nested ones). Every field is there. */
export type CanonicalRecord = Readonly<Record<string, Value>> & { readonly id: string };

/** The pagination part of a list's answer. */
export type Meta = { readonly total: number; readonly page: number; readonly limit: number };

/** Builds the object of a view from named fields; nothing else of the record is seen. */
function build(fields: readonly Field[], record: CanonicalRecord): Record<string, unknown> {
  const view: Record<string, unknown> = {};
  for (const { path, name } of fields) {
    let place = view;
    for (const key of path.slice(0, -1)) place = (place[key] ??= {}) as Record<string, unknown>;
    place[path.at(-1) as string] = record[name] ?? null;
  }
  return view;
}

/** The exit door: what does not satisfy the contract's schema does not leave. */
function checked(view: Record<string, unknown>, schema: Resource['item']): Record<string, unknown> {
  const result = schema.safeParse(view);
  if (result.success) return view;
  const where = result.error.issues.map((issue) => issue.path.join('.')).join(', ');
  throw invalidReply('contract', `the mapped record does not satisfy the contract at: ${where}`);
}

/**
 * The JSON body of a list.
 * @throws GatewayError `upstream_invalid_response` where a record does not satisfy the contract
 */
export function listBody(resource: Resource, records: readonly CanonicalRecord[], meta: Meta): string {
  const data = records.map((record) => checked(build(resource.itemFields, record), resource.item));
  return JSON.stringify({ data, meta });
}

/**
 * The JSON body of a single record.
 * @throws GatewayError `upstream_invalid_response` where the record does not satisfy the contract
 */
export function detailBody(resource: Resource, record: CanonicalRecord): string {
  if (resource.detail === null) throw new Error(`${resource.name} has no single-record view`);
  return JSON.stringify({ data: checked(build(resource.detailFields, record), resource.detail) });
}
